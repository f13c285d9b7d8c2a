//! The documentation for builders of clients: rendered for people, and as it is written for models.

use pulldown_cmark::{Options, Parser, html};

use super::{Facts, document, layout, vocabulary};
use crate::transport::{Document, Media};

/// Where the documentation stands.
pub(super) const ROOT: &str = "/docs/agents";

/// A page: the last segment of its path, its title, its text.
pub(super) struct Page {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    text: &'static str,
}

/// Every page, the landing page for agents first.
pub(super) const PAGES: [Page; 6] = [
    Page { name: "index", title: "For agents", text: include_str!("../../docs/agents/index.md") },
    Page { name: "connect", title: "Connect", text: include_str!("../../docs/agents/connect.md") },
    Page { name: "tools", title: "Tools", text: include_str!("../../docs/agents/tools.md") },
    Page { name: "envelope", title: "The envelope", text: include_str!("../../docs/agents/envelope.md") },
    Page {
        name: "errors-and-limits",
        title: "Errors and limits",
        text: include_str!("../../docs/agents/errors-and-limits.md"),
    },
    Page {
        name: "data-posture",
        title: "Data posture",
        text: include_str!("../../docs/agents/data-posture.md"),
    },
];

/// Each page in both forms.
pub(super) fn documents(facts: &Facts<'_>) -> Vec<Document> {
    let forms = PAGES.iter().map(|page| {
        let text = vocabulary::filled(page.text, facts);
        let path = if page.name == "index" { format!("{ROOT}/") } else { format!("{ROOT}/{}", page.name) };
        let html = layout::page(&format!("{} - hosaka music data", page.title), None, &rendered(&text));
        [
            document(&path, Media::Page, html),
            document(&format!("{ROOT}/{}.md", page.name), Media::Markdown, text),
        ]
    });
    forms.flatten().collect()
}

/// Links between the pages lead to their rendered form.
fn rendered(text: &str) -> String {
    let mut linked = text.replace("](index.md", &format!("]({ROOT}/"));
    for page in &PAGES {
        linked = linked.replace(&format!("]({}.md", page.name), &format!("]({ROOT}/{}", page.name));
    }
    let mut page = String::with_capacity(linked.len() * 2);
    html::push_html(&mut page, Parser::new_ext(&linked, Options::ENABLE_TABLES));
    within_reach(&page)
}

/// What is wider than a phone scrolls by itself, so it has to take the focus: else the keyboard does not reach its end.
fn within_reach(page: &str) -> String {
    page.replace("<pre>", "<pre tabindex=\"0\">")
        .replace("<table>", "<div class=\"wide\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>")
}
