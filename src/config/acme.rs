//! `[acme]`: a certificate that an authority issues to this server by itself, and renews.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use url::{Host, Url};

use super::keys::Keys;
use super::legal::Contact;
use super::source::SecretSource;
use super::table::Key;
use crate::host::Authority;

/// The keys of `[acme]`.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "names",
        "[]",
        "The names to get a certificate for, all in one certificate; that of public_base is one of them. [] asks nobody. \
         The authority proves each by a connection to its port 443, which has to lead to this server.",
    ),
    Key::new(
        "agree_to_terms",
        "false",
        "Whether you agree to the terms of service of the authority. Without true nobody is asked.",
    ),
    Key::new("contact", "\"\"", "An e-mail address at which the authority may reach you."),
    Key::new(
        "directory",
        "\"https://acme-v02.api.letsencrypt.org/directory\"",
        "The ACME directory of the authority. To try things out, Let's Encrypt has \
         https://acme-staging-v02.api.letsencrypt.org/directory, whose certificates no client trusts.",
    ),
    Key::new(
        "ca_file",
        "\"\"",
        "A PEM file of certificates to trust beside the machine's own when the directory is asked, for a private authority.",
    ),
    Key::new(
        "external_account_id",
        "\"\"",
        "External account binding, for an authority that demands it: the id that it gave you for a key.",
    ),
    Key::new(
        "external_account_key",
        "\"\"",
        "That key, in base64url as the authority writes it. Better kept in a file of its own; never both.",
    ),
    Key::new(
        "external_account_key_file",
        "\"\"",
        "A file that holds that key and nothing else, and that only its owner and group can read.",
    ),
    Key::new(
        "external_account_key_credential",
        "\"\"",
        "The name of a credential of systemd that holds that key and nothing else.",
    ),
];

/// Where certificates are issued for everybody.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// What an authority asks for on behalf of its own limits.
const NAMES_MAX: usize = 100;

/// A certificate that is had from an authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acme {
    /// The names, at least one, in lower case.
    pub names: Vec<String>,
    /// An e-mail address for the authority.
    pub contact: Option<String>,
    /// The authority's directory; https.
    pub directory: Url,
    /// A PEM file of certificates to trust beside the machine's own.
    pub ca_file: Option<PathBuf>,
    /// Whose account at the authority this server's belongs to.
    pub external: Option<ExternalAccount>,
}

/// An account at the authority that was made otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalAccount {
    /// What the authority calls its key.
    pub id: String,
    /// The key, in base64url.
    pub key: SecretSource,
}

impl Acme {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Option<Self> {
        let names = keys.distinct(
            "names",
            "a host name such as \"mcp.example.org\"; an address or a name with an asterisk cannot be proved this way",
            name,
        );
        let agreed = keys.flag("agree_to_terms", false);
        let contact = keys.optional("contact", "an e-mail address", |text| match Contact::parse(text)? {
            Contact::Email(address) => Some(address),
            Contact::Page(_) => None,
        });
        let directory = keys.text(
            "directory",
            lets_encrypt(),
            "an https address without user, query or fragment",
            directory,
        );
        let ca_file = keys.optional_path("ca_file");
        let id =
            keys.optional("external_account_id", "an id of at most 200 characters without spaces", |text| {
                let sound = text.len() <= 200 && text.bytes().all(|byte| byte.is_ascii_graphic());
                sound.then(|| text.to_owned())
            });
        let key = keys.secret_source(
            ["external_account_key", "external_account_key_file", "external_account_key_credential"],
            "a key of at least 16 bytes in base64url",
            is_external_key,
        );
        let external = external(keys, id, key);
        if names.is_empty() {
            let is_elsewhere = directory != lets_encrypt();
            if agreed || contact.is_some() || is_elsewhere || ca_file.is_some() || external.is_some() {
                keys.refuse(
                    &[
                        "names",
                        "agree_to_terms",
                        "contact",
                        "directory",
                        "ca_file",
                        "external_account_id",
                        "external_account_key",
                        "external_account_key_file",
                        "external_account_key_credential",
                    ],
                    "none, together with other keys of [acme]",
                    "the names to get a certificate for, or an empty [acme]",
                );
            }
            return None;
        }
        if names.len() > NAMES_MAX {
            keys.refuse(
                &["names"],
                &format!("{} names", names.len()),
                &format!("at most {NAMES_MAX}, which is what one certificate holds"),
            );
        }
        if !agreed {
            keys.refuse(
                &["agree_to_terms", "names"],
                "names without agree_to_terms = true",
                "true, once you have read the terms of service of the authority",
            );
        }
        Some(Self { names, contact, directory, ca_file, external })
    }
}

fn external(
    keys: &mut Keys<'_, '_>,
    id: Option<String>,
    key: Option<SecretSource>,
) -> Option<ExternalAccount> {
    const KEY: [&str; 4] = [
        "external_account_id",
        "external_account_key",
        "external_account_key_file",
        "external_account_key_credential",
    ];
    const BOTH: &str = "both the id and its key, or neither";
    match (id, key) {
        (Some(id), Some(key)) => return Some(ExternalAccount { id, key }),
        (Some(_), None) => keys.refuse(&KEY, "an id without its key", BOTH),
        (None, Some(_)) => keys.refuse(&KEY, "a key without its id", BOTH),
        (None, None) => {}
    }
    None
}

/// Whether a text can be the key of an external account.
#[must_use]
pub fn is_external_key(text: &str) -> bool {
    external_key(text).is_some()
}

/// The bytes of the key of an external account; `None` when the text is none.
#[must_use]
pub fn external_key(text: &str) -> Option<Vec<u8>> {
    let key = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
    (key.len() >= 16).then_some(key)
}

/// A name that an authority can reach: no address, no asterisk, no port.
fn name(text: &str) -> Option<String> {
    let authority = Authority::configured(text).filter(|authority| authority.port().is_none())?;
    let host = authority.host();
    matches!(Host::parse(host), Ok(Host::Domain(_))).then(|| host.to_owned())
}

fn directory(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let sound = url.scheme() == "https"
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    sound.then_some(url)
}

#[expect(clippy::expect_used, reason = "the address stands here, and a test reads it")]
fn lets_encrypt() -> Url {
    Url::parse(LETS_ENCRYPT).expect("an address")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_a_handshake_can_prove() {
        assert_eq!(lets_encrypt().as_str(), LETS_ENCRYPT);
        for (text, wanted) in [
            ("mcp.example.org", Some("mcp.example.org")),
            ("MCP.example.org.", Some("mcp.example.org")),
            ("bücher.example", Some("xn--bcher-kva.example")),
            ("*.example.org", None),
            ("192.0.2.1", None),
            ("[2001:db8::1]", None),
            ("2001:db8::1", None),
            ("mcp.example.org:8443", None),
            ("https://mcp.example.org", None),
            ("", None),
        ] {
            assert_eq!(name(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn the_key_of_an_external_account_is_base64url_with_or_without_its_end() {
        for (text, good) in [
            ("zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W", true),
            ("AAAAAAAAAAAAAAAAAAAAAA==", true),
            ("AAAA", false),
            ("not base64url, surely not", false),
        ] {
            assert_eq!(is_external_key(text), good, "{text}");
        }
    }
}
