//! The few things we need to see inside a certificate: whose it is, for which hosts, who signed it, how long it lasts.
//!
//! Reads the outer shape of X.509 and nothing more; it verifies nothing.

use std::net::IpAddr;

use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime};

/// The readable part of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The issuer's name, encoded.
    pub(crate) issuer: Vec<u8>,
    /// The subject's name, encoded.
    pub(crate) subject: Vec<u8>,
    /// From when it is valid.
    pub(crate) not_before: OffsetDateTime,
    /// Until when it is valid.
    pub(crate) not_after: OffsetDateTime,
    /// The hosts that it is for, names in lower case and addresses; none where they cannot be read.
    pub(crate) names: Vec<String>,
    /// What its serial number is encoded as.
    pub(super) serial: Vec<u8>,
    /// Which key of its issuer signed it, where it says so.
    pub(super) issuer_key: Option<Vec<u8>>,
    /// Whether it says that it may issue others: as an authority, or by what its key may be used for.
    pub(super) may_issue: bool,
    /// Whether a server may use it, as far as it says what it is for.
    pub(super) may_serve: bool,
}

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const EXTENSIONS: u8 = 0xa3;
const OCTETS: u8 = 0x04;
/// The content of the object identifier 2.5.29.17.
const OTHER_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
/// The content of the object identifier 2.5.29.35, and the tag of the only part of that extension that is read.
const ISSUER_KEY: &[u8] = &[0x55, 0x1d, 0x23];
const KEY_IDENTIFIER: u8 = 0x80;
/// The content of the object identifier 2.5.29.19, and what stands in it for yes.
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const BOOLEAN: u8 = 0x01;
/// The content of the object identifier 2.5.29.15, and its bit `keyCertSign`.
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
const SIGNS_CERTIFICATES: u8 = 0x04;
/// The content of the object identifiers 2.5.29.37, 1.3.6.1.5.5.7.3.1 (a server) and 2.5.29.37.0 (everything).
const PURPOSES: &[u8] = &[0x55, 0x1d, 0x25];
const SERVING: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const EVERYTHING: &[u8] = &[0x55, 0x1d, 0x25, 0x00];
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;
/// The object identifier 2.5.4.3.
const COMMON_NAME: &[u8] = &[0x06, 0x03, 0x55, 0x04, 0x03];

impl Facts {
    /// `None` when the bytes are not a certificate.
    pub(crate) fn read(der: &[u8]) -> Option<Self> {
        let (tag, certificate, _) = element(der)?;
        let (inner_tag, mut rest, _) = element(certificate)?;
        if tag != SEQUENCE || inner_tag != SEQUENCE {
            return None;
        }
        if rest.first() == Some(&VERSION) {
            rest = element(rest)?.2;
        }
        let (_, serial, rest) = element(rest)?;
        let (_algorithm, rest) = skip(rest)?;
        let (_, issuer, rest) = element(rest)?;
        let (_, validity, rest) = element(rest)?;
        let (_, subject, rest) = element(rest)?;
        let (tag, not_before, after) = element(validity)?;
        let not_before = moment(tag, not_before)?;
        let (tag, not_after, _) = element(after)?;
        let not_after = moment(tag, not_after)?;
        let names = names(rest).unwrap_or_default();
        let issuer_key = extension(rest, ISSUER_KEY).and_then(|all| {
            let (_, all, _) = element(all)?;
            elements(all).find(|(tag, _)| *tag == KEY_IDENTIFIER).map(|(_, key)| key.to_vec())
        });
        Some(Self {
            issuer: issuer.to_vec(),
            subject: subject.to_vec(),
            not_before,
            not_after,
            names,
            serial: serial.to_vec(),
            issuer_key,
            may_issue: may_issue(rest),
            may_serve: may_serve(rest),
        })
    }

    /// Whether it names itself as its issuer.
    pub(crate) fn is_self_issued(&self) -> bool {
        self.issuer == self.subject
    }

    /// The issuer's common name, for people; control characters are escaped.
    pub(crate) fn issuer_name(&self) -> Option<String> {
        let start = self.issuer.windows(COMMON_NAME.len()).position(|window| window == COMMON_NAME)?;
        let (_, name, _) = element(self.issuer.get(start + COMMON_NAME.len()..)?)?;
        Some(String::from_utf8_lossy(name).chars().take(64).flat_map(char::escape_debug).collect())
    }
}

