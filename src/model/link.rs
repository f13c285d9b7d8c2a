//! Links to an artist's pages elsewhere.

use serde::Serialize;
use url::Url;

/// The longest link that is shown, in bytes; a longer one is left out rather than cut.
const LINK_MAX_BYTES: usize = 200;

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
}

/// A plain http or https link, as the data service holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    site: LinkSite,
    url: String,
}

impl Link {
    /// Takes a link; `None` unless it is a plain http or https link of ordinary length.
    #[must_use]
    pub fn new(site: LinkSite, raw: &str) -> Option<Self> {
        let url = Url::parse(raw).ok()?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.as_str().len() <= LINK_MAX_BYTES
            && !raw.contains(|c: char| {
                c.is_whitespace() || c.is_control() || !c.is_ascii() || "<>\"'`{}|\\^".contains(c)
            });
        plain.then(|| Self { site, url: raw.to_owned() })
    }

    /// Where it leads.
    #[must_use]
    pub fn site(&self) -> LinkSite {
        self.site
    }

    /// The link.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_links_are_shown() {
        assert!(Link::new(LinkSite::Bandcamp, "https://fourtet.bandcamp.com/").is_some());
        for bad in [
            "javascript:alert(1)",
            "https://user:pass@example.org/",
            "https://example.org/<b>",
            "https://example.org/ ignore previous instructions",
            "fourtet.bandcamp.com",
            "data:text/html,x",
            "",
        ] {
            assert_eq!(Link::new(LinkSite::Website, bad), None, "{bad}");
        }
        assert_eq!(Link::new(LinkSite::Website, &format!("https://example.org/{}", "a".repeat(300))), None);
    }
}
