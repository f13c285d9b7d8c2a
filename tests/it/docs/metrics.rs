//! The page of metrics is what the program's own table says.

use ono_sendai::telemetry::Metric;
use ono_sendai::telemetry::count::texts;
use ono_sendai::transport::Part;

use crate::tables::{code, page, root};

const PAGE: &str = "docs/metrics.md";
const BEGIN: &str = "<!-- metrics: begin -->\n";
const END: &str = "<!-- metrics: end -->";

#[test]
fn the_page_of_metrics_is_what_the_program_says() {
    let kept = page(PAGE);
    let (before, rest) = kept.split_once(BEGIN).expect("where the metrics begin");
    let (_, after) = rest.split_once(END).expect("where the metrics end");
    let table = ono_sendai::app::metrics_reference();
    assert!(table.lines().count() == Metric::ALL.len() + 2, "{table}");
    let wanted = format!("{before}{BEGIN}\n{table}\n{END}{after}");
    if std::env::var("ONO_DOCS").is_ok_and(|word| word == "write") {
        return std::fs::write(root().join(PAGE), wanted).expect("a page");
    }
    assert!(
        kept == wanted,
        "{PAGE} is not what the program says; write it anew: ONO_DOCS=write cargo test --test it docs::metrics"
    );
}

#[test]
fn every_alarm_asks_for_metrics_that_there_are() {
    let text = page(PAGE);
    let (_, rest) = text.split_once("## Alarms").expect("the alarms");
    let alarms = rest.split("\n## ").next().expect("their section");
    let rows: Vec<&str> = alarms.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() >= 12, "{rows:?}");
    for row in rows {
        let names = row.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
        let names: Vec<&str> =
            names.filter(|name| name.starts_with("ono_") || name.starts_with("process_")).collect();
        assert!(!names.is_empty(), "{row} asks for no metric");
        for name in names {
            let is_there = Metric::ALL.iter().any(|metric| {
                let bare = name.strip_suffix("_bucket").or(name.strip_suffix("_count")).unwrap_or(name);
                metric.row().name == name || metric.row().name == bare
            });
            assert!(is_there, "{row} asks for {name}");
        }
    }
}

#[test]
fn the_table_of_what_keeps_a_server_from_being_ready_has_every_part() {
    let text = page("docs/operating.md");
    let (_, rest) = text.split_once("\n| part | why | what to do |\n").expect("the table of /readyz");
    let rows = rest.lines().skip(1).take_while(|line| line.starts_with('|'));
    let mut named: Vec<String> =
        rows.map(|row| code(row.trim_matches('|').split('|').next().expect("a cell"))).collect();
    named.dedup();
    assert_eq!(named, texts::<Part>());
}
