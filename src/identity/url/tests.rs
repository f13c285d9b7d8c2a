//! Links as people paste them, and links that are not what they look like.

use proptest::prelude::*;

use super::{ArtistUrl, Site, looks_like_url};
use crate::identity::refusal::{Argument, Found, PageKind};

const MBID: &str = "f22942a1-6f70-4f48-866e-238cb2308fbd";

fn clean(link: &str) -> String {
    ArtistUrl::parse(link).unwrap_or_else(|refusal| panic!("{link}: {refusal}")).to_string()
}

fn found(link: &str) -> Found {
    match ArtistUrl::parse(link) {
        Ok(parsed) => panic!("{link}: {parsed}"),
        Err(refusal) => refusal.found,
    }
}

#[test]
fn f11_every_shape_of_a_spotify_artist_link_is_one_artist() {
    let id = "0SwO7SWeDHJijQ3XNS7xEE";
    for link in [
        "https://open.spotify.com/intl-de/artist/0SwO7SWeDHJijQ3XNS7xEE?si=x",
        "https://open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE",
        "http://open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE/",
        "open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE",
        "  OPEN.Spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE#a ",
        "spotify:artist:0SwO7SWeDHJijQ3XNS7xEE",
        "spotify:artist:0SwO7SWeDHJijQ3XNS7xEE?si=x",
        "https://open.spotify.com/artist/0SwO7SWeDHJijQ3XNS7xEE/discography/all",
        "https://open.spotify.com/embed/artist/0SwO7SWeDHJijQ3XNS7xEE?utm_source=generator",
    ] {
        assert_eq!(clean(link), format!("https://open.spotify.com/artist/{id}"), "{link}");
    }
}

#[test]
fn f11_a_page_of_another_kind_is_named_not_guessed_at() {
    let id = "0SwO7SWeDHJijQ3XNS7xEE";
    for (link, kind) in [
        (format!("https://open.spotify.com/track/{id}"), PageKind::Track),
        (format!("spotify:track:{id}"), PageKind::Track),
        (format!("https://open.spotify.com/intl-fr/album/{id}"), PageKind::Release),
        (format!("https://open.spotify.com/playlist/{id}"), PageKind::Playlist),
        ("https://open.spotify.com".into(), PageKind::Other),
        ("https://spotify.link/abc".into(), PageKind::ShortLink),
        ("https://aphextwin.bandcamp.com/album/syro".into(), PageKind::Release),
        ("https://aphextwin.bandcamp.com/track/minipops".into(), PageKind::Track),
        ("https://bandcamp.com/discover".into(), PageKind::Other),
        ("https://daily.bandcamp.com".into(), PageKind::Other),
        ("https://soundcloud.com/four-tet/baby".into(), PageKind::Track),
        ("https://soundcloud.com/four-tet/sets/x".into(), PageKind::Playlist),
        ("https://soundcloud.com/discover".into(), PageKind::Other),
        ("https://on.soundcloud.com/abc".into(), PageKind::ShortLink),
        ("https://www.youtube.com/watch?v=abc".into(), PageKind::Track),
        ("https://youtu.be/abc".into(), PageKind::Track),
        ("https://www.youtube.com/playlist?list=PL".into(), PageKind::Playlist),
        ("https://www.instagram.com/p/abc/".into(), PageKind::Other),
        ("https://www.instagram.com/".into(), PageKind::Other),
    ] {
        assert_eq!(found(&link), Found::Page(kind), "{link}");
    }
}

#[test]
fn f11_a_look_alike_host_is_refused() {
    let artist = "artist/0SwO7SWeDHJijQ3XNS7xEE";
    for link in [
        format!("https://open.spotify.com.evil.tld/{artist}"),
        format!("https://evil.tld/open.spotify.com/{artist}"),
        format!("https://evilopen.spotify.com/{artist}"),
        format!("https://evil.tld?https://open.spotify.com/{artist}"),
        format!("https://evil.tld#open.spotify.com/{artist}"),
        "https://notdiscogs.com/artist/301".into(),
        "https://xbandcamp.com".into(),
        "https://www.discоgs.com/artist/301".into(),
        "https://127.0.0.1/artist/301".into(),
        "https://example.org".into(),
    ] {
        assert_eq!(found(&link), Found::UnknownSite, "{link}");
    }
    for link in [
        "https://open.spotify.com@evil.tld/artist/301",
        "https://user:pw@www.discogs.com/artist/301",
        "https://www.discogs.com:8443/artist/301",
        "ftp://www.discogs.com/artist/301",
        "javascript://www.discogs.com/artist/301",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://www.discogs.com\\artist\\301",
        "https://www.disco\tgs.com/artist/301",
        "https://",
        "Four Tet",
    ] {
        assert_eq!(found(link), Found::UnsafeLink, "{link}");
    }
}

