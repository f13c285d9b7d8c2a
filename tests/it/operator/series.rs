//! The last hour, as the page reads it.

use serde_json::{Value, json};

use super::{ANY_PORT, get, port_of};
use crate::harness::{Demo, PATIENCE};

fn series(port: u16, target: &str) -> Value {
    let told = get(port, target);
    assert!(
        told.head.contains("content-type: application/json") && told.head.contains("cache-control: no-store")
    );
    serde_json::from_str(&told.body).expect("JSON")
}

#[test]
fn calls_of_the_last_steps_stand_in_arrays_of_one_length_beside_the_present() {
    let server = Demo::serving("", &format!("{ANY_PORT}[issuer]\nenabled = true\n"));
    let port = port_of(&server);
    let begun = std::time::Instant::now();
    server.call("resolve_artist", json!({"q": "Four Tet"}));
    server.call("get_artist", json!({}));
    let document = loop {
        let document = series(port, "/series");
        let calls: u64 = document["calls"].as_array().expect("calls").iter().filter_map(Value::as_u64).sum();
        if calls == 2 {
            break document;
        }
        assert!(begun.elapsed() < PATIENCE, "{document}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    let length = document["t"].as_array().expect("times").len();
    fn check(value: &Value, length: usize) -> usize {
        match value {
            Value::Array(array) => {
                assert_eq!(array.len(), length);
                1
            }
            Value::Object(object) => object.values().map(|value| check(value, length)).sum(),
            _ => 0,
        }
    }
    let mut columns = document.clone();
    columns.as_object_mut().expect("an object").remove("gauges");
    assert!(check(&columns, length) > 35, "{columns}");
    let sum = |pointer: &str| -> u64 {
        let column = document.pointer(pointer).unwrap_or_else(|| panic!("{pointer} in {document}"));
        column.as_array().expect("a column").iter().filter_map(Value::as_u64).sum()
    };
    assert_eq!((sum("/tools/resolve_artist"), sum("/tools/get_artist")), (1, 1));
    assert_eq!((sum("/errors/invalid_argument"), sum("/units/accounts")), (1, 0));
    assert!(sum("/families/resolve/asked") >= 1 && sum("/units/anonymous") >= 1);
    assert!(
        document["latency_ms"]["p95"].as_array().expect("times").iter().any(|p95| p95.as_f64().is_some())
    );
    let gauges = &document["gauges"];
    assert_eq!(gauges["anonymous"]["used"], json!(sum("/units/anonymous")));
    assert_eq!((&gauges["store"], &gauges["tools_off"]), (&json!("good"), &json!([])));
    assert_eq!((&gauges["ladder"]["step"], &gauges["upstream_plan"]), (&json!("0"), &Value::Null));
    assert_eq!(
        (&gauges["reload"]["configuration_refused"], &gauges["not_ready"]),
        (&Value::Null, &json!([]))
    );
    assert_eq!((&gauges["reload"]["renewal"], &document["set_back"]), (&Value::Null, &json!(0)));
    let certificate = &gauges["certificates"][0];
    assert_eq!(certificate["kind"], "demo");
    assert!(certificate["names"].as_array().expect("names").contains(&json!("localhost")), "{certificate}");
    assert!(certificate["days_left"].as_i64().expect("days") > 0);
    let moment = |which: &str| certificate[which].as_i64().expect("a moment");
    let now = document["now"].as_i64().expect("a moment");
    assert!(moment("from") <= now && now < moment("until"), "{certificate}");
    let last = document["t"][length - 1].as_i64().expect("a time");
    let newer = series(port, &format!("/series?after={last}"));
    assert!(newer["t"].as_array().expect("times").iter().all(|t| t.as_i64().expect("a time") > last));
    assert_eq!(get(port, "/series?after=x").status, 400);
}