/// The hosts in what follows the subject; of each extension only the one that names them is looked into.
fn names(after_subject: &[u8]) -> Option<Vec<String>> {
    let (_, named, _) = element(extension(after_subject, OTHER_NAMES)?)?;
    let host = |(tag, content): (u8, &[u8])| match tag {
        DNS_NAME => std::str::from_utf8(content).ok().map(str::to_ascii_lowercase),
        IP_ADDRESS => <[u8; 4]>::try_from(content)
            .map(IpAddr::from)
            .or_else(|_| <[u8; 16]>::try_from(content).map(IpAddr::from))
            .ok()
            .map(|address| address.to_string()),
        _ => None,
    };
    Some(elements(named).filter_map(host).collect())
}

fn may_issue(after_subject: &[u8]) -> bool {
    let is_authority = || {
        let (_, constraints, _) = element(extension(after_subject, BASIC_CONSTRAINTS)?)?;
        let (tag, yes, _) = element(constraints)?;
        Some(tag == BOOLEAN && yes.iter().any(|byte| *byte != 0))
    };
    let signs = || {
        // How many bits are not used comes before them.
        let (_, bits, _) = element(extension(after_subject, KEY_USAGE)?)?;
        Some(bits.get(1)? & SIGNS_CERTIFICATES != 0)
    };
    is_authority().unwrap_or(false) || signs().unwrap_or(false)
}

fn may_serve(after_subject: &[u8]) -> bool {
    let Some(purposes) = extension(after_subject, PURPOSES) else { return true };
    let all = element(purposes).map(|(_, all, _)| all).unwrap_or_default();
    elements(all).any(|(_, purpose)| [SERVING, EVERYTHING].contains(&purpose))
}

/// The value of an extension in what follows the subject.
fn extension<'a>(after_subject: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let all = elements(after_subject).find(|(tag, _)| *tag == EXTENSIONS)?.1;
    let (_, all, _) = element(all)?;
    elements(all).find_map(|(_, extension)| {
        let (_, id, rest) = element(extension)?;
        let (_, octets) = elements(rest).find(|(tag, _)| *tag == OCTETS)?;
        (id == wanted).then_some(octets)
    })
}

/// One after the other, up to the first that is none.
fn elements(bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut left = bytes;
    std::iter::from_fn(move || {
        let (tag, content, rest) = element(left)?;
        left = rest;
        Some((tag, content))
    })
}

/// Tag, content and what follows.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if digits.is_empty() || digits.len() > 4 {
            return None;
        }
        (digits.iter().fold(0, |sum, digit| (sum << 8) | usize::from(*digit)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

fn skip(bytes: &[u8]) -> Option<((), &[u8])> {
    element(bytes).map(|(_, _, rest)| ((), rest))
}

fn moment(tag: u8, digits: &[u8]) -> Option<OffsetDateTime> {
    const FORM: &[BorrowedFormatItem<'_>] = format_description!("[year][month][day][hour][minute][second]Z");
    let digits = std::str::from_utf8(digits).ok()?;
    let full = match tag {
        // Two digits of the year: up to 49 means this century.
        UTC_TIME => {
            let century = if digits.get(..2)?.parse::<u8>().ok()? < 50 { "20" } else { "19" };
            format!("{century}{digits}")
        }
        GENERALIZED_TIME => digits.to_owned(),
        _ => return None,
    };
    PrimitiveDateTime::parse(&full, FORM).ok().map(PrimitiveDateTime::assume_utc)
}

#[cfg(test)]
mod tests {
    use super::Facts;
    use proptest::prelude::*;
    use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
    use time::macros::datetime;

    fn certificate() -> Vec<u8> {
        let mut params = CertificateParams::new(
            ["localhost", "*.Example.org", "192.0.2.1", "::1"].map(str::to_owned).to_vec(),
        )
        .unwrap();
        params.distinguished_name.push(DnType::CommonName, "Some\nIssuer");
        params.not_before = date_time_ymd(2026, 1, 2);
        params.not_after = date_time_ymd(2061, 3, 4);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn dates_and_names_are_read() {
        let facts = Facts::read(&certificate()).unwrap();
        assert_eq!(facts.not_before, datetime!(2026-01-02 0:00 UTC));
        assert_eq!(facts.not_after, datetime!(2061-03-04 0:00 UTC));
        assert_eq!(facts.names, ["localhost", "*.example.org", "192.0.2.1", "::1"]);
        assert!(facts.is_self_issued());
        assert_eq!(facts.issuer_name().as_deref(), Some("Some\\nIssuer"));
    }

    #[test]
    fn a_cut_certificate_is_not_read() {
        let whole = certificate();
        for length in 0..whole.len() {
            assert_eq!(Facts::read(&whole[..length]), None);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Facts::read(&bytes).map(|facts| facts.issuer_name());
        }
    }
}
