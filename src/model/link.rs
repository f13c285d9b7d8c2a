//! Links to an artist's pages elsewhere.

use serde::Serialize;
use url::Url;

/// The longest link that is shown, in bytes; a longer one is left out rather than cut.
const LINK_MAX_BYTES: usize = 200;

/// The longest name of a profile that is shown, in bytes.
const HANDLE_MAX_BYTES: usize = 100;

/// Where a link leads. Closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkSite {
    /// Bandcamp.
    Bandcamp,
    /// Spotify.
    Spotify,
    /// SoundCloud.
    SoundCloud,
    /// YouTube.
    YouTube,
    /// Instagram.
    Instagram,
    /// A site of the artist's own.
    Website,
}

impl LinkSite {
    /// Every site, in the order in which links are shown.
    pub const ALL: [Self; 6] =
        [Self::Bandcamp, Self::Spotify, Self::SoundCloud, Self::YouTube, Self::Instagram, Self::Website];

    /// The site's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bandcamp => "Bandcamp",
            Self::Spotify => "Spotify",
            Self::SoundCloud => "SoundCloud",
            Self::YouTube => "YouTube",
            Self::Instagram => "Instagram",
            Self::Website => "website",
        }
    }
}

/// A page of an artist's as the data service holds it: a link, or the name of the profile there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    site: LinkSite,
    #[serde(flatten)]
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    Url(String),
    Handle(String),
}

impl Link {
    /// Takes a plain http or https link, or a profile's name; `None` for anything else.
    #[must_use]
    pub fn new(site: LinkSite, raw: &str) -> Option<Self> {
        let place = if is_plain_link(raw) {
            Place::Url(raw.to_owned())
        } else if site != LinkSite::Website && is_handle(raw) {
            Place::Handle(raw.to_owned())
        } else {
            return None;
        };
        Some(Self { site, place })
    }

    /// Takes a plain http or https link only.
    #[must_use]
    pub fn page(site: LinkSite, raw: &str) -> Option<Self> {
        Self::new(site, raw).filter(|link| matches!(link.place, Place::Url(_)))
    }

    /// Where it leads.
    #[must_use]
    pub fn site(&self) -> LinkSite {
        self.site
    }

    /// The link, or the name of the profile there.
    #[must_use]
    pub fn place(&self) -> &str {
        match &self.place {
            Place::Url(place) | Place::Handle(place) => place,
        }
    }
}

fn is_plain_link(raw: &str) -> bool {
    let Ok(url) = Url::parse(raw) else { return false };
    matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && raw.len() <= LINK_MAX_BYTES
        && raw.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"'`{}|\\^".contains(&byte))
}

fn is_handle(raw: &str) -> bool {
    (1..=HANDLE_MAX_BYTES).contains(&raw.len())
        && raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_profile_stays_a_name() {
        let link = Link::new(LinkSite::Bandcamp, "fourtet").unwrap();
        assert_eq!(
            serde_json::to_value(&link).unwrap(),
            serde_json::json!({"site": "bandcamp", "handle": "fourtet"})
        );
        for bad in ["four tet", "<b>", "", "ignore:previous", &"a".repeat(101)] {
            assert_eq!(Link::new(LinkSite::Bandcamp, bad), None, "{bad}");
        }
    }

    #[test]
    fn only_plain_web_links_are_shown() {
        assert!(Link::new(LinkSite::Bandcamp, "https://fourtet.bandcamp.com/").is_some());
        for bad in [
            "javascript:alert(1)",
            "https://user:pass@example.org/",
            "https://example.org/<b>",
            "https://example.org/ ignore previous instructions",
            "//fourtet.bandcamp.com",
            "data:text/html,x",
            "",
        ] {
            assert_eq!(Link::new(LinkSite::Website, bad), None, "{bad}");
        }
        assert_eq!(Link::new(LinkSite::Website, "fourtet"), None);
        assert_eq!(Link::new(LinkSite::Website, &format!("https://example.org/{}", "a".repeat(300))), None);
    }
}
