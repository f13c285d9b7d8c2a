//! The certificates: their files, their chains, their names, their ends.
//!
//! Decides nothing about one part of a pair from what is wrong with another: a key that cannot be used hides no certificate
//! that has expired.

use time::OffsetDateTime;

use super::{Fault, Findings, automatic};
use crate::app::certificate::{Looked, Worry, look, which, worries};
use crate::clock::Clock;
use crate::config::Config;
use crate::transport::{Chain, demo_certificate_in};

const PART: &str = "certificate";

pub(super) fn examine(config: &Config, clock: &Clock, found: &mut Findings) {
    if let Some(acme) = &config.acme {
        return automatic::examine(config, acme, clock, found);
    }
    let before = found.of.len();
    let looked: Vec<Looked> =
        config.tls.pairs().map(|(place, files)| look(files, &place, config.server.public)).collect();
    let mut chains = Vec::new();
    for Looked { chain, wrong, .. } in looked {
        for wrong in wrong {
            found.fail(PART, Fault::Here, wrong.to_string());
        }
        chains.push(chain);
    }
    if config.tls.files.is_none() {
        match demo_certificate_in(&config.server.data_dir) {
            Ok(Some(made)) => chains.push(Some(made.chain().clone())),
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
            Err(error) => {
                let text = format!(
                    "{error}; the next start makes a new one, which clients have to be told to trust"
                );
                return found.warn(PART, text);
            }
        }
    }
    let now = clock.utc();
    let host = config.server.public_base.authority().host();
    let bare = host.trim_matches(['[', ']']);
    let readable = || chains.iter().flatten();
    // Of one that cannot be read nobody knows the names.
    if readable().count() == chains.len() && !readable().any(|one| one.names(bare)) {
        let text = format!(
            "it is not one of {host}, which clients ask for; get one with that name, or correct [server] public_base"
        );
        found.fail(PART, Fault::Here, text);
    }
    for (index, chain) in chains.iter().enumerate() {
        if let Some(chain) = chain {
            one(&which(index, chains.len()), chain, bare, now, found);
        }
    }
    if let Some(first) = readable().next()
        && found.of.len() == before
    {
        let own = if config.tls.files.is_none() { ", made by this program itself" } else { "" };
        let further =
            if chains.len() > 1 { format!(" and {} more", chains.len() - 1) } else { String::new() };
        found.good(PART, format!("for {host}{further}, until {}{own}", first.not_after().date()));
    }
}

/// What there is to say about one certificate, whatever its names are.
fn one(which: &str, chain: &Chain, host: &str, now: OffsetDateTime, found: &mut Findings) {
    if let Err(why) = chain.is_linked(host, now) {
        let text = if why.contains("CaUsedAsEndEntity") {
            format!(
                "{which}the first certificate of its file is that of an issuer (CA:TRUE), which clients refuse for a \
                 server; make one that is not (CA:FALSE), as docs/config.md shows"
            )
        } else {
            format!(
                "{which}the certificates of its file do not lead from one to the next ({why}); put the server's own \
                 first and its issuer's after it"
            )
        };
        found.fail(PART, Fault::Here, text);
    }
    for worry in worries(chain.not_before(), chain.not_after(), chain.missing_issuer(), now) {
        match worry {
            Worry::Expired(_) => found.fail(PART, Fault::Here, format!("{which}{worry}; renew it")),
            Worry::NotYetValid(_) => {
                found.fail(PART, Fault::Here, format!("{which}{worry}; is the clock of this machine right?"));
            }
            Worry::EndsSoon(_) | Worry::LeafOnly(_) => found.warn(PART, format!("{which}{worry}")),
        }
    }
}
