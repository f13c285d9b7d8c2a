//! Whether the files that a configuration names can be used, all at once and before anything starts.
//!
//! Decides which of them are looked at: those that a start would read, and no other. Nothing is made, and nobody is
//! asked. What a credential of systemd holds can be seen by the service alone; elsewhere it is passed over.

use super::certificate;
use super::source::{self, Wrong, has_credentials};
use super::{data_service, legal, sign_in};
use crate::config::{Config, FileSource, SecretSource};

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

fn is_seen_secret(source: &SecretSource) -> bool {
    !matches!(source, SecretSource::Credential(_)) || has_credentials()
}