#[test]
fn f12_every_shape_of_a_discogs_artist_link_gives_its_number() {
    for (link, id) in [
        ("http://www.discogs.com/artist/301-Source-Direct", 301),
        ("https://www.discogs.com/artist/1944002-", 1_944_002),
        ("https://www.discogs.com/artist/997299-Guy-Balbaert?filter_anv=0&type=Credits", 997_299),
        (
            "https://www.discogs.com/artist/535943-Teresa-Teng?filter_anv=1&anv=%E9%84%A7%E9%BA%97%E5%90%9B",
            535_943,
        ),
        ("https://www.discogs.com/de/artist/45-Aphex-Twin", 45),
        ("https://www.discogs.com/pt_BR/artist/45", 45),
        ("m.discogs.com/artist/45/", 45),
        ("discogs.com/artist/45#t", 45),
        ("//www.discogs.com/artist/45", 45),
        ("https://api.discogs.com/artists/45", 45),
        ("https://www.discogs.com./artist/45", 45),
        ("https://www.discogs.com:443/artist/45", 45),
    ] {
        assert_eq!(clean(link), format!("https://www.discogs.com/artist/{id}"), "{link}");
    }
}

#[test]
fn f12_a_link_without_an_id_or_of_another_kind_is_refused() {
    for link in [
        "https://www.discogs.com/artist/Source+Direct",
        "https://www.discogs.com/artist/",
        "https://www.discogs.com/artist/50+Cent",
        "https://www.discogs.com/artist/-5",
        "https://musicbrainz.org/artist/301",
        "https://musicbrainz.org/artist/",
        "spotify:artist:",
        "https://www.youtube.com/channel",
        "https://open.spotify.com/artist/short",
        "https://www.youtube.com/channel/UCshort",
    ] {
        assert_eq!(found(link), Found::NoArtistId, "{link}");
    }
    for (link, kind) in [
        ("http://www.discogs.com/release/12130".to_owned(), PageKind::Release),
        ("http://www.discogs.com/Various-Out-Patients-2/release/5578".to_owned(), PageKind::Release),
        ("http://www.discogs.com/master/view/267989".to_owned(), PageKind::Master),
        ("https://www.discogs.com/de/master/267989-X".to_owned(), PageKind::Master),
        ("https://www.discogs.com/label/23528-Warp".to_owned(), PageKind::Label),
        ("https://www.discogs.com/user/someone".to_owned(), PageKind::Other),
        ("https://www.discogs.com/seller/artist/301".to_owned(), PageKind::Other),
        (format!("https://musicbrainz.org/release/{MBID}"), PageKind::Release),
        (format!("https://musicbrainz.org/release-group/{MBID}"), PageKind::Master),
        (format!("https://musicbrainz.org/recording/{MBID}"), PageKind::Track),
        (format!("https://musicbrainz.org/label/{MBID}"), PageKind::Label),
        (format!("https://musicbrainz.org/work/{MBID}"), PageKind::Work),
    ] {
        assert_eq!(found(&link), Found::Page(kind), "{link}");
    }
}

#[test]
fn f12_an_id_that_no_artist_can_have_is_refused_as_that() {
    for (link, expected) in [
        ("https://www.discogs.com/artist/4294967341", Found::OutOfRange),
        ("https://www.discogs.com/de/artist/4294967296-X", Found::OutOfRange),
        ("https://www.discogs.com/artist/99999999999999999999999-X", Found::OutOfRange),
        ("https://www.discogs.com/artist/0", Found::OutOfRange),
        ("https://www.discogs.com/artist/0301-X", Found::LeadingZeros),
        ("https://musicbrainz.org/artist/00000000-0000-0000-0000-000000000000", Found::NilUuid),
    ] {
        assert_eq!(found(link), expected, "{link}");
    }
    assert_eq!(
        clean("https://www.discogs.com/artist/4294967295"),
        "https://www.discogs.com/artist/4294967295"
    );
}

#[test]
fn f11_a_spotify_uri_has_nothing_around_its_id() {
    let id = "0SwO7SWeDHJijQ3XNS7xEE";
    for uri in [
        format!("spotify:artist:{id}:x"),
        format!("spotify:artist:{id}:"),
        format!("spotify:artist:{id}:album:{id}"),
        format!("spotify:embed:artist:{id}"),
        format!("spotify:intl-de:artist:{id}"),
        format!("spotify:user:someone:artist:{id}"),
    ] {
        assert_eq!(found(&uri), Found::Page(PageKind::Other), "{uri}");
    }
    assert_eq!(found(&format!("spotify:artist:{id}/x")), Found::NoArtistId);
}

