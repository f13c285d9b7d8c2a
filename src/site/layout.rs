//! The frame around every page.

/// A page with its title; `script` is a file of this server.
pub(super) fn page(title: &str, script: Option<&str>, body: &str) -> String {
    let script = script.map_or_else(String::new, |path| format!("<script src=\"{path}\" defer></script>\n"));
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"/assets/site.css\">\n<link rel=\"icon\" href=\"data:,\">\n{script}</head>\n\
         <body>\n<header><nav aria-label=\"Pages\"><a href=\"/\">hosaka music data</a> <a href=\"/docs/agents/\">Docs</a> \
         <a href=\"/docs/agents/tools\">Tools</a></nav></header>\n<main>\n{body}</main>\n\
         <footer><a href=\"/legal/privacy\">Privacy</a> <a href=\"/legal/terms\">Terms</a> \
         <a href=\"/legal/support\">Support</a></footer>\n</body>\n</html>\n"
    )
}

/// Text as it stands in HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
