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
    ("/page.js", script(include_bytes!("static/page.js"))),
    ("/alarms.js", script(include_bytes!("static/alarms.js"))),
    ("/charts.js", script(include_bytes!("static/charts.js"))),
    ("/counted.js", script(include_bytes!("static/counted.js"))),
    ("/families.js", script(include_bytes!("static/families.js"))),
    ("/moment.js", script(include_bytes!("static/moment.js"))),
    ("/pieces.js", script(include_bytes!("static/pieces.js"))),
    ("/steps.js", script(include_bytes!("static/steps.js"))),
    ("/strips.js", script(include_bytes!("static/strips.js"))),
    ("/table.js", script(include_bytes!("static/table.js"))),
    ("/words.js", script(include_bytes!("static/words.js"))),
    ("/page.css", File { content_type: STYLE, bytes: include_bytes!("static/page.css") }),
    ("/uplot.js", File { content_type: SCRIPT, bytes: CHARTS.as_bytes() }),
    ("/uplot.css", File { content_type: STYLE, bytes: include_bytes!("static/uplot/uPlot.min.css") }),
];

const fn script(bytes: &'static [u8]) -> File {
    File { content_type: SCRIPT, bytes }
}

/// The file at a path.
pub(super) fn file(path: &str) -> Option<File> {
    FILES.iter().find(|(of, _)| *of == path).map(|(_, file)| *file)
}

#[cfg(test)]
mod tests {
    use ring::digest::{SHA256, digest};

    use super::*;

    const PAGE: &str = include_str!("static/page.html");

    /// Our own scripts with their paths.
    fn scripts() -> Vec<(&'static str, &'static str)> {
        let own = FILES.iter().filter(|(path, file)| file.content_type == SCRIPT && *path != "/uplot.js");
        own.map(|(path, file)| (*path, std::str::from_utf8(file.bytes).unwrap())).collect()
    }

    #[test]
    fn every_script_is_served_and_each_loads_those_alone_that_are() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/operator/static");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut lying: Vec<String> = names
            .map(|name| format!("/{}", name.to_string_lossy()))
            .filter(|name| name.ends_with(".js"))
            .collect();
        lying.sort();
        let mut served: Vec<&str> = scripts().iter().map(|(path, _)| *path).collect();
        served.sort_unstable();
        assert_eq!(lying, served);
        let mut loaded = vec!["/page.js".to_owned()];
        for (path, text) in scripts() {
            assert!(!text.contains("import("), "{path}");
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let name = line.split("from '.").nth(1).and_then(|rest| rest.strip_suffix("';"));
                let name = name.unwrap_or_else(|| panic!("{path}: {line}"));
                assert!(served.contains(&name), "{path} loads {name}");
                loaded.push(name.to_owned());
            }
        }
        loaded.sort();
        loaded.dedup();
        assert_eq!(loaded, served, "each is used");
    }

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
        let (mut addresses, mut all) = (0, String::new());
        for (path, text) in scripts() {
            for word in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("]
            {
                assert!(!text.contains(word), "{path}: {word}");
            }
            addresses += text.matches("//").count() - text.matches("// ").count();
            all += text;
        }
        // What SVG is called looks like an address and is never asked.
        assert_eq!(addresses, 1);
        assert!(all.contains("'http://www.w3.org/2000/svg'"));
        assert!(!PAGE.contains("//") && !include_str!("static/page.css").contains("//"));
    }
}
