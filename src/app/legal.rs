//! The legal pages: the operator's own texts where given, plain built-in ones otherwise.

use std::fmt::Write as _;
use std::path::Path;

use super::source::{Wrong, unreadable};
use super::start::StartError;
use crate::config::Legal;
use crate::small_file;
use crate::transport::LegalPage;

/// The longest text of an operator that is served, in bytes.
const TEXT_MAX_BYTES: u64 = 256 * 1024;

/// The pages, ready to send.
#[derive(Debug)]
pub(super) struct LegalTexts {
    pages: [(LegalPage, String); 3],
}

impl LegalTexts {
    pub(super) fn load(legal: &Legal) -> Result<Self, StartError> {
        let file = |page| match page {
            LegalPage::Privacy => legal.privacy.as_deref(),
            LegalPage::Terms => legal.terms.as_deref(),
            LegalPage::Support => legal.support.as_deref(),
        };
        let page = |page: LegalPage| -> Result<(LegalPage, String), StartError> {
            let text = match file(page) {
                Some(path) => read(path)?,
                None => built_in(page, legal),
            };
            Ok((page, html(title(page), &text)))
        };
        let [privacy, terms, support] = LegalPage::ALL;
        Ok(Self { pages: [page(privacy)?, page(terms)?, page(support)?] })
    }

    pub(super) fn page(&self, wanted: LegalPage) -> String {
        self.pages.iter().find(|(page, _)| *page == wanted).map(|(_, html)| html.clone()).unwrap_or_default()
    }
}

/// Every text of the operator that cannot be served.
pub(super) fn wrong(legal: &Legal) -> Vec<Wrong> {
    [("privacy", &legal.privacy), ("terms", &legal.terms), ("support", &legal.support)]
        .into_iter()
        .filter_map(|(key, file)| {
            let file = file.as_deref()?;
            let error = small_file::read_text(file, TEXT_MAX_BYTES).err()?;
            Some(unreadable(file, &format!("legal.{key}"), &error))
        })
        .collect()
}

fn read(path: &Path) -> Result<String, StartError> {
    let unreadable = |reason: String| StartError::Text { path: path.to_owned(), reason };
    small_file::read_text(path, TEXT_MAX_BYTES).map_err(|error| unreadable(error.to_string()))
}

fn title(page: LegalPage) -> &'static str {
    match page {
        LegalPage::Privacy => "Privacy",
        LegalPage::Terms => "Terms",
        LegalPage::Support => "Support",
    }
}

fn built_in(page: LegalPage, legal: &Legal) -> String {
    let operator = legal.operator.as_deref().unwrap_or("the person who started it on this machine");
    let contact = legal.contact.as_ref().map_or("the operator of this machine", |contact| contact.as_str());
    match page {
        LegalPage::Privacy => format!(
            "This server is run by {operator}. It answers questions about music. Of those who sign in it keeps how much they have used, under a number that is made of the name that their issuer gives them, and not the name itself.\n\n\
             For each request it writes one log line: a random request id, the tool, the outcome and how long it took. \
             The line holds no question, no name, no token and no full address.\n\n\
             Addresses are kept in memory, for as long as limits need them, and never on disk.\n\n\
             Questions about this: {contact}."
        ),
        LegalPage::Terms => format!(
            "This server is run by {operator} and comes without warranty.\n\n\
             Whoever shows its answers to others shows the attribution line that comes with each answer. Facts that an \
             answer marks as not present are unknown to it; they are not said to be untrue.\n\n\
             Limits apply to everyone; an answer that was refused says when to ask again."
        ),
        LegalPage::Support => format!(
            "This server is run by {operator}. Questions and reports: {contact}.\n\n\
             A report is most useful with the request id of the answer it is about (meta.request_id)."
        ),
    }
}

/// Makes lines of a length that can be read, on a phone and on a desk.
const STYLE: &str =
    "<style>body{max-width:40rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 sans-serif}</style>";

/// A plain page: paragraphs of text, nothing that runs or loads.
fn html(title: &str, text: &str) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n{STYLE}\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n"
    );
    for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "<p>{}</p>", escaped(paragraph));
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operators_text_is_shown_as_text_and_never_as_markup() {
        let page = html("Privacy", "one <script>alert(1)</script> & two\n\nthree");
        assert!(
            page.contains("<p>one &lt;script&gt;alert(1)&lt;/script&gt; &amp; two</p>\n<p>three</p>"),
            "{page}"
        );
    }

    #[test]
    fn every_page_says_who_runs_the_server() {
        let legal = Legal { operator: Some("Example Ltd".to_owned()), ..Legal::default() };
        let texts = LegalTexts::load(&legal).unwrap();
        for page in LegalPage::ALL {
            assert!(texts.page(page).contains("Example Ltd"));
        }
    }
}
