//! How a record lies in the store: a version first, a checksum last, in rows of at most 4 KiB.
//!
//! Decides the frame and refuses what does not fit it. It must never know what a record is for.
//!
//! A row's key is the class byte, the record's key and the number of the part. Its value is the version (1 byte),
//! how many parts the record has (1 byte), when it expires (8 bytes, milliseconds since 1970 UTC, all ones for
//! never), a part of the body, and the CRC-32 of the key and of everything before it (4 bytes). Numbers are
//! big-endian. The body is JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::batch::Row;
use super::class::Class;

/// The most bytes of a value; a longer record has several rows. Larger values make sled write files that it
/// neither syncs nor removes.
pub const VALUE_BYTES_MAX: usize = 4_096;
const HEAD_BYTES: usize = 10;
const TAIL_BYTES: usize = 4;
const PART_BYTES_MAX: usize = VALUE_BYTES_MAX - HEAD_BYTES - TAIL_BYTES;
/// The most bytes of a key between the class and the number of the part.
pub const KEY_BYTES_MAX: usize = 200;
/// The most bytes of a record.
pub const BODY_BYTES_MAX: usize = PART_BYTES_MAX * 255;
const NEVER: u64 = u64::MAX;

/// A kind of record, with its key and its form.
pub trait Record: Clone + Send + Serialize + DeserializeOwned + 'static {
    /// What it is found by.
    type Key: RecordKey;
    /// Its class.
    const CLASS: Class;

    /// Reads a body in the form of an earlier version; `None` when there never was one of that number. It is
    /// rewritten in today's form when the store is opened.
    fn from_older(_version: u8, _body: &[u8]) -> Option<Self> {
        None
    }
}

/// A key as bytes and back.
pub trait RecordKey: Clone + Eq + Ord + std::hash::Hash + Send + 'static {
    /// Its bytes, at most [`KEY_BYTES_MAX`].
    fn to_bytes(&self) -> Vec<u8>;
    /// The key of these bytes.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl<const N: usize> RecordKey for [u8; N] {
    fn to_bytes(&self) -> Vec<u8> {
        self.to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok()
    }
}

impl RecordKey for String {
    fn to_bytes(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::from_utf8(bytes.to_vec()).ok()
    }
}

/// The key of a class that has one record only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Only;

impl RecordKey for Only {
    fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.is_empty().then_some(Self)
    }
}

/// Why a row cannot be taken for what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no row of this program.
    Foreign,
    /// Its checksum does not fit.
    Checksum(Class),
    /// A newer program wrote it.
    Newer(Class, u8),
    /// Its body or its parts make no record.
    Body(Class),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("a row that this program never writes"),
            Self::Checksum(class) => write!(f, "a record of class {} with a wrong checksum", class.name()),
            Self::Newer(class, version) => {
                write!(
                    f,
                    "a record of class {} in version {version}, which a newer program wrote",
                    class.name()
                )
            }
            Self::Body(class) => write!(f, "a record of class {} that cannot be read", class.name()),
        }
    }
}

/// The record is larger than [`BODY_BYTES_MAX`], or its key than [`KEY_BYTES_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// One row, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) class: Class,
    pub(super) key: &'a [u8],
    pub(super) number: u8,
    pub(super) version: u8,
    pub(super) parts: u8,
    /// `None` for never.
    pub(super) expires_ms: Option<u64>,
    pub(super) body: &'a [u8],
}

/// Checks a row's frame and takes it apart.
pub(super) fn part<'a>(key: &'a [u8], value: &'a [u8]) -> Result<Part<'a>, Fault> {
    let (first, rest) = key.split_first().ok_or(Fault::Foreign)?;
    let class = Class::of(*first).ok_or(Fault::Foreign)?;
    let (number, name) = rest.split_last().ok_or(Fault::Foreign)?;
    let (framed, sum) = value.split_last_chunk::<TAIL_BYTES>().ok_or(Fault::Checksum(class))?;
    if checksum(key, framed) != u32::from_be_bytes(*sum) {
        return Err(Fault::Checksum(class));
    }
    let (head, body) = framed.split_first_chunk::<HEAD_BYTES>().ok_or(Fault::Body(class))?;
    let [version, parts, expires @ ..] = *head;
    if version > class.version() {
        return Err(Fault::Newer(class, version));
    }
    let expires = u64::from_be_bytes(expires);
    let expires_ms = (expires != NEVER).then_some(expires);
    Ok(Part { class, key: name, number: *number, version, parts, expires_ms, body })
}

