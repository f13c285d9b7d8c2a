//! What certificates, hosts, origins and address ranges say is read without harm, and in one spelling.

use std::net::IpAddr;

use ono_sendai::config::PublicBase;
use ono_sendai::fuzzing;
use ono_sendai::host::{Authority, Origin};
use ono_sendai::network::Network;

use crate::assert_readable;

/// Runs one input: `c` and the bytes of a certificate, or `h` and a text.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((b'c', der)) => certificate(der),
        Some((b'h', text)) => {
            if let Ok(text) = std::str::from_utf8(text) {
                host(text);
            }
        }
        _ => {}
    }
}

fn certificate(der: &[u8]) {
    let Some(read) = fuzzing::certificate(der) else { return };
    assert_eq!(fuzzing::certificate(der).as_ref(), Some(&read));
    if let Some(issuer) = &read.issuer {
        assert!(!issuer.chars().any(char::is_control), "{issuer:?}");
    }
    for name in &read.names {
        assert_eq!(&name.to_ascii_lowercase(), name);
    }
    let more = [der, &[0]].concat();
    assert_eq!(fuzzing::certificate(&more).as_ref(), Some(&read), "what follows is part of it");
}

fn host(text: &str) {
    if let Some(authority) = Authority::parse(text) {
        let shown = authority.to_string();
        assert_readable(&shown, "a host");
        assert!(!shown.contains(['/', '@', '?', '#', '\\', '%', ' ', '\n']), "{shown:?}");
        assert_eq!(Authority::parse(&shown).as_ref(), Some(&authority));
        assert_eq!(Authority::parse(&shown.to_ascii_uppercase()).as_ref(), Some(&authority));
        assert_eq!(authority.at_port(443).port(), None);
    }
    if let Some(configured) = Authority::configured(text) {
        assert_eq!(Authority::parse(&configured.to_string()), Some(configured), "{text:?}");
    }
    if let Some(origin) = Origin::parse(text) {
        assert_eq!(Origin::parse(&origin.to_string()).as_ref(), Some(&origin));
    }
    if let Some(origin) = Origin::configured(text) {
        assert_eq!(Origin::parse(&origin.to_string()), Some(origin), "{text:?}");
    }
    if let Some(network) = Network::parse(text) {
        let shown = network.to_string();
        assert_eq!(Network::parse(&shown), Some(network));
        let first: IpAddr =
            shown.split('/').next().and_then(|address| address.parse().ok()).expect("an address");
        assert!(
            network.contains(first) || first.to_canonical() != first,
            "{shown} without its first address"
        );
    }
    if let Some(base) = PublicBase::parse(text) {
        assert_eq!(PublicBase::parse(base.as_str()).as_ref(), Some(&base));
        assert_eq!(base.join("/mcp"), format!("{}/mcp", base.as_str()));
        assert!(base.as_str().starts_with("https://") && !base.as_str().ends_with('/'));
    }
}
