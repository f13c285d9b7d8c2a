//! The documents beside the endpoints: for people, for builders of clients, for programs that look around.
//!
//! Decides what each of them says. It must never know anything about a request.

mod agents;
mod discovery;
mod layout;
mod vocabulary;

use bytes::Bytes;

use crate::transport::{Document, Media};

/// What the documents say about this server.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// What clients call it, without a final slash.
    pub base: &'a str,
    /// Whether it has a sign-in.
    pub has_sign_in: bool,
    /// Whether it answers from the demo catalogue.
    pub is_demo: bool,
    /// The token by which OpenAI checks who owns the name, when there is one.
    pub openai_apps_challenge: Option<&'a str>,
}

/// Every document, each with its path.
#[must_use]
pub fn documents(facts: &Facts<'_>) -> Vec<Document> {
    let mut documents = vec![
        landing(facts),
        document("/assets/site.css", Media::Style, include_str!("site/site.css").to_owned()),
        document("/assets/form.js", Media::Script, include_str!("site/form.js").to_owned()),
    ];
    documents.extend(agents::documents(facts));
    documents.extend(discovery::documents(facts));
    documents
}

fn landing(facts: &Facts<'_>) -> Document {
    let notice = if facts.is_demo {
        "This server answers from a demo catalogue: few artists, and some facts invented and marked as such."
    } else {
        "This server answers from the data service of hosaka."
    };
    let body = include_str!("site/landing.html")
        .replace("{{notice}}", notice)
        .replace("{{base}}", &layout::escaped(facts.base));
    document(
        "/",
        Media::Page,
        layout::page("hosaka music data for AI assistants", Some("/assets/form.js"), &body),
    )
}

fn document(path: &str, media: Media, body: String) -> Document {
    Document { path: path.to_owned(), media, body: Bytes::from(body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(challenge: Option<&str>) -> Vec<Document> {
        documents(&Facts {
            base: "https://mcp.example.org",
            has_sign_in: true,
            is_demo: true,
            openai_apps_challenge: challenge,
        })
    }

    #[test]
    fn every_placeholder_is_filled() {
        for document in all(Some("token")) {
            let text = String::from_utf8(document.body.to_vec()).unwrap();
            assert!(!text.contains("{{"), "{}: {text}", document.path);
        }
    }

    #[test]
    fn no_page_loads_anything_from_elsewhere_or_runs_a_script_of_its_own() {
        for document in all(None).iter().filter(|document| document.media == Media::Page) {
            let text = String::from_utf8(document.body.to_vec()).unwrap();
            for loaded in text.split(" src=\"").skip(1) {
                assert!(loaded.starts_with("/assets/"), "{}: {loaded}", document.path);
            }
            for script in text.split("<script").skip(1) {
                assert!(script.starts_with(" src=\"/assets/form.js\" defer></script>"), "{}", document.path);
            }
            assert!(!text.contains(" style=\"") && !text.contains("<style"), "{}", document.path);
            assert!(!text.contains(" onclick") && !text.contains("<img"), "{}", document.path);
        }
    }

    #[test]
    fn the_challenge_is_there_only_when_it_is_configured_and_is_the_bare_token() {
        let path = "/.well-known/openai-apps-challenge";
        let found = |challenge| all(challenge).into_iter().find(|document| document.path == path);
        assert!(found(None).is_none());
        let document = found(Some("abc-123")).unwrap();
        assert_eq!((document.media, document.body.as_ref()), (Media::Text, &b"abc-123"[..]));
    }

    #[test]
    fn no_path_is_given_twice() {
        let mut paths: Vec<String> = all(Some("x")).into_iter().map(|document| document.path).collect();
        paths.sort();
        let count = paths.len();
        paths.dedup();
        assert_eq!(paths.len(), count);
    }
}
