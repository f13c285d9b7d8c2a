//! What the operator decides: one TOML file, one section a file here, read once at the edge.
//!
//! Decides which keys exist, what each may hold and which combinations make sense. Every mistake of
//! a file is reported at once, with its line. Must never know what the settings are used for, open
//! a socket, or read a file other than the configuration itself.

mod accounts;
mod acme;
mod anonymous;
mod auth;
mod backup;
mod combinations;
mod crate_service;
mod deadlines;
pub(crate) mod document;
mod guard;
mod issuer;
mod keys;
mod legal;
mod located;
mod log;
mod mistake;
mod operator;
mod pages;
mod public_base;
mod reader;
mod renewal;
mod secret;
mod server;
mod source;
mod table;
mod tls;
mod transport;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub use accounts::{AccountHook, Accounts, is_service_key};
pub use acme::{Acme, ExternalAccount, external_key, is_external_key};
pub use anonymous::Anonymous;
pub use auth::Auth;
pub use backup::Backup;
pub use crate_service::{CrateService, Lifetimes, Switch, Switches, is_key};
pub use deadlines::Deadlines;
pub use guard::Guard;
pub use issuer::Issuer;
pub use legal::{Contact, Legal};
pub use located::Places;
pub use log::{Log, LogFormat, LogLevel};
pub use mistake::{ConfigErrors, Mistake};
pub use operator::{Operator, OperatorListen};
pub use pages::Pages;
pub use public_base::PublicBase;
pub use secret::Secret;
pub use server::{DATA_FOLDER, PORT, Server};
pub use source::{Credential, FileSource, SecretSource};
pub use tls::{CertificateFiles, Tls};

use crate::transport::Limits;
use document::read_file;
use reader::Reader;
use table::SECTIONS;

/// Everything an operator can set. The default is what an empty file means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `[server]`: where it listens and what it is called from outside.
    pub server: Server,
    /// `[tls]`: the certificate.
    pub tls: Tls,
    /// `[acme]`: a certificate that an authority issues by itself; `None` asks nobody.
    pub acme: Option<Acme>,
    /// `[transport]`: time and size limits of a connection.
    pub transport: Limits,
    /// `[guard]`: which hosts, origins and proxies are believed.
    pub guard: Guard,
    /// `[deadlines]`: how long a call may take.
    pub deadlines: Deadlines,
    /// `[crate]`: the data service.
    pub service: CrateService,
    /// `[anonymous]`: what callers without a token may use.
    pub anonymous: Anonymous,
    /// `[auth]`: whose tokens are accepted.
    pub auth: Auth,
    /// `[issuer]`: the built-in issuer.
    pub issuer: Issuer,
    /// `[accounts]`: what signed-in accounts may use.
    pub accounts: Accounts,
    /// `[backup]`: how often what is kept is written to a file of its own.
    pub backup: Backup,
    /// `[legal]`: who runs this server.
    pub legal: Legal,
    /// `[pages]`: what the documents beside the endpoints say.
    pub pages: Pages,
    /// `[operator]`: where operators read metrics and their page.
    pub operator: Operator,
    /// `[log]`: what is written to stderr, and how.
    pub log: Log,
}

impl Config {
    /// Reads and parses the file at `path`.
    ///
    /// # Errors
    /// Every mistake of the file, or the one reason why it cannot be read.
    pub fn load(path: &Path) -> Result<Self, ConfigErrors> {
        Self::load_located(path).map(|(config, _)| config)
    }

    /// The same with the lines of its keys, for what turns out only when the files that it names are read.
    ///
    /// # Errors
    /// As for [`Config::load`].
    pub fn load_located(path: &Path) -> Result<(Self, Places), ConfigErrors> {
        let name = path.display().to_string();
        let text = read_file(path).map_err(|mistake| ConfigErrors::new(&name, vec![mistake]))?;
        let read = Self::read(&text);
        let config = read.config.map_err(|mistakes| ConfigErrors::new(&name, mistakes))?;
        Ok((config, Places::new(&name, read.lines)))
    }

