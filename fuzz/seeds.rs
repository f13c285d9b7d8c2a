//! Writes the seeds of every target below the folder that is named: what the tests and the fixtures hold, in the form
//! that each target reads. `fuzz/run seeds` calls it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::transport::{Answer, CatalogueTransport, Request, Sending, Transport};
use ono_sendai::crate_client::{CallLedger, Caller, Extension};
use ono_sendai::cursors::{MemoryCursors, Owner, Walks};
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::profile::Profile;
use ono_sendai::store::Class;
use ono_sendai::tools::Call;
use ono_sendai::tools::registry::ToolName;
use ono_sendai_fuzz::crate_answers::{CALLS, FIRST};
use ono_sendai_fuzz::service::{client, runtime};
use ono_sendai_fuzz::token::{entry, good};
use ono_sendai_fuzz::{BETWEEN, NOW};
use serde_json::{Value, json};

#[allow(dead_code)]
#[path = "../tests/it/answers/samples.rs"]
mod samples;

/// The longest seed of the data service, in bytes.
const LONGEST: usize = 6_000;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project");
    let seeds = Seeds(folder);
    crate_answers(&seeds);
    cursor(&seeds);
    tool_arguments(&seeds);
    jsonrpc(&seeds);
    bearer_and_jwks(&seeds);
    configuration(&seeds, root);
    stored_records(&seeds);
    locator_and_name(&seeds, root);
    certificate_and_host(&seeds);
}

struct Seeds(PathBuf);

impl Seeds {
    fn write(&self, target: &str, name: &str, bytes: impl AsRef<[u8]>) {
        let folder = self.0.join(target);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), bytes).expect("room");
    }
}

/// The samples of the tests where there is one, else the demo catalogue; what was said is kept.
#[derive(Debug)]
struct Recorder {
    catalogue: CatalogueTransport,
    said: Mutex<Vec<Vec<u8>>>,
    of_the_demo: bool,
}

impl Recorder {
    fn sample(&self, path: &str) -> Option<Value> {
        let end = path.rsplit('/').next().unwrap_or_default();
        Some(match path.strip_prefix("/api/v2/")?.split('/').next()? {
            _ if self.of_the_demo => return None,
            "resolve" => samples::resolution(),
            "search" => samples::search(),
            "tracks" => samples::tracks(),
            "label" => samples::label(),
            "breakouts" => samples::breakouts(),
            "tastemakers" => samples::watched(),
            "aura" if end == "aura" => samples::auras(),
            "aura" => samples::aura(),
            "surface" if path.contains("radio") => samples::radio(),
            "surface" => samples::festivals(),
            "artist" if end == "gigs" => samples::gigs(),
            "artist" if end == "similar" => samples::similar(),
            "artist" => {
                let mut all = samples::dossier();
                let more = samples::surroundings();
                if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
                    all.extend(more.clone());
                }
                all
            }
            _ => return None,
        })
    }

    fn keep(&self, answer: &Answer) {
        let status = if answer.status == 200 { b' ' } else { b'4' };
        self.said.lock().expect("whole").push([&[status], &answer.body[..]].concat());
    }
}

impl Transport for Recorder {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        let sample = self.sample(request.path);
        Box::pin(async move {
            let answer = match sample {
                Some(body) => Answer::new(200, body.to_string().into()),
                None => self.catalogue.send(request).await?,
            };
            self.keep(&answer);
            Ok(answer)
        })
    }
}

/// What a service says to one call after another; `None` for what is no tool.
fn said(recorder: &Arc<Recorder>, extensions: &[Extension], calls: &[(&str, String)]) -> Vec<Vec<u8>> {
    let client = client(Arc::clone(recorder) as _, extensions);
    for (tool, arguments) in calls {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        let tool = ToolName::find(tool, Profile::Full).expect("a tool");
        let call = Call::parse(tool, &arguments).expect("a call");
        let cursors = MemoryCursors::new(Clock::wound_to(NOW));
        let walks = Walks { cursors: &cursors, owner: Some(Owner::new([1; 16])) };
        let ledger = CallLedger::new(Caller::account(1));
        let _answer = runtime().block_on(call.run(&client, &ledger, Origin::Service, None, walks));
    }
    std::mem::take(&mut *recorder.said.lock().expect("whole"))
}