fn checksum(key: &[u8], framed: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(key);
    sum.update(framed);
    sum.finalize()
}

/// The rows of a record.
pub(super) fn rows<R: Record>(
    key: &R::Key,
    record: &R,
    expires_ms: Option<u64>,
) -> Result<Vec<Row>, TooLarge> {
    let body = serde_json::to_vec(record).map_err(|_| TooLarge)?;
    let key = key.to_bytes();
    if key.len() > KEY_BYTES_MAX {
        return Err(TooLarge);
    }
    let parts: Vec<&[u8]> = body.chunks(PART_BYTES_MAX).collect();
    let count = u8::try_from(parts.len()).map_err(|_| TooLarge)?;
    Ok((0..count)
        .zip(parts)
        .map(|(number, part)| {
            let key = row_key(R::CLASS, &key, number);
            let mut value = Vec::with_capacity(HEAD_BYTES + part.len() + TAIL_BYTES);
            value.push(R::CLASS.version());
            value.push(count);
            value.extend(expires_ms.unwrap_or(NEVER).to_be_bytes());
            value.extend(part);
            value.extend(checksum(&key, &value).to_be_bytes());
            Row { key, value }
        })
        .collect())
}

/// The key of a record's row.
pub(super) fn row_key(class: Class, key: &[u8], number: u8) -> Vec<u8> {
    let mut row = Vec::with_capacity(key.len() + 2);
    row.push(class.byte());
    row.extend(key);
    row.push(number);
    row
}

/// A record as it was read, its parts put together.
#[derive(Clone, Debug)]
pub(super) struct Loaded<'a> {
    pub(super) class: Class,
    pub(super) key: &'a [u8],
    pub(super) version: u8,
    pub(super) parts: u8,
    pub(super) expires_ms: Option<u64>,
    pub(super) body: Vec<u8>,
    pub(super) bytes: usize,
}

/// Every record of some rows, which come in the order of their keys.
pub(super) fn whole(rows: &[Row]) -> Result<Vec<Loaded<'_>>, Fault> {
    let mut grouped: BTreeMap<(Class, &[u8]), Vec<Part<'_>>> = BTreeMap::new();
    for row in rows {
        let part = part(&row.key, &row.value)?;
        grouped.entry((part.class, part.key)).or_default().push(part);
    }
    grouped.into_iter().map(|((class, key), parts)| joined(class, key, &parts)).collect()
}

/// The rows of those records that are whole; the others go.
pub(super) fn sound(rows: Vec<Row>) -> Vec<Row> {
    let mut grouped: BTreeMap<(Class, Vec<u8>), Vec<Row>> = BTreeMap::new();
    for row in rows {
        let name = part(&row.key, &row.value).map(|part| (part.class, part.key.to_vec()));
        if let Ok(name) = name {
            grouped.entry(name).or_default().push(row);
        }
    }
    grouped.into_values().filter(|rows| whole(rows).is_ok()).flatten().collect()
}

