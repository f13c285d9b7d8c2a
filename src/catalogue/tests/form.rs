//! Whether answers have the service's shapes.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::Catalogue;
use super::{demo, get};

/// Path, query, and the path in the service's description that has the schema.
type Request = (String, Vec<(&'static str, String)>, &'static str);

/// Requests that show every kind of answer, with the schema of a 200.
fn requests(catalogue: &Catalogue) -> Vec<Request> {
    let mut out: Vec<Request> = Vec::new();
    let mut add = |path: &str, query: &[(&'static str, &str)], schema| {
        out.push((path.to_owned(), query.iter().map(|(k, v)| (*k, (*v).to_owned())).collect(), schema));
    };
    let resolve = "/api/v2/resolve";
    let artist = "/api/v2/artist/{key}";
    let label = "/api/v2/label/{key}";
    for name in catalogue.artists.names() {
        add(resolve, &[("q", name)], resolve);
        add("/api/v2/search", &[("q", name)], "/api/v2/search");
    }
    for (slug, cluster) in catalogue.artists.keys() {
        add(&format!("/api/v2/artist/{slug}"), &[], artist);
        if let Some(cluster) = cluster {
            add(&format!("/api/v2/artist/{cluster}"), &[], artist);
            add(resolve, &[("cluster", cluster)], resolve);
            add(&format!("/api/v2/aura/{cluster}"), &[], "/api/v2/aura/{cluster}");
        }
    }
    for key in catalogue.labels.keys() {
        add(&format!("/api/v2/label/{key}"), &[], label);
    }
    for query in
        [("discogs", "1975486"), ("discogs", "artist:1"), ("q", "nirv"), ("url", "https://example.org/x")]
    {
        add(resolve, &[query], resolve);
    }
    add("/api/v2/artist/nobody", &[], artist);
    add("/api/v2/label/nothing", &[], label);
    add("/api/v2/search", &[("genre", "Rock"), ("genre", "Jazz"), ("year_from", "1990")], "/api/v2/search");
    for query in [
        &[("title", "a"), ("fuzzy", "true")][..],
        &[("title", "the"), ("fuzzy", "true")],
        &[("title", "Intro")],
    ] {
        add("/api/v2/tracks", query, "/api/v2/tracks");
    }
    for path in [
        "/api/v2",
        "/api/v2/aura",
        "/api/v2/breakouts",
        "/api/v2/tastemakers/ones-to-watch",
        "/api/v2/dossier/manifest",
        "/api/v2/semantics/dictionary.json",
    ] {
        add(path, &[], path);
    }
    add(
        "/api/v2/breakouts",
        &[("tier", "rising"), ("corroboration", "corroborated"), ("limit", "1")],
        "/api/v2/breakouts",
    );
    out
}

#[test]
fn every_answer_has_the_fields_of_its_kind() {
    let catalogue = demo();
    for (path, query, schema) in requests(catalogue) {
        let query: Vec<_> = query.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let (status, body) = get(catalogue, &path, &query);
        assert_eq!(status, 200, "{path} {query:?}");
        let fields: &[&str] = match schema {
            "/api/v2/resolve" => {
                &["cluster_id", "slug", "display", "locators", "resolved_via", "resolved_from"]
            }
            "/api/v2/search" => &["query", "pagination", "facets", "freshness", "results"],
            "/api/v2/artist/{key}" => {
                &["contract_version", "identity", "connections", "discography", "provenance"]
            }
            "/api/v2/label/{key}" => {
                &["contract_version", "identity", "binds", "presence", "over_merge", "travels"]
            }
            "/api/v2/tracks" => &["state", "source", "mode", "normalized", "truncated", "count", "results"],
            "/api/v2/aura" => &["state", "about", "items"],
            "/api/v2/aura/{cluster}" => &["present", "state", "aura"],
            "/api/v2/breakouts" => &["items", "state"],
            "/api/v2/tastemakers/ones-to-watch" => &["onesToWatch", "snapshotDate", "state", "stale"],
            "/api/v2/dossier/manifest" => {
                &["contract_version", "generated_at", "unavailable_grains", "grains"]
            }
            "/api/v2/semantics/dictionary.json" => &["schema_version", "generator", "entries"],
            _ => &["object", "version", "cold_start", "recipes", "resources", "errors", "links", "types"],
        };
        for field in fields {
            assert!(body.get(field).is_some(), "{path} {query:?} lacks {field}");
        }
    }
}

/// The service's own description of itself lies beside the repository where it can be had; it is not part of it.
fn openapi() -> Option<Value> {
    let folder = std::env::var_os("ONO_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = folder.join("crate/openapi-2.47.0.json");
    match std::fs::read(&path) {
        Ok(bytes) => {
            let mut document = serde_json::from_slice(&bytes).unwrap();
            let widened = admit_null(&mut document);
            assert!(widened > 0, "the document no longer needs to be read generously");
            Some(document)
        }
        Err(problem) => {
            println!(
                "SKIPPED: answers were not checked against the OpenAPI document: {}: {problem}",
                path.display()
            );
            None
        }
    }
}

/// The document types a field as text or null and then lists its words without null, while its prose says what
/// null means there. It is read as it is meant. Gives the number of such places.
fn admit_null(schema: &mut Value) -> usize {
    let mut widened = 0;
    match schema {
        Value::Object(object) => {
            let nullable = object
                .get("type")
                .and_then(Value::as_array)
                .is_some_and(|kinds| kinds.contains(&json!("null")));
            if let Some(Value::Array(words)) = object.get_mut("enum").filter(|_| nullable)
                && !words.contains(&Value::Null)
            {
                words.push(Value::Null);
                widened += 1;
            }
            widened + object.values_mut().map(admit_null).sum::<usize>()
        }
        Value::Array(parts) => parts.iter_mut().map(admit_null).sum(),
        _ => widened,
    }
}

#[test]
fn every_answer_is_valid_by_the_services_own_description() {
    let Some(openapi) = openapi() else { return };
    let catalogue = demo();
    let mut validators = std::collections::BTreeMap::new();
    for (path, query, schema) in requests(catalogue) {
        let validator = validators.entry(schema).or_insert_with(|| {
            let content = &openapi["paths"][schema]["get"]["responses"]["200"]["content"]["application/json"];
            let mut root = content["schema"].clone();
            assert!(root.is_object(), "no schema for {schema}");
            root["components"] = openapi["components"].clone();
            jsonschema::draft202012::new(&root).unwrap()
        });
        let query: Vec<_> = query.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let (_, body) = get(catalogue, &path, &query);
        let problems: Vec<_> =
            validator.iter_errors(&body).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(problems.is_empty(), "{path} {query:?}: {problems:?}");
    }
    assert_eq!(validators.len(), 12);
}
