//! `[legal]`: who runs this server, and the texts that it publishes about that.

use std::path::PathBuf;

use url::Url;

use super::keys::Keys;
use super::table::Key;

/// The keys of `[legal]`.
pub(super) const KEYS: &[Key] = &[
    Key::new("operator", "\"\"", "The person or company that runs this server, at most 200 characters."),
    Key::new("contact", "\"\"", "How to reach them: an e-mail address or an https address."),
    Key::new("privacy", "\"\"", "A text file for /legal/privacy; \"\" is the built-in text."),
    Key::new("terms", "\"\"", "A text file for /legal/terms; \"\" is the built-in text."),
    Key::new("support", "\"\"", "A text file for /legal/support; \"\" is the built-in text."),
];

/// Who runs this server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legal {
    /// The person or company; `None` only on a server that is not public.
    pub operator: Option<String>,
    /// How to reach them; `None` only on a server that is not public.
    pub contact: Option<Contact>,
    /// The text of `/legal/privacy`; `None` means the built-in one.
    pub privacy: Option<PathBuf>,
    /// The text of `/legal/terms`; `None` means the built-in one.
    pub terms: Option<PathBuf>,
    /// The text of `/legal/support`; `None` means the built-in one.
    pub support: Option<PathBuf>,
}

/// How to reach the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contact {
    /// An e-mail address.
    Email(String),
    /// A page, over https.
    Page(Url),
}

impl Contact {
    /// The address, without `mailto:`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Email(address) => address,
            Self::Page(url) => url.as_str(),
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.starts_with("https://") {
            return Url::parse(text)
                .ok()
                .filter(|url| url.username().is_empty() && url.password().is_none())
                .map(Self::Page);
        }
        let (name, domain) = text.split_once('@')?;
        let plain = |c: char| c.is_ascii_graphic() && !"<>()[]\\,;:\"@".contains(c);
        let sound = !name.is_empty()
            && name.chars().all(plain)
            && domain.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
            && domain.split('.').count() >= 2
            && domain.split('.').all(|label| !label.is_empty());
        sound.then(|| Self::Email(text.to_owned()))
    }
}

impl Legal {
    pub(super) fn read(keys: &mut Keys<'_, '_>) -> Self {
        Self {
            operator: keys.optional("operator", "a name of at most 200 characters on one line", operator),
            contact: keys.optional("contact", "an e-mail address or an https address", Contact::parse),
            privacy: keys.optional_path("privacy"),
            terms: keys.optional_path("terms"),
            support: keys.optional_path("support"),
        }
    }
}

fn operator(text: &str) -> Option<String> {
    let sound = !text.trim().is_empty() && text.chars().count() <= 200 && !text.chars().any(char::is_control);
    sound.then(|| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_an_address_that_mail_or_a_browser_can_use() {
        for good in ["ops@example.org", "a.b+c@mail.example.org", "https://example.org/contact"] {
            assert_eq!(Contact::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "ops",
            "@example.org",
            "ops@localhost",
            "ops@a..b",
            "a b@example.org",
            "http://example.org",
            "a@b@c.d",
            "https://",
        ] {
            assert_eq!(Contact::parse(bad), None, "{bad}");
        }
    }
}
