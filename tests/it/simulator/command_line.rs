//! The requests that the service's own command-line client makes, sent as it sends them.
//!
//! The client is not published any more, so what it sends is written down here: for each of its commands the path and
//! the query, encoded as it encodes them, and its header. It needs a status of 200 and JSON for an answer, and of a
//! refusal `error`, `message`, `hint`, `param`, `Retry-After` and the `X-RateLimit` fields.

use std::io::Write;

use serde_json::Value;

use super::process::{Said, read};
use super::{KEY, Sim};
use crate::contract::Contract;
use crate::harness::artists;

/// What it sends beside the request line; `accept` and the following fields are those of its runtime.
const HEADER: &str = "connection: close\r\naccept: */*\r\naccept-language: *\r\nsec-fetch-mode: cors\r\n\
    user-agent: crate-cli/0.3.5\r\naccept-encoding: gzip, deflate\r\n";

fn ask(sim: &Sim, target: &str, key: Option<&str>) -> Said {
    let mut stream = sim.connect();
    let key = key.map(|key| format!("X-API-Key: {key}\r\n")).unwrap_or_default();
    let request =
        format!("GET {target} HTTP/1.1\r\nhost: {}\r\n{key}{HEADER}\r\n", &sim.url["http://".len()..]);
    stream.write_all(request.as_bytes()).expect("it reads");
    read(stream)
}

/// Its commands that ask with a key, each as the request that it makes.
fn requests(cluster: &str) -> Vec<(&'static str, String)> {
    let surface = "/api/v2/surface/seen.radio_co_play";
    [
        ("resolve NAME", "/api/v2/resolve?q=Four+Tet".to_owned()),
        ("resolve NAME", "/api/v2/resolve?q=Sigur+R%C3%B3s+%26+friends".to_owned()),
        ("resolve URL", "/api/v2/resolve?url=https%3A%2F%2Faphextwin.bandcamp.com".to_owned()),
        ("resolve --discogs", "/api/v2/resolve?discogs=45".to_owned()),
        ("resolve --mbid", "/api/v2/resolve?mbid=f22942a1-6f70-4f48-866e-238cb2308fbd".to_owned()),
        ("resolve --cluster", format!("/api/v2/resolve?cluster={cluster}")),
        ("artist SLUG", "/api/v2/artist/aphex-twin".to_owned()),
        ("artist CLUSTER", format!("/api/v2/artist/{cluster}")),
        ("artist --fields", "/api/v2/artist/aphex-twin?fields=identity%2Cdiscography".to_owned()),
        ("master", "/api/v2/artist/the-persuader/master/4242".to_owned()),
        ("bandcamp", "/api/v2/artist/aphex-twin/bandcamp/2783508421".to_owned()),
        ("label", "/api/v2/label/svek".to_owned()),
        ("festival", "/api/v2/dossier/festival/dekmantel".to_owned()),
        ("search", "/api/v2/search?q=detroit+techno&limit=5".to_owned()),
        (
            "search, every filter",
            "/api/v2/search?q=a&genre=Electronic&style=Techno&country=Sweden&label=Svek&format=Vinyl&\
             year_from=1990&year_to=2000&limit=5&offset=0"
                .to_owned(),
        ),
        ("facets, auth status, triage", "/api/v2/facets".to_owned()),
        ("facets", "/api/v2/facets?genre=Electronic&country=UK&year_from=1990".to_owned()),
        ("artists", "/api/v2/artists?tier=rising&sort=reach&limit=5&offset=0".to_owned()),
        ("aura", "/api/v2/aura?limit=3".to_owned()),
        ("aura CLUSTER", format!("/api/v2/aura/{cluster}")),
        ("breakouts", "/api/v2/breakouts?tier=rising&corroboration=corroborated&limit=5".to_owned()),
        ("tastemakers", "/api/v2/tastemakers?limit=5".to_owned()),
        ("tastemakers --ones-to-watch", "/api/v2/tastemakers/ones-to-watch?limit=5".to_owned()),
        ("manifest", "/api/v2/dossier/manifest".to_owned()),
        ("surface", "/api/v2/surface".to_owned()),
        ("surface NAME", format!("{surface}?cluster={cluster}&limit=2")),
        ("api", "/api/v2/semantics/dictionary.json".to_owned()),
        ("api", "/api/v2/search?genre=Rock&genre=Jazz&limit=2".to_owned()),
        ("api", "/api/v2".to_owned()),
    ]
    .into_iter()
    .collect()
}

