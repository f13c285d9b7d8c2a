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

/// Every path with its file.
const FILES: &[(&str, File)] = &[
    ("/", File { content_type: HTML, bytes: include_bytes!("static/page.html") }),
    ("/page.js", File { content_type: SCRIPT, bytes: include_bytes!("static/page.js") }),
    ("/page.css", File { content_type: STYLE, bytes: include_bytes!("static/page.css") }),
];

/// The file at a path.
pub(super) fn file(path: &str) -> Option<File> {
    FILES.iter().find(|(of, _)| *of == path).map(|(_, file)| *file)
}
