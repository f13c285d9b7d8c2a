//! Reads a pasted link for the artist it points at. Nothing is ever fetched.
//!
//! Decides by host and path alone; knows nothing of who is in the catalogue.

use url::Url;

/// What a link says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WebLink {
    /// A Discogs artist id.
    Discogs(u64),
    /// A MusicBrainz artist id.
    MusicBrainz(String),
    /// Host and path of a page on a host where artists have pages; lower case, but for an id.
    Page(String),
    /// A page elsewhere, and the handle in it that may be a name.
    Elsewhere {
        /// Host and path, lower case.
        page: String,
        /// The last step of the path, or the host's first label.
        handle: String,
    },
}

const ARTIST_HOSTS: [&str; 5] =
    ["soundcloud.com", "instagram.com", "open.spotify.com", "youtube.com", "bandcamp.com"];

/// Reads a link; none if it is no web address.
pub(super) fn read(text: &str) -> Option<WebLink> {
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&with_scheme).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str().filter(|host| host.contains('.'))?.to_lowercase();
    let host = host.strip_prefix("www.").or_else(|| host.strip_prefix("m.")).unwrap_or(&host);
    let steps: Vec<&str> =
        url.path().split('/').filter(|step| !step.is_empty() && !step.starts_with("intl-")).collect();
    let after_artist = || steps.iter().skip_while(|step| **step != "artist").nth(1);
    let under =
        |parent: &str| host == parent || host.strip_suffix(parent).is_some_and(|sub| sub.ends_with('.'));

    if under("discogs.com")
        && let Some(id) = after_artist().and_then(|step| step.split('-').next()?.parse().ok())
    {
        return Some(WebLink::Discogs(id));
    }
    if under("musicbrainz.org")
        && let Some(mbid) = after_artist().filter(|step| uuid::Uuid::try_parse(step).is_ok())
    {
        return Some(WebLink::MusicBrainz(mbid.to_lowercase()));
    }
    let page = if under("bandcamp.com") { host.to_owned() } else { page(host, &steps) };
    if ARTIST_HOSTS.iter().any(|known| under(known)) {
        return Some(WebLink::Page(page));
    }
    let first_label = host.split('.').next().unwrap_or_default();
    let handle = steps.last().copied().unwrap_or(first_label).replace(['-', '_', '+'], " ");
    Some(WebLink::Elsewhere { page, handle })
}

/// Host and path; lower case, but for ids in which case tells one from another.
fn page(host: &str, steps: &[&str]) -> String {
    match steps {
        [] => host.to_owned(),
        [first, ids @ ..] => {
            let first = first.to_lowercase();
            let rest = ids.iter().map(|step| match (host, first.as_str()) {
                ("open.spotify.com", "artist") | ("youtube.com", "channel") => (*step).to_owned(),
                _ => step.to_lowercase(),
            });
            [host.to_owned(), first.clone()].into_iter().chain(rest).collect::<Vec<_>>().join("/")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_by_host_and_path() {
        let page = |text: &str| Some(WebLink::Page(text.to_owned()));
        let mbid = "f22942a1-6f70-4f48-866e-238cb2308fbd";
        for (text, expected) in [
            ("https://www.discogs.com/artist/45-Aphex-Twin", Some(WebLink::Discogs(45))),
            ("discogs.com/de/artist/45", Some(WebLink::Discogs(45))),
            (
                &format!("https://musicbrainz.org/artist/{mbid}/releases"),
                Some(WebLink::MusicBrainz(mbid.to_owned())),
            ),
            ("https://fourtet.bandcamp.com/album/three?from=x", page("fourtet.bandcamp.com")),
            ("https://open.spotify.com/intl-de/artist/7Eu1", page("open.spotify.com/artist/7Eu1")),
            ("https://www.youtube.com/channel/UC3sZY", page("youtube.com/channel/UC3sZY")),
            ("https://www.youtube.com/User/AphexVEVO", page("youtube.com/user/aphexvevo")),
            ("https://www.youtube.com/@FourTet", page("youtube.com/@fourtet")),
            ("https://www.instagram.com/JoshWink1/", page("instagram.com/joshwink1")),
            ("http://m.soundcloud.com/four-tet/", page("soundcloud.com/four-tet")),
            ("not a link", None),
            ("ftp://discogs.com/artist/45", None),
            ("", None),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_link_elsewhere_leaves_a_handle_to_try_as_a_name() {
        let expected =
            WebLink::Elsewhere { page: "ra.co/dj/four-tet".to_owned(), handle: "four tet".to_owned() };
        assert_eq!(read("https://ra.co/dj/four-tet"), Some(expected));
    }

    #[test]
    fn a_host_that_only_ends_like_a_known_one_is_elsewhere() {
        assert!(matches!(read("https://notdiscogs.com/artist/45"), Some(WebLink::Elsewhere { .. })));
    }
}
