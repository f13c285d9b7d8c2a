//! Files that are read at a start only, so that an operator who changes one is told that it waits.
//!
//! Decides which those are. Knows nothing of what they hold.

use std::path::{Path, PathBuf};

use super::print::Print;
use crate::config::{Config, SecretSource};

/// Those of a start, as they were then.
pub(in crate::app) struct StartOnly(Vec<(&'static str, PathBuf, Print)>);

impl StartOnly {
    /// Those of this configuration, as they are now.
    pub(in crate::app) fn of(config: &Config) -> Self {
        let secret = |source: Option<&SecretSource>| match source {
            Some(SecretSource::File(path)) => Some(path.clone()),
            _ => None,
        };
        let hook = config.accounts.hook.as_ref().map(|hook| &hook.key);
        let acme = config.acme.as_ref();
        let external = acme.and_then(|acme| acme.external.as_ref()).map(|account| &account.key);
        let files = [
            ("crate.key_file", secret(config.service.key.as_ref())),
            ("crate.ca_file", config.service.ca_file.clone()),
            ("auth.ca_file", config.auth.ca_file.clone()),
            ("accounts.service_key_file", secret(hook)),
            ("acme.ca_file", acme.and_then(|acme| acme.ca_file.clone())),
            ("acme.external_account_key_file", secret(external)),
            ("legal.privacy", config.legal.privacy.clone()),
            ("legal.terms", config.legal.terms.clone()),
            ("legal.support", config.legal.support.clone()),
        ];
        let with_print = |(key, path): (&'static str, Option<PathBuf>)| {
            path.map(|path: PathBuf| (key, absolute(&path), Print::of(&path)))
        };
        Self(files.into_iter().filter_map(with_print).collect())
    }

    /// The keys of those that hold something else by now.
    pub(super) fn changed(&self) -> Vec<String> {
        let differs = |(_, path, print): &&(&str, PathBuf, Print)| Print::of(path) != *print;
        self.0.iter().filter(differs).map(|(key, ..)| (*key).to_owned()).collect()
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
