//! Whether what an authority issued can take the place of the certificate before.
//!
//! Decides what a client would not accept, so that the last good one stays. Knows nothing of files, nor of how it was had.

use time::{Duration, OffsetDateTime};

use crate::transport::Identity;

/// How far this machine's clock may be behind the authority's.
const AHEAD_MAX: Duration = Duration::hours(1);

/// Whether a certificate that was issued is one for these names, now, and one that clients accept.
pub(super) fn is_fit(new: &Identity, names: &[String], at: OffsetDateTime) -> Result<(), String> {
    if let Some(name) = names.iter().find(|name| !new.names(name)) {
        return Err(format!("the authority issued a certificate that is not one of {name}"));
    }
    if new.not_after() <= at {
        return Err(format!(
            "the authority issued a certificate that expired on {}; is the clock of this machine right?",
            new.not_after().date()
        ));
    }
    if new.not_before() > at + AHEAD_MAX {
        return Err(format!(
            "the authority issued a certificate that is not valid before {}; is the clock of this machine right?",
            new.not_before().date()
        ));
    }
    if let Some(why) = new.chain().not_for_a_server() {
        return Err(format!("the authority issued a certificate that no client accepts: {why}"));
    }
    let name = names.first().map_or("", String::as_str);
    match new.chain().is_linked(name, at) {
        // Signed in a way that this program cannot check, and others can.
        Err(why) if why.contains("UnsupportedSignatureAlgorithm") => Ok(()),
        linked => linked.map_err(|why| format!("the authority issued a chain that no client accepts: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rcgen::{
        BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
        KeyUsagePurpose,
    };
    use time::macros::datetime;

    use super::*;
    use crate::transport::{Chain, Key};

    const NOW: OffsetDateTime = datetime!(2027-01-31 12:00 UTC);
    const NAME: &str = "mcp.example.org";

    /// What an authority issues, changed, with the authority's own certificate or another after it.
    fn issued(change: impl Fn(&mut CertificateParams), after: impl Fn(&str) -> String) -> Result<(), String> {
        let authority = |name: &str| {
            let mut params = CertificateParams::new(Vec::new()).unwrap();
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.distinguished_name.push(DnType::CommonName, name);
            params
        };
        let (own, own_key) = (authority("one"), KeyPair::generate().unwrap());
        let pem = own.self_signed(&own_key).unwrap().pem();
        let mut params = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "a server");
        (params.not_before, params.not_after) = (NOW - Duration::days(1), NOW + Duration::days(89));
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let leaf = params.signed_by(&key, &Issuer::new(own, own_key)).unwrap().pem();
        let folder = tempfile(&(leaf + &after(&pem)), &key.serialize_pem());
        let (chain, key) = (folder.join("chain"), folder.join("key"));
        let identity = Identity::of(Chain::load(&chain).unwrap(), &chain, Key::load(&key).unwrap()).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        is_fit(&identity, &[NAME.to_owned()], NOW)
    }

    fn tempfile(chain: &str, key: &str) -> std::path::PathBuf {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("ono-sendai-fit-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder: &Path = &std::env::temp_dir().join(name);
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("chain"), chain).unwrap();
        std::fs::write(folder.join("key"), key).unwrap();
        folder.to_owned()
    }

    #[test]
    fn only_what_clients_accept_takes_the_place_of_a_good_certificate() {
        let own = |pem: &str| pem.to_owned();
        let alone = |_: &str| String::new();
        let same = |_: &mut CertificateParams| {};
        for good in [own as fn(&str) -> String, alone] {
            assert_eq!(issued(same, good), Ok(()));
            let for_servers = |params: &mut CertificateParams| {
                params.is_ca = IsCa::ExplicitNoCa;
                params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
                params.extended_key_usages =
                    vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
                // An authority's clock may be a little ahead.
                params.not_before = NOW + Duration::minutes(30);
            };
            assert_eq!(issued(for_servers, good), Ok(()));
        }
        let refused = |change: fn(&mut CertificateParams), after: fn(&str) -> String, wanted: &str| {
            let why = issued(change, after).unwrap_err();
            assert!(why.contains(wanted), "{why}");
        };
        for after in [own as fn(&str) -> String, alone] {
            refused(
                |params| params.not_before = NOW + Duration::days(2),
                after,
                "is not valid before 2027-02-02",
            );
            refused(|params| params.not_after = NOW, after, "expired on 2027-01-31");
            refused(
                |params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
                after,
                "issues others",
            );
            refused(
                |params| params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0)),
                after,
                "issues others",
            );
            refused(
                |params| {
                    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign]
                },
                after,
                "issues others",
            );
            refused(
                |params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth],
                after,
                "other purposes",
            );
            refused(
                |params| {
                    params.subject_alt_names =
                        vec![rcgen::SanType::DnsName("other.example".try_into().unwrap())]
                },
                after,
                "not one of mcp.example.org",
            );
        }
        // One of the same name that did not sign it, one of another name, and the right one before a stranger.
        let stranger = || {
            let mut params = CertificateParams::new(Vec::new()).unwrap();
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.distinguished_name.push(DnType::CommonName, "one");
            params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
        };
        for after in [stranger(), stranger().repeat(3)] {
            let why = issued(same, |_| after.clone()).unwrap_err();
            assert!(why.contains("a chain that no client accepts"), "{why}");
        }
        let why = issued(same, |pem| pem.to_owned() + &stranger()).unwrap_err();
        assert!(why.contains("a chain that no client accepts"), "{why}");
    }
}
