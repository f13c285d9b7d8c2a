//! `get_upcoming_gigs`.

use std::sync::Arc;

use ono_sendai::crate_client::Extension;
use serde_json::{Value, json};

use super::direct;
use crate::harness::{Direct, Scripted, artists};

fn eno() -> &'static str {
    let eno = artists().iter().find(|artist| artist.name == "Brian Eno").expect("Brian Eno");
    eno.cluster_id.as_deref().expect("a cluster id")
}

fn gig(date: &str) -> Value {
    json!({"date": date, "title": "A Concert", "venue": "A Hall", "city": "Lyon", "country": "FR", "cancelled": false})
}

/// The answer to a call for [`eno`] when the service lists these gigs.
fn over(gigs: &Value) -> Direct {
    let said = json!({"state": "present", "cluster_id": eno(), "gigs": gigs});
    let service = Scripted::catalogue().says("/api/v2/artist/", 200, said.to_string());
    Direct::over(Arc::new(service), &[Extension::Gigs])
}

#[test]
fn who_the_gigs_are_of_is_as_sure_as_what_was_resolved_before() {
    let demo = Direct::demo();
    let observed = direct(&demo, "get_upcoming_gigs", json!({"key": eno()}));
    assert_eq!((observed.state(), &observed.data()["cluster_id"]), ("observed", &json!(eno())));
    assert_eq!(direct(&demo, "resolve_artist", json!({"q": "Brian Eno"})).state(), "none");
    let plain = direct(&demo, "get_upcoming_gigs", json!({"key": eno()}));
    assert_eq!((plain.state(), &plain.json["data"]), ("none", &observed.json["data"]));
    assert_eq!(plain.json["meta"]["units"], 1);
    let slug = direct(&demo, "get_upcoming_gigs", json!({"key": "brian-eno"}));
    assert_eq!((slug.state(), &slug.json["data"]), ("unknown", &plain.json["data"]));
    let nobody = direct(&demo, "get_upcoming_gigs", json!({"key": "nobody-77"}));
    assert_eq!((&nobody.json["reason"], nobody.state()), (&json!("not_found_upstream"), "unknown"));
    let nobody = direct(&demo, "get_upcoming_gigs", json!({"key": "f".repeat(64)}));
    assert_eq!((&nobody.json["reason"], nobody.state()), (&json!("not_found_upstream"), "observed"));
    assert_eq!(nobody.json["next_actions"][0]["tool"], "resolve_artist", "{}", nobody.json);
}

#[test]
fn a_service_without_gigs_is_not_asked_and_nothing_is_charged() {
    let service = Arc::new(Scripted::catalogue());
    let served = Direct::over(Arc::clone(&service), &[]);
    for (key, state) in [(eno(), "observed"), ("brian-eno", "unknown")] {
        let answer = direct(&served, "get_upcoming_gigs", json!({"key": key}));
        assert_eq!((&answer.json["reason"], answer.state()), (&json!("not_covered"), state));
        assert_eq!(answer.json["meta"]["units"], 0);
        assert_eq!(
            answer.json["next_actions"][0],
            json!({"tool": "get_artist", "args": {"key": key},
            "why": "the card says what else hosaka holds"})
        );
    }
    assert_eq!(service.asked(), [""; 0]);
}

#[test]
fn a_gig_of_the_past_is_never_shown_and_the_nearest_comes_first() {
    let dates = ["2027-03-01", "2027-01-30", "2027-01-31", "1999-01-01", "2027-02-01T20:00:00Z"];
    let answer = direct(&over(&json!(dates.map(gig))), "get_upcoming_gigs", json!({"key": eno()}));
    let shown: Vec<&Value> =
        answer.data()["gigs"].as_array().expect("gigs").iter().map(|gig| &gig["date"]).collect();
    assert_eq!(shown, ["2027-01-31", "2027-02-01", "2027-03-01"]);
    assert_eq!((&answer.data()["as_of"], &answer.data()["total"]), (&json!("2027-01-31"), &json!(3)));
    let past = direct(&over(&json!([gig("2027-01-30")])), "get_upcoming_gigs", json!({"key": eno()}));
    assert_eq!((&past.json["reason"], &past.data()["gigs"]), (&json!("honest_gap"), &json!([])));
    assert_eq!(past.state(), "observed");
}

