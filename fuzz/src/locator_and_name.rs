//! What names and ids mean is stable: whatever is read is written and read back the same, and what is refused is not
//! repeated.

use ono_sendai::identity::refusal::{Argument, Refusal};
use ono_sendai::identity::{
    ArtistKey, ArtistName, ArtistUrl, ClusterId, DiscogsId, Isrc, Mbid, Slug, TrackTitle, display_name, fold,
    is_alike, is_placeholder, is_template, loosely_equal, split_suffix,
};
use ono_sendai::model::prose::{PROSE_MAX_CHARS, Prose};
use ono_sendai::model::source::Source;
use ono_sendai::model::text::{CleanName, NAME_MAX_CHARS};

use crate::assert_readable;

/// Runs one input: one or two texts, with a line break between them.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (one, two) = text.split_once('\n').unwrap_or((text, text));
    ids(one);
    names(one);
    shown(text);
    compared(one, two);
}

/// What was read, written and read again.
fn again<T: PartialEq + std::fmt::Debug>(
    text: &str,
    read: impl Fn(&str) -> Result<T, Refusal>,
    write: impl Fn(&T) -> String,
) -> Option<T> {
    match read(text) {
        Ok(value) => {
            let written = write(&value);
            assert_readable(&written, "an id");
            assert!(!written.contains('\n') && !written.is_empty());
            assert_eq!(read(&written).as_ref(), Ok(&value), "{text:?} as {written:?}");
            assert_eq!(read(&format!("  {text} ")).as_ref(), Ok(&value), "white space around {text:?}");
            Some(value)
        }
        Err(refusal) => {
            assert_refusal(text, &refusal);
            None
        }
    }
}

fn assert_refusal(text: &str, refusal: &Refusal) {
    let shown = refusal.to_string();
    assert_readable(&shown, "a refusal");
    assert!(!shown.is_empty() && shown.len() < 400, "{shown}");
    // Ten characters that are no word of ours are the caller's. Ours have numbers of two digits, each by itself.
    let is_mark = |c: char| " .,:;_-'`()/".contains(c);
    let is_word = |word: &str| {
        word.chars().all(|c| c.is_ascii_alphabetic())
            || (word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_ours = text.split(is_mark).all(is_word);
    assert!(text.chars().count() < 10 || is_ours || !shown.contains(text), "{shown}");
}

fn ids(text: &str) {
    let cluster = again(text, ClusterId::parse, ToString::to_string);
    let mbid = again(text, Mbid::parse, ToString::to_string);
    let discogs = again(text, DiscogsId::parse, ToString::to_string);
    let isrc = again(text, Isrc::parse, ToString::to_string);
    let slug = again(text, Slug::parse, ToString::to_string);
    let key = again(text, ArtistKey::parse, |key| key.as_str().to_owned());
    let url = again(text, ArtistUrl::parse, ToString::to_string);
    if let Some(cluster) = &cluster {
        assert_eq!(key, Some(ArtistKey::Cluster(cluster.clone())));
        assert_eq!(cluster.as_str().len(), 64);
    }
    if let Some(slug) = &slug {
        assert_eq!(key, Some(ArtistKey::Slug(slug.clone())));
        // It becomes one step of a path.
        assert!(!slug.as_str().contains(['/', '\\', '?', '#', '%']) && !matches!(slug.as_str(), "." | ".."));
    }
    assert_eq!(key.is_some(), cluster.is_some() || slug.is_some());
    if let Some(discogs) = discogs {
        assert_eq!(DiscogsId::from_number(discogs.get().into()), Some(discogs));
    }
    if let Some(isrc) = &isrc {
        assert!(isrc.as_str().len() == 12 && isrc.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
    if let Some(ArtistUrl::Profile { canonical, .. }) = &url {
        let read = url::Url::parse(canonical).expect("a link");
        assert_eq!((read.scheme(), read.query(), read.fragment(), read.port()), ("https", None, None, None));
        assert!(read.username().is_empty() && read.password().is_none());
    }
    // One text has one meaning; a host alone is a name as well.
    let is_link = url.is_some() && text.contains(['/', ':']);
    let readings = [cluster.is_some(), mbid.is_some(), is_link, slug.is_some()];
    assert!(readings.iter().filter(|is_so| **is_so).count() <= 1, "{text:?} is several things: {readings:?}");
}

fn names(text: &str) {
    let name = again(text, |text| ArtistName::parse(Argument::Q, text), |name| name.as_str().to_owned());
    let title =
        again(text, |text| TrackTitle::parse(Argument::Title, text), |title| title.as_str().to_owned());
    if let Some(name) = &name {
        assert!(name.as_str().chars().count() <= 200);
        assert!(!is_template(name.as_str()));
        assert_eq!(title.as_ref().map(TrackTitle::as_str), Some(name.as_str()), "a name is a title too");
        assert!(ClusterId::parse(name.as_str()).is_err() && Mbid::parse(name.as_str()).is_err());
    }
    let _placeholder = is_placeholder(text);
}

fn shown(text: &str) {
    if let Some(name) = CleanName::new(text) {
        assert_readable(name.as_str(), "a name");
        assert!(!name.as_str().contains('\n') && name.as_str().chars().count() <= NAME_MAX_CHARS);
        assert_eq!(CleanName::new(name.as_str()), Some(name), "cleaned twice");
    }
    if let Some(prose) = Prose::new("profile", text, Source::Discogs) {
        let (_, quoted, _) = prose.into_parts();
        assert_readable(&quoted, "a quotation");
        assert!(!quoted.is_empty() && quoted.chars().count() <= PROSE_MAX_CHARS);
    }
    let (name, number) = split_suffix(text);
    assert!(text.starts_with(name) || text.contains(name));
    if let Some(number) = number {
        assert!(name.len() < text.len() && text.contains(&number.to_string()));
    }
    assert!(text.contains(display_name(text)));
}

fn compared(one: &str, two: &str) {
    let (a, b) = (fold(one), fold(two));
    assert_eq!(fold(a.as_str()), a, "folded twice: {one:?}");
    assert_eq!(fold(&one.to_lowercase()), a, "lowered: {one:?}");
    assert_eq!(a.is_comparable(), !a.as_str().is_empty());
    assert_eq!(loosely_equal(one, two), loosely_equal(two, one));
    assert_eq!(is_alike(one, two), is_alike(two, one));
    assert_eq!(loosely_equal(one, one), a.is_comparable());
    if a == b && a.is_comparable() {
        assert!(loosely_equal(one, two), "the strict rule is the stricter one");
    }
}
