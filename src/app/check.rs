//! Whether the files that a configuration names can be used, all at once and before anything starts.
//!
//! Decides which of them are looked at: those that a start would read, and no other. Nothing is made, and nobody is
//! asked. What a credential of systemd holds can be seen by the service alone; elsewhere it is passed over.

use super::automatic;
use super::certificate;
use super::source::{self, Wrong, has_credentials};
use super::{data_service, legal, sign_in};
use crate::config::{Config, FileSource, SecretSource};

/// Who runs the server in the files that are shipped.
const EXAMPLE_OPERATOR: &str = "Example Ltd";

/// Everything that is wrong with the files of a configuration, in the order of its sections.
#[must_use]
pub fn check(config: &Config) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let is_seen = |source: &FileSource| matches!(source, FileSource::Path(_)) || has_credentials();
    for (place, files) in config.tls.pairs() {
        if is_seen(&files.certificate) && is_seen(&files.key) {
            wrong.extend(certificate::look(files, &place, config.server.public).wrong);
        }
    }
    if let Some(acme) = &config.acme {
        wrong.extend(source::certificates(acme.ca_file.as_deref(), "acme.ca_file").err());
        let external = acme.external.as_ref().filter(|account| is_seen_secret(&account.key));
        wrong.extend(external.and_then(|account| automatic::external(account).err()));
    }
    // The demo catalogue asks no data service.
    if !config.server.fixture_mode {
        if let Some(key) = config.service.key.as_ref().filter(|key| is_seen_secret(key)) {
            wrong.extend(data_service::key(key).err());
        }
        wrong.extend(source::certificates(config.service.ca_file.as_deref(), "crate.ca_file").err());
    }
    wrong.extend(source::certificates(config.auth.ca_file.as_deref(), "auth.ca_file").err());
    // Where nobody can sign in, no account service is asked.
    let hook = config.accounts.hook.as_ref().filter(|_| sign_in::is_offered(config));
    if let Some(hook) = hook.filter(|hook| is_seen_secret(&hook.key)) {
        wrong.extend(sign_in::secret(&hook.key).err());
    }
    wrong.extend(legal::wrong(&config.legal));
    wrong
}

/// What a start takes and its operator can hardly mean: a certificate for another name than clients ask for, and words of
/// the files that are shipped where a public server needs its own.
#[must_use]
pub fn careless(config: &Config) -> Vec<Wrong> {
    let mut careless = Vec::new();
    let host = config.server.public_base.authority().host().trim_matches(['[', ']']);
    let is_seen = |source: &FileSource| matches!(source, FileSource::Path(_)) || has_credentials();
    let all_seen = config.tls.pairs().all(|(_, files)| is_seen(&files.certificate) && is_seen(&files.key));
    if all_seen
        && let Ok(Some((first, more))) = certificate::load_all(config)
        && !std::iter::once(&first).chain(&more).any(|one| one.names(host))
    {
        let at = config.tls.files.as_ref().map(|files| source::key_of(&files.certificate, "tls.certificate"));
        careless.push(Wrong::at(
            &at.unwrap_or_default(),
            format!("a certificate that is not one of {host}, which clients ask for"),
            "one with that name, or another public_base under [server]",
        ));
    }
    if config.server.public {
        careless.extend(examples(config));
    }
    careless
}

/// Names that stand for others in the files that are shipped, and belong to nobody.
fn examples(config: &Config) -> impl Iterator<Item = Wrong> {
    let is_reserved = |host: &str| {
        let host = host.trim_end_matches('.');
        let names = ["example", "example.org", "example.com", "example.net"];
        names.iter().any(|name| host == *name || host.ends_with(&format!(".{name}")))
    };
    let host_of = |text: &str| {
        let host = url::Url::parse(text).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.or_else(|| text.rsplit_once('@').map(|(_, host)| host.to_owned())).unwrap_or_default()
    };
    let base = Some(("server.public_base", config.server.public_base.as_str()));
    let contact = config.legal.contact.as_ref().map(|contact| ("legal.contact", contact.as_str()));
    let issuer = config.auth.issuer.as_deref().map(|issuer| ("auth.issuer", issuer));
    let reserved = [base, issuer, contact].into_iter().flatten().filter_map(move |(place, text)| {
        let host = host_of(text);
        is_reserved(&host)
            .then(|| Wrong::at(place, format!("{host}, an example that is nobody's"), "your own"))
    });
    let operator = config.legal.operator.as_deref().filter(|operator| *operator == EXAMPLE_OPERATOR);
    reserved.chain(operator.map(|operator| {
        Wrong::at(
            "legal.operator",
            format!("\"{operator}\", the example"),
            "the name of whoever runs this server",
        )
    }))
}

fn is_seen_secret(source: &SecretSource) -> bool {
    !matches!(source, SecretSource::Credential(_)) || has_credentials()
}
