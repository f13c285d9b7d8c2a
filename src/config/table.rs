//! The table of keys, and what is made of it: the file that is shipped and the tables of docs/config.md.
//!
//! Decides how a key is written down for people. Must never know what reading a value means; what is accepted it is
//! told by the section that reads it.

use std::fmt::Write as _;

use super::{
    accounts, acme, anonymous, auth, backup, crate_service, deadlines, guard, issuer, legal, log, operator,
    pages, server, tls, transport,
};

/// A comment line of the shipped file is no longer, in characters.
const COMMENT_CHARS: usize = 108;

/// What stands above the first section of the shipped file.
const ABOUT_THE_FILE: &str = "\
The configuration of ono-sendai: every key, at its default. A key that you leave out has the value shown here. Check \
your copy with `ono-sendai check-config FILE`; run it with `ono-sendai serve --config FILE`. docs/config.md says what \
each key accepts and which of them a running server takes anew.
A relative path starts at the folder in which the program is started. \"\" means \"not set\".";

/// Every section, in the order in which people are shown them.
pub(super) const SECTIONS: [Section; 16] = [
    Section {
        name: "server",
        about: "Where it listens, what it is called from outside, where it keeps its state.",
        keys: server::KEYS,
    },
    Section { name: "tls", about: "The certificates that the server shows.", keys: tls::KEYS },
    Section {
        name: "acme",
        about: "A certificate that an authority issues and renews by itself, in the place of one under `[tls]`.",
        keys: acme::KEYS,
    },
    Section {
        name: "transport",
        about: "How long and how large a connection may be before it is cut off.",
        keys: transport::KEYS,
    },
    Section {
        name: "guard",
        about: "Which hosts, origins and proxies are believed beside `public_base`.",
        keys: guard::KEYS,
    },
    Section {
        name: "deadlines",
        about: "How long a call may take before the answer says so.",
        keys: deadlines::KEYS,
    },
    Section {
        name: "crate",
        about: "The data service, the key for it, and what the key's plan allows.",
        keys: crate_service::KEYS,
    },
    Section { name: "anonymous", about: "What callers without a token may use.", keys: anonymous::KEYS },
    Section { name: "auth", about: "Whose tokens are accepted.", keys: auth::KEYS },
    Section { name: "issuer", about: "The built-in issuer for demos and tests.", keys: issuer::KEYS },
    Section { name: "accounts", about: "What signed-in accounts may use.", keys: accounts::KEYS },
    Section {
        name: "backup",
        about: "How often everything that is kept is written to a file of its own.",
        keys: backup::KEYS,
    },
    Section {
        name: "legal",
        about: "Who runs this server, and the texts that it publishes about that.",
        keys: legal::KEYS,
    },
    Section { name: "pages", about: "What the documents beside the endpoints say.", keys: pages::KEYS },
    Section { name: "operator", about: "Where operators read metrics and their page.", keys: operator::KEYS },
    Section { name: "log", about: "What is written to stderr, and in which form.", keys: log::KEYS },
];

/// One section, for people.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// Its name.
    pub(super) name: &'static str,
    /// What it is about.
    pub(super) about: &'static str,
    /// Its keys, in the order in which they are shown.
    pub(super) keys: &'static [Key],
}

/// One key, for people.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Its name.
    pub(super) name: &'static str,
    /// The value that it has when it is left out, as it is written in a file.
    pub(super) default: &'static str,
    /// What it means.
    pub(super) meaning: &'static str,
    /// Whether a running server takes a new value.
    pub(super) reloads: bool,
}

impl Key {
    /// A key whose value is that of the start.
    pub(super) const fn new(name: &'static str, default: &'static str, meaning: &'static str) -> Self {
        Self { name, default, meaning, reloads: false }
    }

    /// The same as one that a running server takes anew.
    pub(super) const fn reloads(self) -> Self {
        Self { reloads: true, ..self }
    }
}

/// The file with every key at its default.
pub(super) fn shipped(sections: &[Section]) -> String {
    let mut file = String::new();
    for paragraph in ABOUT_THE_FILE.lines() {
        comment(&mut file, paragraph);
    }
    for section in sections {
        // Writing to a String cannot fail.
        let _ = writeln!(file, "\n[{}]", section.name);
        for key in section.keys {
            comment(&mut file, key.meaning);
            let _ = writeln!(file, "{} = {}", key.name, key.default);
        }
    }
    file
}

/// A table for each section; `accepted` says what a key of a section takes.
pub(super) fn reference(sections: &[Section], accepted: impl Fn(&str, &str) -> String) -> String {
    let mut page = String::new();
    for Section { name, about, keys } in sections {
        let _ = writeln!(page, "### `[{name}]`\n\n{about}\n");
        let _ = writeln!(page, "| key | default | accepted | taken anew | meaning |\n|---|---|---|---|---|");
        for key in *keys {
            let _ = writeln!(
                page,
                "| `{}` | `{}` | {} | {} | {} |",
                key.name,
                key.default,
                cell(&accepted(name, key.name)),
                if key.reloads { "yes" } else { "at a start" },
                cell(key.meaning)
            );
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

/// Text as a cell of a table may hold it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn comment(file: &mut String, text: &str) {
    let mut line = "#".to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > COMMENT_CHARS {
            file.push_str(&line);
            file.push('\n');
            line = "#".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    file.push_str(&line);
    file.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_broken_between_words_only() {
        let mut file = String::new();
        comment(&mut file, &"four ".repeat(60));
        assert!(file.lines().count() > 2);
        for line in file.lines() {
            assert!(line.chars().count() <= COMMENT_CHARS && line.starts_with("# four"), "{line}");
        }
        assert_eq!(file.matches("four").count(), 60);
    }

    #[test]
    fn a_cell_holds_no_mark_that_ends_it() {
        assert_eq!(cell("a|b <c>"), "a\\|b &lt;c>");
    }
}