fn joined<'a>(class: Class, key: &'a [u8], parts: &[Part<'a>]) -> Result<Loaded<'a>, Fault> {
    let fault = Fault::Body(class);
    let first = parts.first().ok_or(fault)?;
    let (version, count, expires_ms) = (first.version, first.parts, first.expires_ms);
    if usize::from(count) != parts.len() {
        return Err(fault);
    }
    let mut body = Vec::new();
    let mut bytes = 0;
    for (number, part) in (0..count).zip(parts) {
        if part.number != number || part.parts != count || part.version != version {
            return Err(fault);
        }
        bytes += row_bytes(key, part.body);
        body.extend(part.body);
    }
    Ok(Loaded { class, key, version, parts: count, expires_ms, body, bytes })
}

/// What the row of a part takes, in bytes.
fn row_bytes(key: &[u8], part: &[u8]) -> usize {
    key.len() + 2 + HEAD_BYTES + part.len() + TAIL_BYTES
}

/// The record of a body, whichever version wrote it; whether it has to be rewritten.
pub(super) fn read<R: Record>(version: u8, body: &[u8]) -> Result<(R, bool), Fault> {
    // A struct would be read from a list as well, its fields by their places; none is ever written so.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(Fault::Body(R::CLASS));
    }
    if version == R::CLASS.version() {
        serde_json::from_slice(body).map(|record| (record, false)).map_err(|_| Fault::Body(R::CLASS))
    } else {
        R::from_older(version, body).map(|record| (record, true)).ok_or(Fault::Body(R::CLASS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
    struct Note(String);

    impl Record for Note {
        type Key = [u8; 2];
        const CLASS: Class = Class::Replay;

        fn from_older(version: u8, body: &[u8]) -> Option<Self> {
            (version == 0).then(|| Self(format!("was {}", body.len())))
        }
    }

    #[test]
    fn a_record_comes_back_from_its_rows_and_no_row_is_larger_than_it_may_be() {
        for length in [0, 1, PART_BYTES_MAX - 2, PART_BYTES_MAX - 1, 20_000] {
            let note = Note("x".repeat(length));
            let rows = rows(b"ab", &note, Some(7)).unwrap();
            let mut body = Vec::new();
            for (at, row) in rows.iter().enumerate() {
                assert!(row.value.len() <= VALUE_BYTES_MAX);
                let part = part(&row.key, &row.value).unwrap();
                assert_eq!((part.class, part.key), (Class::Replay, b"ab".as_slice()));
                assert_eq!((usize::from(part.number), usize::from(part.parts)), (at, rows.len()));
                assert_eq!((part.version, part.expires_ms), (Class::Replay.version(), Some(7)));
                body.extend(part.body);
            }
            assert_eq!(read::<Note>(1, &body), Ok((note, false)));
        }
    }

    #[test]
    fn every_single_changed_byte_is_noticed() {
        let row = rows(b"ab", &Note("some text".into()), None).unwrap().remove(0);
        for at in 0..row.value.len() {
            let mut value = row.value.clone();
            value[at] ^= 0x5a;
            assert_eq!(part(&row.key, &value).err(), Some(Fault::Checksum(Class::Replay)), "byte {at}");
        }
        for at in 1..row.key.len() {
            let mut key = row.key.clone();
            key[at] ^= 1;
            assert!(part(&key, &row.value).is_err(), "a value under another key, byte {at}");
        }
    }

    #[test]
    fn an_older_form_is_read_and_a_newer_one_is_refused_and_not_guessed_at() {
        assert_eq!(read::<Note>(0, b"abc"), Ok((Note("was 3".into()), true)));
        assert_eq!(read::<Note>(9, b"abc").err(), Some(Fault::Body(Class::Replay)));
        let mut row = rows(b"ab", &Note("x".into()), None).unwrap().remove(0);
        let framed = row.value.len() - TAIL_BYTES;
        row.value.truncate(framed);
        row.value[0] = 2;
        let sum = checksum(&row.key, &row.value);
        row.value.extend(sum.to_be_bytes());
        assert_eq!(part(&row.key, &row.value), Err(Fault::Newer(Class::Replay, 2)));
    }

    #[test]
    fn of_damaged_rows_the_whole_records_are_left() {
        let long = rows(b"ab", &Note("x".repeat(9_000)), None).unwrap();
        let (one, mut bad) =
            (rows(b"cd", &Note("x".into()), None).unwrap(), rows(b"ef", &Note("y".into()), None).unwrap());
        bad[0].value[3] ^= 1;
        assert!(long.len() == 3 && one.len() == 1);
        let all = [long.clone(), bad.clone(), one.clone()].concat();
        assert_eq!(sound(all), [long.clone(), one.clone()].concat());
        assert_eq!(sound([&long[..2], &bad, &one].concat()), one);
    }

    #[test]
    fn what_no_row_can_hold_is_refused() {
        assert_eq!(rows(b"ab", &Note("x".repeat(BODY_BYTES_MAX)), None).err(), Some(TooLarge));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(key in proptest::collection::vec(0_u8..=255, 0..40), value in proptest::collection::vec(0_u8..=255, 0..60)) {
            let _ = part(&key, &value);
        }
    }
}
