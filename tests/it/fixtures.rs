//! The files of the demo catalogue: whether the manifest tells the truth about them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "what only tests use may fail as tests do"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(folder().join(path)).unwrap_or_else(|problem| panic!("{path}: {problem}"))
}

fn manifest() -> toml::Table {
    String::from_utf8(read("manifest.toml")).unwrap().parse().unwrap()
}

struct Entry {
    path: String,
    sha256: String,
    invented: bool,
    texts: Vec<String>,
}

fn entries() -> Vec<Entry> {
    let manifest = manifest();
    let entry = |value: &toml::Value| {
        let text = |key: &str| value[key].as_str().unwrap().to_owned();
        Entry {
            path: text("path"),
            sha256: text("sha256"),
            invented: value["invented"].as_bool().unwrap(),
            texts: ["holds", "source", "licence", "attribution"].map(text).to_vec(),
        }
    };
    manifest["file"].as_array().unwrap().iter().map(entry).collect()
}

/// Every file below the folder, the manifest aside, with `/` between steps.
fn files() -> BTreeSet<String> {
    fn walk(folder: &Path, front: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{front}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                if !name.ends_with("__pycache__") {
                    walk(&entry.path(), &format!("{name}/"), found);
                }
            } else {
                found.insert(name);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(&folder(), "", &mut found);
    found.remove("manifest.toml");
    found
}

fn records(path: &str) -> Vec<Value> {
    String::from_utf8(read(path)).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn demo_id(source_id: &str) -> String {
    format!("00000000{}", &hex(format!("ono-demo-v1:{source_id}").as_bytes())[8..])
}

/// Every string in a document that is 64 hex digits.
fn ids(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()) => {
            found.insert(text.clone());
        }
        Value::Array(list) => list.iter().for_each(|value| ids(value, found)),
        Value::Object(map) => map.values().for_each(|value| ids(value, found)),
        _ => {}
    }
}

#[test]
fn the_manifest_names_every_file_once_and_nothing_else() {
    let listed: Vec<String> = entries().into_iter().map(|entry| entry.path).collect();
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len());
    assert_eq!(once, files());
}

#[test]
fn every_digest_in_the_manifest_is_right() {
    for entry in entries() {
        assert_eq!(entry.sha256, hex(&read(&entry.path)), "{}", entry.path);
    }
}

#[test]
fn what_is_invented_lies_in_its_folder_and_is_marked_and_nothing_else_is() {
    for entry in entries() {
        assert_eq!(entry.invented, entry.path.starts_with("invented/"), "{}", entry.path);
        assert_eq!(entry.invented, entry.texts[0].starts_with("INVENTED"), "{}", entry.path);
        assert!(entry.texts.iter().all(|text| !text.is_empty()), "{}", entry.path);
    }
}

#[test]
fn invented_artists_say_that_they_are_invented() {
    let invented = records("invented/dossiers.jsonl");
    assert!(!invented.is_empty());
    for dossier in invented {
        assert!(dossier["identity"]["profile"].as_str().unwrap().starts_with("Invented for the demo"));
        assert!(dossier["id"].as_u64().unwrap() > 999_999_000);
    }
    for gig in records("invented/gigs.jsonl") {
        assert!(gig["title"].as_str().unwrap().contains("invented"));
        assert!(gig.get("date").is_none());
    }
}

#[test]
fn sourced_files_hold_no_signal_that_no_source_has() {
    for dossier in records("artists/dossiers.jsonl") {
        for facet in
            ["emergence", "live_demand", "brokerage", "behavioral", "network_position", "airplay_breadth"]
        {
            assert_eq!(dossier[facet]["state"], "honest_gap", "{facet}");
            assert_eq!(dossier[facet]["signals"], Value::Null, "{facet}");
        }
        assert_eq!(dossier["breakout"]["signal"], Value::Null);
        assert_eq!(dossier["connections"]["signals"]["related"], serde_json::json!([]));
        for facet in ["aura", "dj_champion", "radio_play", "listen_flow", "marketplace"] {
            assert!(dossier.get(facet).is_none(), "{facet}");
        }
        assert_eq!(dossier["debut"]["signals"], Value::Null, "no source dates a first release");
    }
    for row in records("masters/rows.jsonl") {
        for count in ["owner_count", "dj_count", "critic_count", "cube_quadrant"] {
            assert_eq!(row[count], Value::Null);
        }
    }
}