/// An input of its head and what the service says.
fn input(head: Vec<u8>, said: &[Vec<u8>]) -> Vec<u8> {
    let mut parts = vec![head];
    parts.extend_from_slice(said);
    parts.join(&BETWEEN)
}

fn recorder(of_the_demo: bool) -> Arc<Recorder> {
    let catalogue = Arc::new(Catalogue::embedded().expect("a catalogue"));
    let catalogue = CatalogueTransport::new(catalogue, Clock::wound_to(NOW));
    Arc::new(Recorder { catalogue, said: Mutex::default(), of_the_demo })
}

fn crate_answers(seeds: &Seeds) {
    let of_the_demo = |text: &str| {
        let four_tet = "0000000053f2fdaf0acd3e4531659a23132e969b76d0850c685a496a175fc756";
        text.replace(&samples::cluster(7), four_tet)
            .replace("somebody", "four-tet")
            .replace("Somebody", "Four Tet")
    };
    for (at, (tool, arguments)) in CALLS.iter().enumerate() {
        let byte = FIRST + u8::try_from(at).expect("few");
        let name = |kind: &str| format!("{tool}-{at}-{kind}");
        if tool.is_empty() {
            let document = match *arguments {
                "manifest" => r#" {"grains":[{"grain":"artist","fields":[]}]}"#,
                "dictionary" => r#" {"entries":{"aura":{"meaning":"x","caveats":[]}}}"#,
                _ => {
                    r#" {"paths":{"/api/v2/artist/{key}/gigs":{"get":{"responses":{"200":{"gigs":{"date":{},"venue":{},"cancelled":{}}}}}},"/api/v2/search":{"get":{"parameters":[{"name":"cursor"}]}}}}"#
                }
            };
            let head = [byte, b' ', b'0', BETWEEN];
            seeds.write("crate_answers", &name("document"), [&head[..], document.as_bytes()].concat());
            continue;
        }
        for (kind, has, extensions) in [
            ("plain", b'0', &[][..]),
            ("newer", b'?', &Extension::ALL[..]),
            ("demo", b'2', &[Extension::Gigs][..]),
        ] {
            let demo = kind == "demo";
            let words = if demo { of_the_demo(arguments) } else { (*arguments).to_owned() };
            let said = said(&recorder(demo), extensions, &[(*tool, words)]);
            let bytes = input(vec![byte, b' ', has], &said);
            if !said.is_empty() && bytes.len() <= LONGEST {
                seeds.write("crate_answers", &name(kind), bytes);
            }
        }
    }
    // Who was resolved before is remembered.
    for second in [11, 15, 19] {
        let calls = [CALLS[0], CALLS[second]].map(|(tool, arguments)| (tool, arguments.to_owned()));
        let said = said(&recorder(false), &[Extension::Gigs], &calls);
        let head = vec![FIRST, FIRST + u8::try_from(second).expect("few"), b'2'];
        seeds.write("crate_answers", &format!("after-resolve-{second}"), input(head, &said));
    }
}

fn cursor(seeds: &Seeds) {
    let seal = ono_sendai::cursors::seal::Seal::of(&[7; 32]);
    seeds.write("cursor", "word", format!("w{}", seal.word(&[9; 16])));
    seeds.write(
        "cursor",
        "steps",
        [&b"o"[..], &[0_u8, 1, 27, 0, 18, 200, 9, 7, 36, 2, 28, 1, 18, 100, 27, 0, 216, 1][..]].concat(),
    );
    let page = |cursor: Option<&str>, from: u32| {
        let mut page = samples::search();
        page["pagination"]["total_results"] = json!(9);
        page["pagination"]["next_cursor"] = json!(cursor);
        page["next_cursor"] = json!(cursor);
        for (row, id) in page["results"].as_array_mut().into_iter().flatten().zip(from..) {
            row["master_id"] = json!(id);
        }
        format!(" {page}")
    };
    let joined = |place: &str, pages: &[String]| {
        let parts: Vec<&[u8]> =
            std::iter::once(place.as_bytes()).chain(pages.iter().map(String::as_bytes)).collect();
        parts.join(&BETWEEN)
    };
    let pages = [page(None, 101), page(None, 104), page(None, 107)];
    seeds.write("cursor", "counted", joined("p", &pages));
    seeds.write("cursor", "counted-on", joined("p3|o:", &pages));
    let pages = [page(Some("b"), 101), page(Some("c"), 104), page(Some("b"), 107)];
    seeds.write("cursor", "led", joined("p10|k:a", &pages));
    seeds.write("cursor", "led-on", joined("p10|c:3:af63dc4c8601ec8c:b", &pages));
    seeds.write("cursor", "led-empty", joined("p10|e:2:3:af63dc4c8601ec8c:b", &pages));
}

