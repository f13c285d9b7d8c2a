//! That it serves what the catalogue holds, in the service's form, and says what it did.

use std::process::Command;

use serde_json::Value;

use super::{KEY, Sim};
use crate::contract::Contract;
use crate::harness::Kept as _;

fn ono_sendai(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_ono-sendai")).args(arguments).env_clear().kept_output().expect("it runs")
}

#[test]
fn everything_that_its_own_document_names_is_served() {
    let sim = Sim::with("");
    let own = Contract::of_the_demo();
    let served: Value = sim.get("/api/v2/openapi.json").json();
    let mut asked = 0;
    for (template, method) in own.operations() {
        assert!(served["paths"][&template][&method].is_object(), "{template}");
        if method != "get" {
            continue;
        }
        let path = template
            .replace("{name}", "seen.radio_co_play")
            .replace("{cluster}", &"0".repeat(64))
            .replace("{id}", "4242")
            .replace("{item}", "1")
            .replace("{key}", "the-persuader")
            .replace("{slug}", "the-persuader");
        let query = match template.as_str() {
            "/api/v2/resolve" | "/api/v2/search" | "/api/v2/preview/artist" => "?q=Four%20Tet".to_owned(),
            "/api/v2/track" | "/api/v2/tracks" => "?title=Vasastaden".to_owned(),
            "/api/v2/surface/{name}" => format!("?cluster={}", "0".repeat(64)),
            _ => String::new(),
        };
        let said = sim.get(&format!("{path}{query}"));
        assert_eq!(said.status, 200, "{path}{query}: {said:?}");
        assert_eq!(own.answer("get", &path, 200, &said.json()), [""; 0], "{path}{query}");
        asked += 1;
    }
    assert!(asked > 20, "{asked}");
    for unknown in ["/", "/api/v1/resolve", "/api/v2/none", "/api/v2/preview"] {
        assert_eq!(sim.get(unknown).status, 404, "{unknown}");
    }
}

#[test]
fn each_request_is_one_line_of_the_log_and_the_report_is_written_at_the_end() {
    let sim = Sim::start("[[rule]]\nfamily = \"aura\"\nstatus = 500\n", &["--report", "report.json"]);
    sim.get("/api/v2/resolve?q=secret");
    sim.get("/api/v2/aura");
    let report = sim.report();
    assert_eq!(report["requests"], 2);
    let log = sim.log();
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].starts_with("GET /api/v2/resolve 200 ") && lines[0].ends_with(" ms"), "{log}");
    assert!(lines[1].starts_with("GET /api/v2/aura 500 (rule 1) "), "{log}");
    assert!(lines.len() == 2 && !log.contains("secret") && !log.contains(KEY), "{log}");
    let ended =
        Command::new("sh").args(["-c", &format!("kill -TERM {}", sim.pid)]).status().expect("a shell");
    assert!(ended.success());
    let file = sim.folder.join("report.json");
    let began = std::time::Instant::now();
    let written = loop {
        match std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) {
            Some(written) => break written,
            None => assert!(began.elapsed() < crate::harness::PATIENCE, "no report"),
        }
    };
    assert_eq!((&written["requests"], &written["families"]), (&report["requests"], &report["families"]));
}

#[tokio::test]
async fn over_tls_it_speaks_both_versions_of_http() {
    let sim = Sim::start("", &["--tls"]);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let pem = std::fs::read(sim.folder.join("data/demo-cert.pem")).expect("a certificate");
    for version in [http::Version::HTTP_11, http::Version::HTTP_2] {
        let builder = reqwest::Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(&pem).expect("PEM")])
            .no_proxy()
            .timeout(crate::harness::PATIENCE);
        let builder = if version == http::Version::HTTP_11 { builder.http1_only() } else { builder };
        let client = builder.build().expect("a client");
        let url = format!("{}/api/v2/artist/four-tet", sim.url);
        let answer = client.get(&url).header("x-api-key", KEY).send().await.expect("an answer");
        assert_eq!((answer.status().as_u16(), answer.version()), (200, version));
        let body: Value = serde_json::from_slice(&answer.bytes().await.expect("a body")).expect("JSON");
        assert_eq!(body["identity"]["name"], "Four Tet");
        let url = format!("{}/api/v2/tracks/resolve", sim.url);
        let request =
            client.post(&url).header("x-api-key", KEY).body(r#"{"tracks":[{"title":"Vasastaden"}]}"#);
        let body = request.send().await.expect("an answer").bytes().await.expect("a body");
        assert_eq!(serde_json::from_slice::<Value>(&body).expect("JSON")["results"][0]["matched"], true);
    }
}

#[test]
fn a_wrong_scenario_or_key_starts_nothing_and_is_explained() {
    let sim_file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-scenario.toml");
    std::fs::write(&sim_file, "[[rule]]\nlatency_ms = \"x\"\n").expect("a file");
    let path = sim_file.display().to_string();
    let output = ono_sendai(&["crate-sim", "--scenario", &path]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), told.starts_with(&format!("{path}:2: rule 1 latency_ms: "))),
        (Some(2), true)
    );
    let output = ono_sendai(&["crate-sim", "--api-key", "secret"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("ck_test_") && !told.contains("secret"), "{told}");
    let output = ono_sendai(&["crate-sim", "--listen", "192.0.2.1:80"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        ono_sendai(&["crate-sim", "--tls", "--certificate", "x", "--private-key", "y"]).status.code(),
        Some(1)
    );
}
