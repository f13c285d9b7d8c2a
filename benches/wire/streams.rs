//! Calls over HTTP/2 that all differ, which h2load cannot send: four connections with 32 streams each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::programs::{LOAD_CORE, Running};

const CONNECTIONS: usize = 4;
const STREAMS: usize = 32;

/// A client that keeps one HTTP/2 connection.
pub fn client() -> reqwest::Client {
    let _set_before = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .http2_prior_knowledge()
        .danger_accept_invalid_certs(true)
        .build()
        .expect("a client")
}

/// Sends a call and holds its answer to be one.
pub async fn send(client: &reqwest::Client, url: &str, body: String, token: &str) {
    let request = client
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .bearer_auth(token)
        .body(body);
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let body = answer.bytes().await.expect("its body");
    assert!(body.starts_with(br#"{"jsonrpc":"2.0","id":1,"result":"#), "{body:?}");
}

/// How many answers came, and how many a second; no call comes twice to whom that matters.
pub fn run(server: &Running, calls: &[String], callers: &[String], seconds: u32) -> (f64, f64) {
    let (next, answered) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicU64::new(0)));
    let calls: Arc<[String]> = calls.into();
    let callers: Arc<[String]> = callers.into();
    // On a thread of its own, which alone is kept to the core of the load.
    let (url, remembers, counted) = (server.url.clone(), server.remembers(), Arc::clone(&answered));
    let took = std::thread::spawn(move || {
        let thread = std::fs::read_link("/proc/thread-self").expect("a thread");
        let thread = thread.file_name().expect("its number").to_string_lossy().into_owned();
        let pinned = std::process::Command::new("taskset").args(["-cp", LOAD_CORE, &thread]).output();
        assert!(pinned.is_ok_and(|pinned| pinned.status.success()), "taskset");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let began = Instant::now();
            let until = began + Duration::from_secs(u64::from(seconds));
            let mut streams = tokio::task::JoinSet::new();
            for _ in 0..CONNECTIONS {
                let client = client();
                for _ in 0..STREAMS {
                    let (client, url) = (client.clone(), url.clone());
                    let (calls, callers) = (Arc::clone(&calls), Arc::clone(&callers));
                    let (next, answered) = (Arc::clone(&next), Arc::clone(&counted));
                    streams.spawn(async move {
                        while Instant::now() < until {
                            let n = next.fetch_add(1, Ordering::Relaxed);
                            let round = n / calls.len();
                            assert!(!remembers || round < callers.len(), "no further call differs");
                            let caller = &callers[round % callers.len()];
                            send(&client, &url, calls[n % calls.len()].clone(), caller).await;
                            answered.fetch_add(1, Ordering::Relaxed);
                        }
                    });
                }
            }
            while let Some(ended) = streams.join_next().await {
                ended.expect("every call is answered");
            }
            began.elapsed()
        })
    });
    let took = took.join().expect("the load");
    let count = answered.load(Ordering::Relaxed) as f64;
    (count, count / took.as_secs_f64())
}