#[test]
fn a_gig_whose_day_cannot_be_read_is_counted_and_not_shown() {
    let bad = [json!("soon"), json!(20_270_301), Value::Null, json!("2027-02-30")];
    let mut gigs = vec![gig("2027-03-01")];
    gigs.extend(bad.into_iter().map(|date| json!({"date": date, "title": "A Concert"})));
    gigs.push(json!("a concert"));
    let answer = direct(&over(&json!(gigs)), "get_upcoming_gigs", json!({"key": eno()}));
    assert_eq!((&answer.data()["shown"], &answer.data()["unreadable"]), (&json!(1), &json!(5)));
    let mut lacking = gig("2027-03-01");
    for field in ["title", "venue", "city", "country", "cancelled"] {
        lacking[field] = json!(["x"]);
    }
    lacking.as_object_mut().expect("a gig").remove("venue");
    let answer = direct(&over(&json!([lacking])), "get_upcoming_gigs", json!({"key": eno()}));
    let gaps = json!({"title": "malformed_upstream", "venue": "not_covered", "city": "malformed_upstream",
        "country": "malformed_upstream", "cancelled": "malformed_upstream"});
    assert_eq!(answer.data()["gigs"], json!([{"date": "2027-03-01", "gaps": gaps}]));
}

#[test]
fn a_cancelled_gig_is_called_so_in_both_forms() {
    let mut off = gig("2027-03-01");
    off["cancelled"] = json!(true);
    let answer = direct(&over(&json!([off])), "get_upcoming_gigs", json!({"key": eno()}));
    assert_eq!(answer.data()["gigs"][0]["cancelled"], true);
    assert!(answer.text.contains("2027-03-01, A Concert, A Hall, Lyon, FR, cancelled."), "{}", answer.text);
}

#[test]
fn a_limit_cuts_the_list_and_the_total_stays() {
    let gigs: Vec<Value> = (1..=28).map(|day| gig(&format!("2027-02-{day:02}"))).collect();
    let served = over(&json!(gigs));
    for (arguments, shown) in [(json!({}), 10), (json!({"limit": 1}), 1), (json!({"limit": "50"}), 28)] {
        let mut arguments = arguments;
        arguments["key"] = json!(eno());
        let answer = direct(&served, "get_upcoming_gigs", arguments);
        assert_eq!((&answer.data()["shown"], &answer.data()["total"]), (&json!(shown), &json!(28)));
        assert_eq!(answer.text.matches("A Concert").count(), shown.min(10));
        assert_eq!(answer.text.contains("18 more stand in the JSON."), shown == 28, "{}", answer.text);
    }
}

#[test]
fn the_gigs_of_somebody_else_are_no_answer() {
    let other =
        direct(&over(&json!([gig("2027-03-01")])), "get_upcoming_gigs", json!({"key": "f".repeat(64)}));
    assert_eq!((&other.json["reason"], &other.data()["gigs"]), (&json!("malformed_upstream"), &json!([])));
    for key in ["<cluster_id>", "TODO"] {
        let refused = direct(&Direct::demo(), "get_upcoming_gigs", json!({"key": key}));
        assert_eq!(refused.error_type(), "placeholder_detected");
    }
    let name = direct(&Direct::demo(), "get_upcoming_gigs", json!({"key": "Brian Eno"}));
    assert_eq!(
        name.json["suggested_tool_calls"],
        json!([{"tool": "resolve_artist", "args": {"q": "Brian Eno"}}])
    );
}