#[test]
fn every_cluster_id_is_a_demo_id_made_by_the_written_recipe() {
    let mut all = BTreeSet::new();
    for path in files().iter().filter(|path| path.ends_with(".jsonl")) {
        records(path).iter().for_each(|record| ids(record, &mut all));
    }
    assert!(all.len() > 100);
    assert!(all.iter().all(|id| id.starts_with("00000000")), "{all:?}");

    let shared = [(463_597, 48_433)];
    let mut made = BTreeSet::new();
    for artist in records("artists/index.jsonl") {
        let id = match artist["discogs"][0].as_u64() {
            Some(id) => {
                let first = shared.iter().find(|(other, _)| *other == id).map_or(id, |(_, first)| *first);
                demo_id(&format!("discogs:artist:{first}"))
            }
            None => demo_id(&format!("musicbrainz:artist:{}", artist["mbid"].as_str().unwrap())),
        };
        if !artist["cluster_id"].is_null() {
            assert_eq!(artist["cluster_id"], id, "{artist}");
        }
        made.insert(id);
    }
    for label in records("labels/dossiers.jsonl") {
        let id = label["id"].as_u64().unwrap();
        let first = match id {
            149_411 => 1_866,
            134_490 => 25_693,
            other => other,
        };
        assert_eq!(label["cluster_id"], demo_id(&format!("discogs:label:{first}")));
        made.insert(demo_id(&format!("discogs:label:{first}")));
    }
    made.extend((1..=4).map(|number| demo_id(&format!("invented:artist:{number}"))));
    assert!(all.is_subset(&made), "{:?}", all.difference(&made));
    let recipe = manifest()["demo_ids"]["recipe"].as_str().unwrap().to_owned();
    assert_eq!(recipe, "'00000000' + sha256('ono-demo-v1:' + source id).hex()[8:]");
}

#[test]
fn artists_of_one_name_are_apart_but_for_the_family_that_the_manifest_names() {
    let index = records("artists/index.jsonl");
    let mut seen = std::collections::BTreeMap::new();
    for artist in index.iter().filter(|artist| !artist["cluster_id"].is_null()) {
        seen.entry(artist["cluster_id"].as_str().unwrap()).or_insert_with(Vec::new).push(&artist["name"]);
    }
    let shared: Vec<_> = seen.into_values().filter(|names| names.len() > 1).collect();
    assert_eq!(shared, [["Alice Cooper", "Alice Cooper (2)"]]);
    assert!(manifest()["demo_ids"]["statement"].as_str().unwrap().contains("48433 and 463597"));
}

#[test]
fn no_prose_but_short_profiles_and_no_contact_data_came_in() {
    for dossier in records("artists/dossiers.jsonl") {
        let profile = dossier["identity"]["profile"].as_str().unwrap_or_default();
        assert!(profile.chars().count() <= 600, "{}", dossier["slug"]);
        assert!(profile.chars().all(|c| c == '\n' || !c.is_control()), "{}", dossier["slug"]);
    }
    let unspoken = |dossier: &Value| dossier["identity"]["profile"].is_null();
    assert!(records("labels/dossiers.jsonl").iter().all(unspoken));
    for path in files().iter().filter(|path| path.ends_with(".jsonl") && !path.starts_with("invented/")) {
        let text = String::from_utf8(read(path)).unwrap();
        for key in ["\"contactinfo\"", "\"videos\"", "\"images\"", "\"notes\"", "\"uri150\""] {
            assert!(!text.contains(key), "{path} has {key}");
        }
    }
}

#[test]
fn the_catalogue_stays_modest_and_worth_a_look() {
    let size: usize = files().iter().map(|path| read(path).len()).sum();
    assert!(size < 3_000_000, "{size} bytes");
    assert!(records("artists/index.jsonl").len() >= 60);
    assert!(records("labels/dossiers.jsonl").len() >= 40);
    assert!(records("masters/rows.jsonl").len() >= 200);
    assert!(records("tracks/tracks.jsonl").len() >= 300);
}

/// The source data lies beside the repository where it can be had; it is not part of it.
#[test]
fn the_generator_writes_exactly_these_files() {
    let shared = std::env::var_os("ONO_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let source = shared.join("data");
    let python = Command::new("python3").arg("--version").output().is_ok();
    if !source.is_dir() || !python {
        println!("SKIPPED: the generator was not run: no {} or no python3", source.display());
        return;
    }
    let out = std::env::temp_dir().join(format!("ono-fixtures-{}", std::process::id()));
    std::fs::create_dir_all(&out).unwrap();
    let ran = Command::new("python3")
        .arg(folder().join("generate.py"))
        .arg(&source)
        .arg("--out")
        .arg(&out)
        .output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    for path in
        files().iter().filter(|path| path.ends_with(".jsonl")).map(String::as_str).chain(["manifest.toml"])
    {
        assert!(
            std::fs::read(out.join(path)).unwrap() == read(path),
            "{path} is not what the generator writes"
        );
    }
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn the_generator_says_loudly_that_its_source_is_absent() {
    let Ok(ran) = Command::new("python3").arg(folder().join("generate.py")).arg("/nonexistent").output()
    else {
        println!("SKIPPED: there is no python3");
        return;
    };
    assert!(!ran.status.success());
    assert!(String::from_utf8_lossy(&ran.stderr).contains("the source data is absent"));
}