fn tool_arguments(seeds: &Seeds) {
    let number = |tool: &str| {
        ToolName::ALL.iter().position(|name| name.as_str() == tool).and_then(|at| u8::try_from(at).ok())
    };
    let write = |name: &str, tool: &str, arguments: &str| {
        let Some(number) = number(tool) else { return };
        seeds.write("tool_arguments", name, [&[b'0' + number][..], arguments.as_bytes()].concat());
    };
    for (at, (tool, arguments)) in CALLS.iter().enumerate() {
        write(&format!("call-{at}"), tool, arguments);
    }
    for (at, (tool, arguments)) in [
        ("resolve_artist", r#"{"q":"Four Tet","limit":5}"#),
        ("resolve_artist", r#"{"query":"Four Tet"}"#),
        ("resolve_artist", r#"{"q":"{{artist}}"}"#),
        ("resolve_artist", r#"{"q":"Nirvana","mbid":null,"toolCallId":"x"}"#),
        ("resolve_artist", r#"{"url":"open.spotify.com/artist/7Eu1txygG6nJttLHbZdQOh?si=x"}"#),
        ("resolve_artist", r#"{"discogs_id":3543}"#),
        ("get_artist", r#"{"key":"four-tet","view":"Full","include":"[\"similar\",\"gigs\"]"}"#),
        ("get_artist", r#"{"key":"0000000053f2fdaf0acd3e4531659a23132e969b76d0850c685a496a175fc756","include":["similar"]}"#),
        ("get_artist", r#"{"key":"alice-cooper","view":"summary"}"#),
        ("search_catalog", r#"{"q":"drum","genre":["Electronic","Rock"],"genre_mode":"all","style":"IDM","format":"Vinyl","country":"UK","label":"Warp","year_from":"1990","year_to":2020,"limit":51}"#),
        ("search_catalog", r#"{"year_from":2020,"year_to":1990}"#),
        ("search_catalog", r#"{"q":"x","cursor":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#),
        ("find_similar_artists", r#"{"key":"aphex-twin","limit":"25"}"#),
        ("find_tracks", r#"{"title":"a little less conversation","fuzzy":"true"}"#),
        ("find_tracks", r#"{"artist":"Four Tet","track":"Echo","title":"x"}"#),
        ("get_upcoming_gigs", r#"{"key":"brian-eno","limit":51}"#),
        ("get_label", r#"{"key":"planet-e"}"#),
        ("list_breakouts", r#"{"tier":"rising","corroboration":"booking_ahead","limit":1}"#),
        ("get_aura", r#"{"cluster_id":"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","limit":3}"#),
        ("get_profile", "{}"),
        ("get_usage", r#"{"x":1}"#),
    ]
    .into_iter()
    .enumerate()
    {
        write(&format!("argument-{at}"), tool, arguments);
    }
}

fn jsonrpc(seeds: &Seeds) {
    let modern = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let bodies = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"tools/list","params":{"cursor":""}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"resolve_artist","arguments":{"q":"Four Tet"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_artist","arguments":"{\"key\":\"four-tet\"}"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"hosaka://capabilities"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"who_is_this_artist","arguments":{"name":"Nirvana"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":5,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"who_is_this_artist"},"argument":{"name":"name","value":"F"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_owned(),
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{modern}}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"search_catalog","arguments":{{"genre":"Electronic"}},{modern}}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"hosaka://envelope-schema",{modern}}}}}"#),
    ];
    for (at, body) in bodies.iter().enumerate() {
        seeds.write("jsonrpc_body", &format!("body-{at}"), body);
        let json: Value = serde_json::from_str(body).expect("JSON");
        let mut header = "content-type: application/json\naccept: application/json, text/event-stream\nhost: mcp.example\n".to_owned();
        if body.contains("2026-07-28") {
            header += &format!(
                "mcp-protocol-version: 2026-07-28\nmcp-method: {}\n",
                json["method"].as_str().unwrap_or_default()
            );
            for key in ["name", "uri"] {
                if let Some(name) = json["params"][key].as_str() {
                    header += &format!("mcp-name: {name}\n");
                }
            }
        } else if at % 2 == 0 {
            header += "mcp-protocol-version: 2025-11-25\norigin: https://claude.ai\n";
        }
        header += match at % 3 {
            0 => "authorization: Bearer GOOD\n",
            1 => "x-forwarded-for: 198.51.100.7, 10.0.0.9\n",
            _ => "",
        };
        seeds.write(
            "headers_and_era",
            &format!("request-{at}"),
            format!("{}{header}\n{body}", ["0", "1"][at % 2]),
        );
    }
    let odd = "2accept: text/event-stream;q=1, */*;q=0\nauthorization: Bearer x.y.z\nauthorization: Basic eA==\nhost: [::1]:8443\norigin: http://localhost:6274\nmcp-name: =?base64?eA==?=\n\n{}";
    seeds.write("headers_and_era", "odd", odd);
}

fn bearer_and_jwks(seeds: &Seeds) {
    let write = |name: &str, text: &[u8]| seeds.write("bearer_and_jwks", name, text);
    write("field-good", format!("tBearer {}", good()).as_bytes());
    write("field-spaced", format!("tbearer   {} ", good()).as_bytes());
    write("field-several", b"tBearer a.b.c\nBasic eA==");
    write("field-cut", &format!("tBearer {}", good()).as_bytes()[..60]);
    let claims = [
        r#"{"iss":"https://issuer.example","sub":"somebody","aud":"https://mcp.example/mcp","exp":9999999999,"iat":1801396800,"scope":"a b"}"#,
        r#"{"iss":"https://issuer.example","sub":"x","aud":["y","https://mcp.example/mcp/"],"exp":1801396790.5,"nbf":1801396800,"scp":["a"],"azp":"chatgpt"}"#,
        r#"{"iss":"https://issuer.example","sub":"x","aud":"client-7","exp":1e300,"client_id":"chatgpt"}"#,
        r#"{"iss":"https://issuer.example","sub":"x","aud":"other","exp":0}"#,
    ];
    let headers = [
        r#"{"alg":"EdDSA","kid":"seven","typ":"at+jwt"}"#,
        r#"{"alg":"EdDSA"}"#,
        r#"{"alg":"none"}"#,
        r#"{"alg":"EdDSA","crit":["x"],"typ":"application/JWT"}"#,
    ];
    for (at, (header, claims)) in
        headers.iter().flat_map(|header| claims.iter().map(move |claims| (header, claims))).enumerate()
    {
        write(
            &format!("claims-{at}"),
            &[&b"c"[..], header.as_bytes(), &[BETWEEN], claims.as_bytes()].concat(),
        );
    }
    let rsa =
        format!(r#"{{"kty":"RSA","n":"{}","e":"AQAB","alg":"RS256","key_ops":["verify"]}}"#, "u".repeat(342));
    let ec = r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","use":"sig","kid":"e"}"#;
    write("keys-good", format!(r#"k{{"keys":[{}]}}"#, entry()).as_bytes());
    write(
        "keys-several",
        format!(r#"k{{"keys":[{rsa},{ec},{{"kty":"oct","k":"x"}},5,{}]}}"#, entry()).as_bytes(),
    );
    write("keys-none", br#"k{"keys":[]}"#);
}

fn configuration(seeds: &Seeds, root: &Path) {
    for file in fs::read_dir(root.join("config")).expect("a folder").flatten() {
        let text = fs::read_to_string(file.path()).expect("text");
        if file.file_name() == "faults.toml" {
            continue;
        }
        // Without its comments it is as good a seed.
        let short: String = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .map(|line| format!("{line}\n"))
            .collect();
        seeds.write("configuration", &file.file_name().to_string_lossy(), short);
    }
    for (name, text) in [
        (
            "wrong",
            "[server]\nlisten = \"nowhere\"\npublic = 1\nno_such = true\n[server]\n[crate]\nkey = \"ck_live_SECRETSECRETSECRET\"\nbase_url = \"http://u:PASSWORDPASSWORD@x/?y\"\n",
        ),
        (
            "key",
            "[server]\nfixture_mode = false\n[crate]\nkey = \"ck_test_SECRETSECRETSECRET0123456789abcdef\"\n[accounts]\nhook_url = \"https://a.example/\"\nservice_key = \"SECRETSECRETSECRETSECRETSECRETSECRET\"\n",
        ),
        ("unquoted", "[crate]\nkey = ck_live_SECRETSECRETSECRET\nmore\n= 3\n\"x"),
        (
            "list",
            "[guard]\nhosts = [\"a.example\", \"b.example:8443\"]\norigins = [\"https://c.example\"]\ntrusted_proxies = [\"10.0.0.0/8\", \"::1\"]\n[[tls.more]]\ncertificate = \"/a\"\nkey = \"/b\"\n",
        ),
    ] {
        seeds.write("configuration", name, text);
    }
}

fn stored_records(seeds: &Seeds) {
    let key: &[u8] = &[9; 16];
    let long: &[u8] = &[9; 32];
    let replay = format!(r#"{{"answer":"{}"}}"#, "x".repeat(5_000));
    let cursor = format!(
        r#"{{"account":"{}","query":"{}","position":"o:","rows":10,"kept_ms":1801396800000}}"#,
        "09".repeat(16),
        "07".repeat(32)
    );
    let rows: [(Class, &[u8], u8, u8, &str); 14] = [
        (Class::Account, key, 2, 0, r#"{"first_seen_s":5,"allowance":9,"blocked":true}"#),
        (Class::Account, key, 1, 0, r#"{"first_seen_s":5,"allowance":null,"blocked":false}"#),
        (Class::Quota, key, 1, 140, r#"{"month":202701,"used":3,"reserved":9}"#),
        (Class::Anonymous, b"", 1, 0, r#"{"day":20270131,"used":3,"reserved":9}"#),
        (Class::Calendar, b"", 1, 0, r#"{"day":20270131}"#),
        (Class::Replay, long, 1, 128, &replay),
        (Class::Replay, long, 1, 129, r#"{"answer":"x"}"#),
        (Class::Cursor, key, 1, 200, &cursor),
        (Class::Window, b"global", 1, 129, r#"{"until_ms":1801396830000}"#),
        (
            Class::Ladder,
            b"",
            1,
            0,
            r#"{"by_hand":1,"anonymous_paused":true,"tools_off":["get_aura"],"restore_unconfirmed":false}"#,
        ),
        (Class::Month, b"", 1, 0, r#"{"month":202701,"used":300}"#),
        (
            Class::Identity,
            long,
            1,
            250,
            r#"{"one":{"slug":"somebody","discogs_id":45,"mbid":null,"is_alone":true},"seen_ms":1801396800000}"#,
        ),
        (Class::Receipt, key, 1, 0, "{}"),
        (Class::Quota, key, 9, 0, "{}"),
    ];
    let mut all = Vec::new();
    for (at, (class, key, version, ends, body)) in rows.into_iter().enumerate() {
        let length = u8::try_from(key.len()).expect("short");
        let part = [&[class.byte(), length][..], key, &[version, ends], body.as_bytes()].concat();
        seeds.write("stored_records", &format!("record-{at}"), [&b"r"[..], &part[..]].concat());
        if at % 2 == 0 && at < 12 {
            all.push(part);
        }
    }
    seeds.write("stored_records", "records", [&b"r"[..], &all.join(&BETWEEN)[..]].concat());
    let rows = ono_sendai_fuzz::stored_records::framed(
        Class::Quota.byte(),
        key,
        1,
        u64::MAX.to_be_bytes(),
        br#"{"month":202701,"used":3,"reserved":9}"#,
    );
    let backup = ono_sendai::fuzzing::backup_of(&(None, rows));
    seeds.write("stored_records", "backup", [&b"b"[..], &backup[..backup.len() - 32]].concat());
    seeds.write("stored_records", "rows", b"wq0000000000000000000\x01\x01{}\xffzzzz");
}

fn locator_and_name(seeds: &Seeds, root: &Path) {
    let names = fs::read_to_string(root.join("tests/it/identity/names.tsv")).expect("the names");
    for (at, line) in names.lines().filter(|line| !line.starts_with('#')).step_by(9).enumerate() {
        let mut fields = line.split('\t');
        if let (Some(one), Some(two)) = (fields.next(), fields.next()) {
            seeds.write("locator_and_name", &format!("names-{at}"), format!("{one}\n{two}"));
        }
    }
    for (at, text) in [
        "0000000053f2fdaf0acd3e4531659a23132e969b76d0850c685a496a175fc756",
        "3bcff06f-675a-451f-9075-99e8657047e8",
        "3543",
        "GB-AYE-06-01498",
        "four-tet",
        "https://www.discogs.com/artist/3543-Four-Tet",
        "musicbrainz.org/artist/3bcff06f-675a-451f-9075-99e8657047e8/releases",
        "https://fourtet.bandcamp.com/album/x?from=y#z",
        "spotify:artist:7Eu1txygG6nJttLHbZdQOh",
        "https://open.spotify.com/intl-de/artist/7Eu1txygG6nJttLHbZdQOh",
        "https://www.youtube.com/channel/UCxcjVHL-2o3D6Q9esu05a1Q",
        "https://youtube.com/@FourTet",
        "https://soundcloud.com/four-tet/tracks",
        "https://www.instagram.com/fourtetkieran/",
        "{{artist_name}}",
        "<name>",
        "Nirvana (2)",
        "The The\nthe the",
        "Simon & Garfunkel\nSimon and Garfunkel",
        "!!!",
    ]
    .into_iter()
    .enumerate()
    {
        seeds.write("locator_and_name", &format!("text-{at}"), text);
    }
}

fn certificate_and_host(seeds: &Seeds) {
    for (at, text) in [
        "mcp.example.org:8443",
        "[::1]:8443",
        "10.0.0.0/8",
        "2001:db8::/32",
        "::ffff:10.0.0.1",
        "https://app.example.org",
        "http://localhost:6274",
        "b\u{fc}cher.example",
        "https://mcp.example.org",
        "https://[::1]:8443",
        "a.b.c.",
    ]
    .into_iter()
    .enumerate()
    {
        seeds.write("certificate_and_host", &format!("host-{at}"), format!("h{text}"));
    }
    seeds.write("certificate_and_host", "certificate", [&b"c"[..], &certificate()[..]].concat());
}

/// A certificate in as few bytes as it needs.
fn certificate() -> Vec<u8> {
    let element = |tag: u8, content: &[u8]| {
        [&[tag, 0x82][..], &u16::try_from(content.len()).expect("short").to_be_bytes()[..], content].concat()
    };
    let sequence = |parts: &[Vec<u8>]| element(0x30, &parts.concat());
    let name = |text: &str| {
        let kind = vec![0x06, 0x03, 0x55, 0x04, 0x03];
        sequence(&[element(0x31, &sequence(&[kind, element(0x0c, text.as_bytes())]))])
    };
    let validity = sequence(&[element(0x17, b"270101000000Z"), element(0x18, b"20270401000000Z")]);
    let names = sequence(&[element(0x82, b"MCP.example.org"), element(0x87, &[127, 0, 0, 1])]);
    let extension = sequence(&[vec![0x06, 0x03, 0x55, 0x1d, 0x11], element(0x04, &names)]);
    let extensions = element(0xa3, &sequence(&[extension]));
    let inner = sequence(&[
        element(0xa0, &[0x02, 0x01, 0x02]),
        element(0x02, &[5]),
        sequence(&[]),
        name("Some Issuer"),
        validity,
        name("mcp.example.org"),
        sequence(&[]),
        extensions,
    ]);
    sequence(&[inner, sequence(&[]), element(0x03, &[0])])
}
