//! The files of the operator's page, as they lie in `src/operator/static/`.
//!
//! Decides which file answers which path. Knows nothing of what is in them.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct File {
    pub(super) content_type: &'static str,
    pub(super) bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// The library that draws the charts, as it is published, below its licence: whoever has the one has the other.
const CHARTS: &str = concat!(
    "/*\n",
    include_str!("static/uplot/LICENSE"),
    "\n*/\n",
    include_str!("static/uplot/uPlot.iife.min.js")
);

/// Every path with its file.
const FILES: &[(&str, File)] = &[
    ("/", File { content_type: HTML, bytes: include_bytes!("static/page.html") }),
    ("/page.js", File { content_type: SCRIPT, bytes: include_bytes!("static/page.js") }),
    ("/page.css", File { content_type: STYLE, bytes: include_bytes!("static/page.css") }),
    ("/uplot.js", File { content_type: SCRIPT, bytes: CHARTS.as_bytes() }),
    ("/uplot.css", File { content_type: STYLE, bytes: include_bytes!("static/uplot/uPlot.min.css") }),
];

/// The file at a path.
pub(super) fn file(path: &str) -> Option<File> {
    FILES.iter().find(|(of, _)| *of == path).map(|(_, file)| *file)
}

#[cfg(test)]
mod tests {
    use ring::digest::{SHA256, digest};

    use super::*;

    const PAGE: &str = include_str!("static/page.html");
    const SCRIPT_TEXT: &str = include_str!("static/page.js");

    #[test]
    fn the_library_is_the_published_one_and_goes_with_its_licence() {
        // uPlot 1.6.32, the files of the package's dist folder.
        let published = [
            (
                include_bytes!("static/uplot/uPlot.iife.min.js").as_slice(),
                "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
            ),
            (
                include_bytes!("static/uplot/uPlot.min.css"),
                "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
            ),
            (
                include_bytes!("static/uplot/LICENSE"),
                "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
            ),
        ];
        for (bytes, sum) in published {
            let hex: String =
                digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, sum);
        }
        let served = std::str::from_utf8(file("/uplot.js").unwrap().bytes).unwrap();
        assert!(served.starts_with("/*\nThe MIT License (MIT)\n\nCopyright (c) 2022 Leon Sorokin\n"));
        let (licence, _) = served.split_once("*/").unwrap();
        assert!(licence.contains("THE SOFTWARE IS PROVIDED") && !licence[2..].contains("/*"));
    }

    #[test]
    fn the_page_loads_its_own_files_alone_and_has_nothing_inline() {
        let loaded: Vec<&str> = [" src=\"", " href=\""]
            .iter()
            .flat_map(|field| PAGE.split(field).skip(1))
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(loaded.len() > 5, "{loaded:?}");
        for path in loaded {
            assert!(file(path).is_some() || ["/metrics", "data:,"].contains(&path), "{path}");
        }
        assert_eq!(PAGE.matches("<script").count(), PAGE.matches("</script>").count());
        for script in PAGE.split("<script").skip(1) {
            let inside = script.split_once('>').and_then(|(_, rest)| rest.split("</script>").next());
            assert_eq!(inside, Some(""));
        }
        for inline in [" style=", "<style", " onclick", " onload", "javascript:"] {
            assert!(!PAGE.contains(inline), "{inline}");
        }
    }

    #[test]
    fn what_the_server_tells_never_becomes_markup_and_no_other_host_is_named() {
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("] {
            assert!(!SCRIPT_TEXT.contains(word), "{word}");
        }
        // What SVG is called looks like an address and is never asked.
        assert_eq!(SCRIPT_TEXT.matches("//").count() - SCRIPT_TEXT.matches("// ").count(), 1);
        assert!(SCRIPT_TEXT.contains("'http://www.w3.org/2000/svg'"));
        assert!(!PAGE.contains("//") && !include_str!("static/page.css").contains("//"));
    }
}
