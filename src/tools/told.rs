//! Whether an answer of the service is about whom the question was about.
//!
//! Decides by the question and the answer alone: which answers are somebody else's and are refused, and which leave it
//! open and are not verified by it. It must never know what a tool shows of an answer.

use crate::crate_client::{Ask, Resolution, UpstreamFault};
use crate::identity::{AskedId, Tier, is_alike};
use crate::model::artist::ArtistIdentity;
use crate::model::link::{Link, LinkSite};

/// An answer about another id or another name than the one that was asked for is no answer. What is passed on is
/// verified only as far as it confirms what was asked.
///
/// # Errors
/// When the answer is about somebody else.
pub(super) fn about(ask: &Ask, found: Resolution) -> Result<Resolution, UpstreamFault> {
    if leads_to(ask, &found) { Ok(lowered(ask, found)) } else { Err(UpstreamFault::AnotherRecord) }
}

/// Whether an answer does not contradict the cluster id or the name that was asked for. The service matches names
/// exactly, so that an unlike one cannot be meant.
fn leads_to(ask: &Ask, found: &Resolution) -> bool {
    let Some(who) = &found.identity else { return true };
    match ask {
        Ask::Cluster(id) => who.cluster_id.as_ref().ok().is_none_or(|found| found == id),
        Ask::Name(name) => is_alike(name.as_str(), &who.record_name),
        Ask::Url(_) | Ask::Discogs(_) | Ask::Mbid(_) | Ask::Isrc(_) | Ask::Recording { .. } => true,
    }
}

/// An artist can have several Discogs ids, ids get merged, and a recording can be credited to another name: who is not
/// named by what was asked for may be meant, but is not verified by it.
fn lowered(ask: &Ask, mut found: Resolution) -> Resolution {
    let is_confirmed = found.identity.as_ref().is_none_or(|who| confirms(ask, who, &found));
    if let Some(who) = found.identity.as_mut().filter(|_| !is_confirmed) {
        who.tier = Tier::Cluster;
    }
    found
}

/// The id of another catalogue that was asked for, where the record that it led to does not carry it: ids get merged.
pub(super) fn unconfirmed_id(ask: &Ask, who: &ArtistIdentity) -> Option<AskedId> {
    match ask {
        Ask::Discogs(id) => (who.discogs_id != Ok(*id)).then_some(AskedId::Discogs(*id)),
        Ask::Mbid(id) => (who.mbid != Ok(*id)).then_some(AskedId::Mbid(*id)),
        Ask::Cluster(_) | Ask::Name(_) | Ask::Url(_) | Ask::Isrc(_) | Ask::Recording { .. } => None,
    }
}

fn confirms(ask: &Ask, who: &ArtistIdentity, found: &Resolution) -> bool {
    match ask {
        Ask::Discogs(_) | Ask::Mbid(_) => unconfirmed_id(ask, who).is_none(),
        // The service never vouches for a bare cluster id, whatever else the answer may say.
        Ask::Cluster(_) => false,
        // A link that was read as a name is no better than the name, and is told so.
        Ask::Url(url) => found.matched_by_name || !lists_others_only(url, &found.links),
        Ask::Recording { artist, .. } => is_alike(artist.as_str(), &who.record_name),
        // Nothing in an answer shows a recording code, and a name has been compared.
        Ask::Isrc(_) | Ask::Name(_) => true,
    }
}

/// Whether an answer says nothing of the recording that was asked for: it is about a name only, or about an artist of
/// another name.
pub(super) fn leaves_recording_open(ask: &Ask, found: &Resolution) -> bool {
    let Ask::Recording { artist, .. } = ask else { return false };
    let is_another = found.identity.as_ref().is_some_and(|who| !is_alike(artist.as_str(), &who.record_name));
    found.identity.is_some() && (found.matched_by_name || is_another)
}

/// Whether pages of the link's kind are listed, and the link is none of them.
fn lists_others_only(url: &str, links: &[Link]) -> bool {
    let Some((site, asked)) = profile(url) else { return false };
    let mut of_site = links.iter().filter(|link| link.site() == site).peekable();
    of_site.peek().is_some()
        && !of_site.any(|link| {
            let listed = profile(link.place()).map_or_else(|| handle(link.place()), |(_, handle)| handle);
            listed == asked
        })
}

/// Which profile of which site a link leads to; the sites take no notice of case but in ids, and two ids that differ
/// in case only are as good as never met.
fn profile(link: &str) -> Option<(LinkSite, String)> {
    let url = url::Url::parse(link).ok()?;
    let host = url.host_str()?.to_lowercase();
    let host = host.strip_prefix("www.").or_else(|| host.strip_prefix("m.")).unwrap_or(&host);
    if let Some(name) = host.strip_suffix(".bandcamp.com") {
        return Some((LinkSite::Bandcamp, name.to_owned()));
    }
    let site = match host {
        "open.spotify.com" => LinkSite::Spotify,
        "soundcloud.com" => LinkSite::SoundCloud,
        "youtube.com" => LinkSite::YouTube,
        "instagram.com" => LinkSite::Instagram,
        _ => return None,
    };
    Some((site, handle(url.path())))
}

/// The last step of a path, or a handle as it is.
fn handle(text: &str) -> String {
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    last.trim_start_matches('@').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_confirmed_by_its_own_name_in_every_form_and_by_no_other() {
        let link = |site, place: &str| Link::new(site, place).unwrap();
        let bandcamp = "https://fourtet.bandcamp.com";
        for place in ["fourtet", "https://fourtet.bandcamp.com/", "http://FourTet.bandcamp.com/music"] {
            assert!(!lists_others_only(bandcamp, &[link(LinkSite::Bandcamp, place)]), "{place}");
        }
        let youtube = "https://www.youtube.com/@fourtet";
        for place in ["@FourTet", "http://www.youtube.com/user/fourtet", "fourtet"] {
            assert!(!lists_others_only(youtube, &[link(LinkSite::YouTube, place)]), "{place}");
        }
        let spotify = "https://open.spotify.com/artist/7Eu1txygG6nJttLHbZdQOh";
        assert!(!lists_others_only(spotify, &[link(LinkSite::Spotify, "7Eu1txygG6nJttLHbZdQOh")]));
        let other = [link(LinkSite::Bandcamp, "other"), link(LinkSite::SoundCloud, "fourtet")];
        assert!(lists_others_only(bandcamp, &other));
        assert!(!lists_others_only(bandcamp, &other[1..]), "no page of the kind contradicts nothing");
        assert!(!lists_others_only(bandcamp, &[other[0].clone(), link(LinkSite::Bandcamp, "fourtet")]));
    }
}
