//! What each step of a call costs by itself, without a socket: `cargo bench --bench parts`.
//!
//! The figures are for comparing two states of the program on one machine. docs/performance.md says what a whole call
//! costs.

#![allow(clippy::expect_used, clippy::panic, reason = "a bench may fail")]

#[path = "parts/whole.rs"]
mod whole;

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ono_sendai::admission::replay::{ReplayKey, SameCall};
use ono_sendai::admission::{Admitted, Asker};
use ono_sendai::auth::AccountId;
use ono_sendai::clock::Clock;
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::pipeline;
use ono_sendai::profile::Profile;
use ono_sendai::protocol;
use ono_sendai::render::text;
use ono_sendai::shape;
use ono_sendai::store::rows::{Quota, Replay};
use ono_sendai::store::{Batch, MemoryStore, SledStore, State};
use ono_sendai::tools::Call;
use ono_sendai::tools::registry::ToolName;
use serde_json::json;
use tokio::runtime::Runtime;

use whole::Whole;

fn reading(c: &mut Criterion) {
    let (headers, body) = (whole::headers(), whole::card());
    c.bench_function("parse: body and headers to a method", |b| {
        b.iter(|| protocol::receive(black_box(&headers), black_box(&body)).is_ok());
    });
    let arguments = json!({"key": "four-tet", "view": "standard", "include": ["similar"]});
    c.bench_function("dispatch: tool by name, arguments to a call", |b| {
        b.iter(|| {
            let tool = ToolName::find(black_box("get_artist"), Profile::Core).expect("a tool");
            Call::parse(tool, black_box(&arguments)).is_ok()
        });
    });
}

fn admission(c: &mut Criterion) {
    let runtime = runtime();
    let whole = Whole::new();
    let admission = &whole.parts.admission;
    let anonymous = Asker::Anonymous(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let account = Asker::Account { id: AccountId::of("bench", "caller"), allowance: u64::MAX / 2 };
    for (name, asker) in [("anonymous", anonymous), ("account", account)] {
        c.bench_function(&format!("admission: {name}, in and out"), |b| {
            b.iter(|| {
                admission.pace(asker).expect("its pace");
                match runtime.block_on(admission.admit(asker, 1, None)) {
                    Ok(Admitted::Run(permit)) => drop(permit),
                    other => panic!("{other:?}"),
                }
            });
        });
    }
    let arguments = "GetArtist standard slug  four-tet";
    let same = SameCall {
        account: &[1; 16],
        tool: "get_artist",
        arguments,
        view: "standard",
        contract: "1 2 0.1.0",
    };
    c.bench_function("admission: which calls are the same", |b| b.iter(|| ReplayKey::of(black_box(&same))));
}

fn answering(c: &mut Criterion) {
    let runtime = runtime();
    let whole = Whole::new();
    let envelope = whole.envelope(&runtime);
    let (json, text) = (serde_json::to_string(&envelope).expect("JSON"), text::render(&envelope));
    c.bench_function("tool: a card from the demo catalogue", |b| b.iter(|| whole.envelope(&runtime)));
    c.bench_function("shaping: an answer that keeps all its rows", |b| {
        b.iter_batched(
            || envelope.clone(),
            |mut envelope| pipeline::fit(&mut envelope, Origin::Fixtures),
            BatchSize::SmallInput,
        );
    });
    c.bench_function("token estimate: text and JSON of a card", |b| {
        b.iter(|| shape::tokens(black_box(&text)) + shape::tokens(black_box(&json)));
    });
    c.bench_function("render: the text of a card", |b| b.iter(|| text::render(black_box(&envelope))));
    c.bench_function("envelope: the JSON of a card", |b| b.iter(|| serde_json::to_vec(black_box(&envelope))));
    c.bench_function("pipeline: ping", |b| b.iter(|| whole.answered(&runtime, whole::ping())));
    c.bench_function("pipeline: an anonymous card", |b| b.iter(|| whole.answered(&runtime, whole::card())));
}

fn storing(c: &mut Criterion) {
    let clock = Clock::system();
    let folder = Folder::new();
    let sled = SledStore::open(&folder.0, &clock, Box::new(|| std::process::exit(6))).expect("a store");
    let sled = Arc::new(State::load(Arc::new(sled), &clock).expect("its state"));
    let memory = Arc::new(State::load(Arc::new(MemoryStore::new()), &clock).expect("its state"));
    let answer: Arc<str> = "x".repeat(3_000).into();
    let batch = |state: &State, number: u64| {
        let mut batch = Batch::new();
        let quota = Quota { month: 202_701, used: number, reserved: number + 100 };
        state.quotas.put(&mut batch, [1; 16], quota).expect("room");
        let mut key = [0; 32];
        for (to, from) in key.iter_mut().zip(number.to_be_bytes()) {
            *to = from;
        }
        state.replays.put(&mut batch, key, Replay { answer: Arc::clone(&answer) }).expect("room");
        batch
    };
    let mut number = 0;
    let mut next = || {
        number = (number + 1) % 1_000;
        number
    };
    c.bench_function("store: the rows of a call, made", |b| b.iter(|| batch(&memory, next())));
    c.bench_function("store: an answer, found", |b| {
        b.iter(|| memory.replays.get(black_box(&[0; 32])));
    });
    c.bench_function("store: the rows of a call, durable, nobody else writing", |b| {
        b.iter(|| sled.submit(batch(&sled, next())).wait().expect("a disk"));
    });
    sled.close();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("parts-{}", std::process::id()));
        let _none_yet = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _kept = std::fs::remove_dir_all(&self.0);
    }
}

criterion_group! {
    name = parts;
    config = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = reading, admission, answering, storing
}
criterion_main!(parts);
