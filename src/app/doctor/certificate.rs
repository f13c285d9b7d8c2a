//! The certificate: its files, its chain, its names, its end.

use super::{Fault, Findings};
use crate::app::certificate::{Worry, worries};
use crate::clock::Clock;
use crate::config::Config;
use crate::transport::{Identity, demo_certificate_in};

const PART: &str = "certificate";

pub(super) fn examine(config: &Config, clock: &Clock, found: &mut Findings) {
    let loaded = match &config.tls.files {
        Some(files) => Identity::load(&files.certificate, &files.key).map(Some),
        None => demo_certificate_in(&config.server.data_dir),
    };
    let identity = match loaded {
        Ok(Some(identity)) => identity,
        Ok(None) => {
            let text =
                "none yet; the first start makes one of its own, which clients have to be told to trust";
            return if config.server.public {
                found.warn(PART, format!("{text}; name one in [tls] for a public server"));
            } else {
                found.good(PART, text);
            };
        }
        // A start makes its own anew, whatever lies there.
        Err(error) if config.tls.files.is_none() => {
            let text =
                format!("{error}; the next start makes a new one, which clients have to be told to trust");
            return found.warn(PART, text);
        }
        Err(error) => return found.fail(PART, Fault::Here, format!("{error}; correct [tls]")),
    };
    let now = clock.utc();
    let host = config.server.public_base.authority().host();
    let bare = host.trim_matches(['[', ']']);
    let before = found.of.len();
    if !identity.names(bare) {
        let text = format!(
            "it is not one of {host}, which clients ask for; get one with that name, or correct [server] public_base"
        );
        found.fail(PART, Fault::Here, text);
    }
    for worry in worries(identity.not_before(), identity.not_after(), identity.missing_issuer(), now) {
        match worry {
            Worry::Expired(_) => found.fail(PART, Fault::Here, format!("{worry}; renew it")),
            Worry::NotYetValid(_) => {
                found.fail(PART, Fault::Here, format!("{worry}; is the clock of this machine right?"));
            }
            Worry::EndsSoon(_) | Worry::LeafOnly(_) => found.warn(PART, worry.to_string()),
        }
    }
    if let Err(why) = identity.is_linked(bare, now) {
        let text = format!(
            "the certificates of its file do not lead from one to the next ({why}); put the server's own first and its \
             issuer's after it"
        );
        found.fail(PART, Fault::Here, text);
    }
    if found.of.len() == before {
        let own = if config.tls.files.is_none() { ", made by this program itself" } else { "" };
        found.good(PART, format!("for {host}, until {}{own}", identity.not_after().date()));
    }
}