    /// Parses `text`; `name` is what the file is called in messages.
    ///
    /// # Errors
    /// Every mistake in `text`: syntax, unknown sections and keys, wrong types, values out of range
    /// and combinations that make no sense.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigErrors> {
        Self::read(text).config.map_err(|mistakes| ConfigErrors::new(name, mistakes))
    }

    /// The file that is shipped: every key at its default, with a comment.
    #[must_use]
    pub fn shipped() -> String {
        table::shipped(&SECTIONS)
    }

    /// Every key with its default, what it accepts, whether a running server takes it anew, and what it means, as tables
    /// of a page.
    #[must_use]
    pub fn reference() -> String {
        let known = Self::read("").keys;
        let accepted =
            |section: &str, key: &str| known.get(&format!("{section}.{key}")).cloned().unwrap_or_default();
        table::reference(&SECTIONS, accepted)
    }

    /// What `ono-sendai demo` runs with: fixture mode, and on this machine alone limits for one person.
    #[must_use]
    pub fn demo(listen: SocketAddr, data_dir: PathBuf) -> Self {
        let others_can_reach_it = !listen.ip().to_canonical().is_loopback();
        Self {
            server: Server {
                listen,
                public_base: PublicBase::localhost(listen.port()),
                public: false,
                fixture_mode: true,
                data_dir,
            },
            anonymous: if others_can_reach_it { Anonymous::default() } else { Anonymous::ONE_PERSON },
            issuer: Issuer { enabled: true, ..Issuer::default() },
            accounts: if others_can_reach_it { Accounts::default() } else { Accounts::ONE_PERSON },
            ..Self::default()
        }
    }

    fn read(text: &str) -> Read {
        let (parsed, syntax) = document::parse(text);
        let mut reader = Reader::new(text, parsed.get_ref(), syntax);
        let config = Self {
            server: reader.section("server", Server::read),
            tls: reader.section("tls", Tls::read),
            acme: reader.section("acme", Acme::read),
            transport: reader.section("transport", transport::read),
            guard: reader.section("guard", Guard::read),
            deadlines: reader.section("deadlines", Deadlines::read),
            service: reader.section("crate", CrateService::read),
            anonymous: reader.section("anonymous", Anonymous::read),
            auth: reader.section("auth", Auth::read),
            issuer: reader.section("issuer", Issuer::read),
            accounts: reader.section("accounts", Accounts::read),
            backup: reader.section("backup", Backup::read),
            legal: reader.section("legal", Legal::read),
            pages: reader.section("pages", Pages::read),
            operator: reader.section("operator", Operator::read),
            log: reader.section("log", Log::read),
        };
        combinations::refuse(&config, &mut reader);
        let (keys, lines) = (reader.known_keys(), reader.lines_of_keys());
        let mistakes = reader.finish();
        Read { config: if mistakes.is_empty() { Ok(config) } else { Err(mistakes) }, keys, lines }
    }

    /// Whether the server shows a certificate that is not made by itself.
    #[must_use]
    pub fn has_own_certificate(&self) -> bool {
        self.tls.files.is_some() || self.acme.is_some()
    }
}

/// What reading a file gave.
struct Read {
    config: Result<Config, Vec<Mistake>>,
    /// Every `section.key` there is, with what it accepts.
    keys: BTreeMap<String, String>,
    /// The line of each that the file holds.
    lines: BTreeMap<String, usize>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SHIPPED: &str = include_str!("../config/ono-sendai.toml");
    const DEMO: &str = include_str!("../config/demo.toml");

    fn keys_of(text: &str) -> BTreeSet<String> {
        let table: toml::Table = text.parse().unwrap();
        table
            .iter()
            .flat_map(|(section, keys)| {
                keys.as_table().unwrap().keys().map(move |key| format!("{section}.{key}"))
            })
            .collect()
    }

    #[test]
    fn the_shipped_file_is_the_default() {
        assert_eq!(Config::parse("config/ono-sendai.toml", SHIPPED).unwrap(), Config::default());
    }

    #[test]
    fn the_shipped_file_is_made_of_the_table_of_keys() {
        assert!(
            SHIPPED == Config::shipped(),
            "write it anew: ONO_DOCS=write cargo test --test it docs::config"
        );
    }

