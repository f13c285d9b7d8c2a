//! Whatever arguments a tool is given, they are one question or are refused with words that lead on; and the question
//! is answered.
//!
//! An input is the number of a tool and JSON.

use std::sync::{Arc, LazyLock};

use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::transport::CatalogueTransport;
use ono_sendai::crate_client::{CallLedger, Caller, CrateClient, Extension};
use ono_sendai::cursors::{MemoryCursors, Owner, Walks};
use ono_sendai::envelope::attribution::Origin;
use ono_sendai::tools::Call;
use ono_sendai::tools::argument::Kind;
use ono_sendai::tools::arguments::IGNORED;
use ono_sendai::tools::registry::ToolName;
use serde_json::{Map, Value};

use crate::NOW;
use crate::answers::{account, is_open, sent};
use crate::service::{client, runtime};

/// Runs one input.
pub fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let tool = ToolName::ALL[usize::from(*first) % ToolName::ALL.len()];
    let Ok(arguments) = serde_json::from_slice::<Value>(rest) else { return };
    let parsed = Call::parse(tool, &arguments);
    assert_eq!(parsed, Call::parse(tool, &arguments));
    let ledger = CallLedger::new(Caller::account(1));
    let call = match parsed {
        Ok(call) => call,
        Err(error) => {
            let json = sent(Err(error), (None, false), &ledger).json;
            refused(tool, &json);
            return;
        }
    };
    assert!(call.most_units() <= 4);
    if let Some(sent) = arguments.as_object() {
        same_however_written(tool, sent, &call);
    }
    let mut narrow = call.clone();
    narrow.narrow();
    let mut again = narrow.clone();
    again.narrow();
    assert_eq!(again, narrow, "narrowed twice");
    assert!(is_open(tool) || narrow == call, "only what is open to all is narrowed");
    assert!(narrow.most_units() <= call.most_units());
    answered(&call, &ledger);
}

/// The words of a refusal name an argument of ours and what to do.
fn refused(tool: ToolName, json: &Value) {
    let error = &json["error"];
    let param = error["data"]["param"].as_str();
    let known = |name: &str| {
        name == "arguments"
            || tool.spec().arguments.iter().any(|spec| name.split(',').any(|name| name.trim() == spec.name))
    };
    assert!(param.is_none_or(known), "{error}");
    assert!(error["recoverable"] == true, "{error}");
    assert!(error["data"]["fix_hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error}");
    if let Some(meant) = error["data"]["did_you_mean"].as_str() {
        // It may be one of the tool that is suggested.
        let is_suggested = |call: &Value| call["args"].get(meant).is_some();
        let calls = json["suggested_tool_calls"].as_array().expect("a list");
        assert!(known(meant) || calls.iter().any(is_suggested), "{error}");
    }
}

/// Nulls, empty texts and what frameworks add mean nothing; a number is the same number as text.
fn same_however_written(tool: ToolName, arguments: &Map<String, Value>, call: &Call) {
    let spec = |name: &str| tool.spec().arguments.iter().find(|spec| spec.name == name);
    let mut written = arguments.clone();
    written.retain(|name, value| !value.is_null() && *value != "" && !IGNORED.contains(&name.as_str()));
    for (name, value) in &mut written {
        if let (Some(Kind::Integer { .. }), Some(number)) = (spec(name).map(|spec| spec.kind), value.as_i64())
        {
            *value = Value::String(number.to_string());
        }
    }
    for spec in tool.spec().arguments {
        written.entry(spec.name).or_insert(Value::Null);
    }
    written.insert(IGNORED[0].to_owned(), Value::from("x"));
    let other = Call::parse(tool, &Value::Object(written)).expect("the same call");
    assert_eq!((other.canonical(), other.view()), (call.canonical(), call.view()));
    assert_eq!(other, *call);
}

/// The demo catalogue's answer keeps to what every answer keeps to.
fn answered(call: &Call, ledger: &CallLedger) {
    static SERVICE: LazyLock<CrateClient> = LazyLock::new(|| {
        let catalogue = Arc::new(Catalogue::embedded().expect("a catalogue"));
        let transport = CatalogueTransport::new(catalogue, Clock::wound_to(NOW));
        client(Arc::new(transport), &[Extension::Gigs, Extension::Similar])
    });
    let cursors = MemoryCursors::new(Clock::wound_to(NOW));
    let walks = Walks { cursors: &cursors, owner: Some(Owner::new([1; 16])) };
    let found = runtime().block_on(call.run(&SERVICE, ledger, Origin::Service, Some(&account()), walks));
    assert!(ledger.units() <= call.most_units());
    let sent = sent(found, call.view(), ledger);
    // The catalogue never fails, so that only a cursor that nobody issued can be refused.
    assert!(
        sent.json["ok"] == true || sent.json["error"]["data"]["param"] == "cursor",
        "{}",
        sent.json["error"]
    );
}
