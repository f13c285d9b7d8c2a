//! Which part of a configuration a running server takes anew.

use super::{Config, Log};

impl Config {
    /// This configuration with those keys of `newer` that a running server takes.
    #[must_use]
    pub fn renewed(&self, newer: &Self) -> Self {
        // From files to an authority and back it is a start.
        let is_automatic = self.acme.is_some() || newer.acme.is_some();
        Self {
            tls: if is_automatic { self.tls.clone() } else { newer.tls.clone() },
            guard: newer.guard.clone(),
            log: Log { level: newer.log.level, ..self.log.clone() },
            ..self.clone()
        }
    }

    /// The sections in which `newer` has values that wait for the next start.
    #[must_use]
    pub fn waits_for_start(&self, newer: &Self) -> Vec<&'static str> {
        let taken = self.renewed(newer);
        [
            ("server", taken.server != newer.server),
            ("tls", taken.tls != newer.tls),
            ("acme", taken.acme != newer.acme),
            ("transport", taken.transport != newer.transport),
            ("guard", taken.guard != newer.guard),
            ("deadlines", taken.deadlines != newer.deadlines),
            ("crate", taken.service != newer.service),
            ("anonymous", taken.anonymous != newer.anonymous),
            ("auth", taken.auth != newer.auth),
            ("issuer", taken.issuer != newer.issuer),
            ("accounts", taken.accounts != newer.accounts),
            ("backup", taken.backup != newer.backup),
            ("legal", taken.legal != newer.legal),
            ("pages", taken.pages != newer.pages),
            ("operator", taken.operator != newer.operator),
            ("log", taken.log != newer.log),
        ]
        .into_iter()
        .filter_map(|(section, waits)| waits.then_some(section))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, SECTIONS};

    /// Values of every kind; for each key there is one that it takes.
    const VALUES: &[&str] = &[
        "true",
        "false",
        "7",
        "3",
        "31",
        "7000",
        "20000",
        "\"127.0.0.1:1\"",
        "\"https://mcp.example.org\"",
        "\"on\"",
        "\"json\"",
        "\"debug\"",
        "[\"ES256\"]",
        "[\"10.0.0.5\"]",
        "[\"https://app.example.org\"]",
        "\"elsewhere\"",
        "\"me@example.org\"",
    ];
    /// Keys that mean nothing without others, with those.
    const TOGETHER: &[(&str, &str)] = &[
        ("tls.certificate", "certificate = \"c\"\nkey = \"k\""),
        ("tls.certificate_credential", "certificate_credential = \"c\"\nkey = \"k\""),
        ("tls.key", "certificate = \"c\"\nkey = \"k2\""),
        ("tls.key_credential", "certificate = \"c\"\nkey_credential = \"k\""),
        ("tls.more", "certificate = \"c\"\nkey = \"k\"\nmore = [{ certificate = \"d\", key = \"l\" }]"),
        ("auth.jwks_uri", "issuer = \"https://a.example.org\"\njwks_uri = \"https://a.example.org/jwks\""),
        ("accounts.mode", HOOKED),
        ("accounts.service_url", HOOKED),
        ("accounts.service_key", HOOKED),
        (
            "accounts.service_key_file",
            "mode = \"hooked\"\nservice_url = \"https://a.example.org\"\nservice_key_file = \"f\"",
        ),
        (
            "accounts.service_key_credential",
            "mode = \"hooked\"\nservice_url = \"https://a.example.org\"\nservice_key_credential = \"c\"",
        ),
        (
            "accounts.service_cache_s",
            "mode = \"hooked\"\nservice_url = \"https://a.example.org\"\nservice_key_file = \"f\"\nservice_cache_s = 7",
        ),
    ];
    const HOOKED: &str = "mode = \"hooked\"\nservice_url = \"https://a.example.org\"\nservice_key = \"0123456789abcdef0123456789abcdef\"";

    /// A configuration that differs from the default at this key.
    fn with_another(section: &str, key: &str) -> Config {
        let place = format!("{section}.{key}");
        let written = TOGETHER.iter().find(|(of, _)| *of == place).map(|(_, text)| (*text).to_owned());
        let lines = written.into_iter().chain(VALUES.iter().map(|value| format!("{key} = {value}")));
        lines
            .filter_map(|lines| Config::parse("c", &format!("[{section}]\n{lines}\n")).ok())
            .find(|config| *config != Config::default())
            .unwrap_or_else(|| panic!("no other value for {place}"))
    }

    #[test]
    fn what_the_table_says_is_taken_anew_is_taken_and_everything_else_waits() {
        let running = Config::default();
        for section in &SECTIONS {
            for key in section.keys {
                // What needs more than one section cannot be told from the keys of the others here.
                if (section.name, key.name) == ("server", "public")
                    || (section.name, key.name) == ("server", "fixture_mode")
                    || section.name == "acme"
                {
                    continue;
                }
                let newer = with_another(section.name, key.name);
                let place = format!("{}.{}", section.name, key.name);
                let waits = running.waits_for_start(&newer);
                if key.reloads {
                    assert_eq!((running.renewed(&newer), waits), (newer, Vec::new()), "{place}");
                } else {
                    assert_eq!(
                        (running.renewed(&newer), waits),
                        (running.clone(), vec![section.name]),
                        "{place}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_automatic_certificate_and_one_of_files_take_each_others_place_at_a_start() {
        const BASE: &str = "[server]\nfixture_mode = false\npublic_base = \"https://a.example.org\"\n[crate]\nkey = \"ck_test_1\"\n";
        let of = |rest: &str| Config::parse("c", &format!("{BASE}{rest}")).unwrap();
        let files = of("[tls]\ncertificate = \"c\"\nkey = \"k\"\n");
        let automatic = of("[acme]\nnames = [\"a.example.org\"]\nagree_to_terms = true\n");
        let more = of("[acme]\nnames = [\"a.example.org\", \"b.example.org\"]\nagree_to_terms = true\n");
        for (running, newer, waits) in [
            (&files, &automatic, vec!["tls", "acme"]),
            (&automatic, &files, vec!["tls", "acme"]),
            (&automatic, &more, vec!["acme"]),
        ] {
            assert_eq!((running.renewed(newer), running.waits_for_start(newer)), (running.clone(), waits));
        }
    }
}