    #[test]
    fn the_table_holds_every_key_and_no_other() {
        let known: BTreeSet<String> = Config::read("").keys.into_keys().collect();
        let listed: BTreeSet<String> = SECTIONS
            .iter()
            .flat_map(|section| section.keys.iter().map(|key| format!("{}.{}", section.name, key.name)))
            .collect();
        assert_eq!(listed, known);
    }

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(Config::parse("empty", "").unwrap(), Config::default());
    }

    #[test]
    fn the_shipped_file_holds_every_key_and_no_other() {
        let known: BTreeSet<String> = Config::read("").keys.into_keys().collect();
        assert!(known.len() >= 80, "{known:?}");
        assert_eq!(keys_of(SHIPPED), known);
    }

    #[test]
    fn every_key_of_the_shipped_file_is_explained_above_it() {
        let lines: Vec<&str> = SHIPPED.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            if line.contains(" = ") && !line.starts_with('#') {
                assert!(lines[at - 1].starts_with("# "), "no comment above {line:?}");
            }
        }
    }

    #[test]
    fn the_demo_file_is_what_demo_runs_with() {
        let demo = Config::demo(Server::default().listen, PathBuf::from(DATA_FOLDER));
        assert_eq!(Config::parse("config/demo.toml", DEMO).unwrap(), demo);
    }

    #[test]
    fn a_demo_that_others_can_reach_keeps_the_ordinary_limits() {
        for (listen, generous) in [
            ("127.0.0.1:8443", true),
            ("127.0.0.9:1", true),
            ("[::1]:8443", true),
            ("[::ffff:127.0.0.1]:8443", true),
            ("0.0.0.0:8443", false),
            ("[::]:8443", false),
            ("192.0.2.7:8443", false),
        ] {
            let anonymous = Config::demo(listen.parse().unwrap(), PathBuf::from(DATA_FOLDER)).anonymous;
            assert_eq!(anonymous != Anonymous::default(), generous, "{listen}");
        }
    }

    #[test]
    fn what_is_read_without_complaint_can_be_served() {
        for hosts in ["example..org", ".example.org", "exam!ple.org", "-", "[::1"] {
            let text = format!("[guard]\nextra_hosts = [\"{hosts}\"]\n");
            let readable = crate::host::Authority::parse(hosts).is_some();
            assert_eq!(Config::parse("c", &text).is_ok(), readable, "{hosts}");
        }
        for origin in ["https://example..org", "https://exam!ple.org"] {
            let text = format!("[guard]\nextra_origins = [\"{origin}\"]\n");
            assert!(Config::parse("c", &text).is_err(), "{origin}");
        }
    }

    #[test]
    fn a_faulty_value_brings_no_second_complaint_about_its_combination() {
        let errors = Config::parse("c", "[deadlines]\ncall_ms = 20000\ntool_ms = \"12 s\"\n").unwrap_err();
        assert_eq!(errors.mistakes().len(), 1, "{errors}");
    }

    #[test]
    fn a_document_nested_without_end_is_refused() {
        for open in ["[", "{a=", "[[", "a."] {
            let text = format!("[guard]\nextra_hosts = {}", open.repeat(100_000));
            assert!(Config::parse("c", &text).is_err(), "{open}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_mangled_file_is_read_or_refused_line_by_line(
            at in 0..SHIPPED.len(),
            removed in 0_usize..40,
            added in "[\\PC\n\"\\[\\]={}.]{0,12}",
        ) {
            let text = SHIPPED.get(..at).unwrap_or_default().to_owned()
                + &added
                + SHIPPED.get((at + removed).min(SHIPPED.len())..).unwrap_or_default();
            if let Err(errors) = Config::parse("c", &text) {
                proptest::prop_assert!(!errors.mistakes().is_empty());
                for mistake in errors.mistakes() {
                    let line = mistake.line.unwrap_or_default();
                    proptest::prop_assert!((1..=text.lines().count() + 1).contains(&line), "{mistake:?}");
                    proptest::prop_assert!(!mistake.message.contains('\n'), "{mistake:?}");
                }
                proptest::prop_assert_eq!(errors.to_string().lines().count(), errors.mistakes().len());
            }
        }
    }
}