/// Path and query of a target, decoded.
fn decoded(target: &str) -> (String, Vec<(String, String)>) {
    let url = url::Url::parse(&format!("http://x{target}")).expect("a target");
    (url.path().to_owned(), url.query_pairs().into_owned().collect())
}

#[test]
fn every_command_of_the_services_own_client_is_answered_as_the_contract_says() {
    let sim = Sim::with("");
    let own = Contract::of_the_demo();
    let contracts = [Contract::of_the_service(), Some(own)];
    let cluster = artists()
        .iter()
        .find(|artist| artist.slug == "aphex-twin")
        .and_then(|artist| artist.cluster_id.clone())
        .expect("a cluster");
    let keyed = requests(&cluster).into_iter().map(|(command, target)| (command, target, Some(KEY)));
    let open = [("preview", "/api/v2/preview/artist?q=Four+Tet"), ("triage", "/api/v2")];
    let open = open.map(|(command, target)| (command, target.to_owned(), None));
    let mut asked = 0;
    for (command, target, key) in keyed.chain(open) {
        let said = ask(&sim, &target, key);
        assert_eq!(said.status, 200, "{command}: {target}: {said:?}");
        assert!(
            said.field("content-type").is_some_and(|kind| kind.starts_with("application/json")),
            "{said:?}"
        );
        let (path, query) = decoded(&target);
        for contract in contracts.iter().flatten() {
            let mut problems = contract.request("get", &path, &query);
            problems.extend(contract.answer_with("get", &path, &query, 200, &said.json()));
            assert!(problems.is_empty(), "{command}: {target}: {problems:?}");
        }
        asked += 1;
    }
    assert!(asked > 30, "{asked}");
}

#[test]
fn a_page_of_a_surface_is_followed_by_the_cursor_that_it_names() {
    let sim = Sim::with("");
    let path = "/api/v2/surface/seen.radio_co_play";
    let clusters = artists().iter().filter_map(|artist| artist.cluster_id.as_deref());
    let first = clusters
        .map(|cluster| (cluster, ask(&sim, &format!("{path}?cluster={cluster}&limit=2"), Some(KEY)).json()))
        .find(|(_, page)| page["next_after"].is_string());
    let (cluster, first) = first.expect("somebody with more than two rows");
    let after = first["next_after"].as_str().expect("a cursor");
    let second = ask(&sim, &format!("{path}?cluster={cluster}&after={after}&limit=2"), Some(KEY)).json();
    assert_ne!(first["rows"], second["rows"]);
    assert!(second["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{second}");
}

#[test]
fn its_refusals_hold_what_the_client_tells_people_of_them() {
    let text = |body: &Value, name: &str| body[name].as_str().map(str::to_owned);
    let sim = Sim::start("", &["--in-flight", "0", "--per-minute", "4"]);
    for key in [None, Some("ck_live_AnotherKeyThatOpensNothingAtAll0")] {
        let said = ask(&sim, "/api/v2/facets", key);
        assert_eq!((said.status, text(&said.json(), "error").as_deref()), (401, Some("invalid_api_key")));
    }
    for (target, param) in [
        ("/api/v2/artist/discogs%3A45", Some("key")),
        ("/api/v2/search?q=a&limit=ten", Some("limit")),
        ("/api/v2/resolve", None),
    ] {
        let said = ask(&sim, target, Some(KEY));
        let body = said.json();
        assert_eq!((said.status, text(&body, "param").as_deref()), (400, param), "{target}: {body}");
        assert!(text(&body, "error").is_some() && text(&body, "message").is_some(), "{target}: {body}");
    }
    ask(&sim, "/api/v2/facets", Some(KEY));
    let said = ask(&sim, "/api/v2/facets", Some(KEY));
    assert_eq!(said.status, 429);
    let wait: u64 = said.field("retry-after").and_then(|wait| wait.parse().ok()).expect("a time");
    assert!((1..=60).contains(&wait) && said.json()["retry_after_seconds"] == wait, "{said:?}");
    for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
        assert!(said.field(name).is_some_and(|value| value.parse::<u64>().is_ok()), "{name}: {said:?}");
    }
    let broken = Sim::with("[[rule]]\nstatus = 503\n");
    let said = ask(&broken, "/api/v2/facets", Some(KEY));
    assert!(said.status == 503 && text(&said.json(), "error").is_some(), "{said:?}");
}
