//! The artists of the demo catalogue, from its own index files.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;

/// One artist, by everything that finds it.
#[derive(Clone, Debug)]
pub struct Artist {
    /// The record's name, with its Discogs number if it has one.
    pub name: String,
    /// The readable key.
    pub slug: String,
    /// The demo's own id.
    pub cluster_id: Option<String>,
    /// Discogs artist ids, the first being the record's own.
    pub discogs: Vec<u64>,
    /// MusicBrainz artist id.
    pub mbid: Option<String>,
}

/// Every artist, invented ones last.
pub fn artists() -> &'static [Artist] {
    static ARTISTS: OnceLock<Vec<Artist>> = OnceLock::new();
    ARTISTS.get_or_init(|| {
        let all: Vec<Artist> =
            ["artists/index.jsonl", "invented/index.jsonl"].into_iter().flat_map(read).collect();
        assert!(all.len() >= 60, "only {} artists", all.len());
        all
    })
}

fn read(file: &str) -> Vec<Artist> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let artist = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("a record");
        let text = |key: &str| record[key].as_str().map(str::to_owned);
        Artist {
            name: text("name").expect("a name"),
            slug: text("slug").expect("a slug"),
            cluster_id: text("cluster_id"),
            discogs: record["discogs"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect(),
            mbid: text("mbid"),
        }
    };
    text.lines().map(artist).collect()
}