#[test]
fn a_channel_with_an_address_of_its_own_is_a_profile_and_the_sites_own_words_are_not() {
    for link in [
        "http://www.youtube.com/carilekebusch",
        "youtube.com/carilekebusch/",
        "https://m.youtube.com/carilekebusch?feature=x",
    ] {
        assert_eq!(clean(link), "https://www.youtube.com/carilekebusch", "{link}");
    }
    assert_eq!(clean("youtube.com/CariLekebusch"), "https://www.youtube.com/CariLekebusch");
    for link in [
        "https://www.youtube.com/",
        "https://www.youtube.com/feed",
        "https://www.youtube.com/Premium",
        "https://www.youtube.com/results?search_query=x",
        "https://www.youtube.com/robots.txt",
        "https://www.youtube.com/carilekebusch/x",
        "https://music.youtube.com/explore",
        "https://music.youtube.com/moods_and_genres",
    ] {
        assert_eq!(found(link), Found::Page(PageKind::Other), "{link}");
    }
    assert_eq!(found("https://www.youtube.com/Watch?v=x"), Found::Page(PageKind::Other));
    assert_eq!(found("https://www.youtube.com/watch?v=x"), Found::Page(PageKind::Track));
    assert_eq!(found("https://www.youtube.com/playlist?list=x"), Found::Page(PageKind::Playlist));
    assert_eq!(found("https://www.youtube.com/user"), Found::NoArtistId);
}

#[test]
fn f12_every_shape_of_a_musicbrainz_artist_link_gives_its_id() {
    for link in [
        format!("https://musicbrainz.org/artist/{MBID}"),
        format!("https://beta.musicbrainz.org/artist/{MBID}/releases?page=2"),
        format!("http://www.musicbrainz.org/artist/{}/", MBID.to_uppercase()),
        format!("musicbrainz.org/artist/{MBID}#x"),
    ] {
        assert_eq!(clean(&link), format!("https://musicbrainz.org/artist/{MBID}"), "{link}");
    }
}

#[test]
fn profiles_of_every_site_are_cleaned() {
    for (link, site, expected) in [
        ("https://AphexTwin.bandcamp.com/", Site::Bandcamp, "https://aphextwin.bandcamp.com"),
        ("aphextwin.bandcamp.com/music?x=1", Site::Bandcamp, "https://aphextwin.bandcamp.com"),
        ("http://m.soundcloud.com/Four-Tet/tracks", Site::SoundCloud, "https://soundcloud.com/four-tet"),
        ("https://www.youtube.com/@FourTet/videos", Site::YouTube, "https://www.youtube.com/@FourTet"),
        (
            "https://www.youtube.com/@アポリア",
            Site::YouTube,
            "https://www.youtube.com/@%E3%82%A2%E3%83%9D%E3%83%AA%E3%82%A2",
        ),
        (
            "https://music.youtube.com/channel/UC0123456789abcdefghijkl?feature=share",
            Site::YouTube,
            "https://www.youtube.com/channel/UC0123456789abcdefghijkl",
        ),
        ("https://www.youtube.com/user/AphexTwin", Site::YouTube, "https://www.youtube.com/user/AphexTwin"),
        ("https://instagram.com/FourTet.kh/?hl=de", Site::Instagram, "https://www.instagram.com/fourtet.kh"),
    ] {
        let expected = ArtistUrl::Profile { site, canonical: expected.to_owned() };
        assert_eq!(ArtistUrl::parse(link), Ok(expected), "{link}");
    }
}

#[test]
fn an_id_in_place_of_a_link_names_its_argument() {
    assert_eq!(found(MBID), Found::ValueOf(Argument::Mbid));
    assert_eq!(found(&"ab".repeat(32)), Found::ValueOf(Argument::ClusterId));
    assert_eq!(found(" "), Found::Nothing);
    assert_eq!(found("<url>"), Found::Placeholder);
    assert_eq!(found(&format!("https://www.discogs.com/artist/{}", "1".repeat(2_048))), Found::TooLong);
}

#[test]
fn names_with_dots_and_slashes_are_not_taken_for_links() {
    for name in ["AC/DC", "K/DA", "will.i.am", "www.", "Bandcamp.com", "http", "!!!/x", "Discogs/Y"] {
        assert!(!looks_like_url(name), "{name}");
    }
    for link in [
        "http://x",
        "www.discogs.com/artist/1",
        "x.bandcamp.com/",
        "spotify:artist:1",
        "DISCOGS.com/artist/1",
    ] {
        assert!(looks_like_url(link), "{link}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_or_refused_and_a_clean_link_is_stable(
        host in "(https?://)?(www\\.discogs\\.com|x\\.bandcamp\\.com|open\\.spotify\\.com|soundcloud\\.com|youtube\\.com|instagram\\.com|\\PC{0,9})",
        path in "(/|artist|[a-zA-Z0-9@%.-]{0,24}|\\PC{0,4}){0,5}",
    ) {
        if let Ok(parsed) = ArtistUrl::parse(&format!("{host}/{path}")) {
            let clean = parsed.to_string();
            prop_assert!(clean.starts_with("https://") && clean.is_ascii() && !clean.contains(['?', '#']));
            prop_assert_eq!(ArtistUrl::parse(&clean), Ok(parsed));
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = ArtistUrl::parse(&text);
        let _ = crate::identity::locator::ArtistKey::parse(&text);
        let _ = crate::identity::suffix::split_suffix(&text);
        let _ = crate::identity::placeholder::is_placeholder(&text);
    }
}
