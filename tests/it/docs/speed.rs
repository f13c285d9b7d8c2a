//! The figures of speed on the pages are those that the benches kept; one that misses what is wanted says so.

use toml::{Table, Value};

use crate::tables::{hold, page, section};

const PAGE: &str = "docs/performance.md";
const KEPT: &str = "benches/results/wire.toml";

/// The parts of the bench, each with the heading of its table.
const PARTS: [(&str, &str); 7] = [
    ("instructions", "Instructions of a call"),
    ("loads", "Calls a second"),
    ("processor", "Calls a second of processor time"),
    ("peer", "Beside the official SDK"),
    ("rate", "At a steady pace"),
    ("handshakes", "Handshakes"),
    ("endurance", "A million calls"),
];

fn number(value: &Value) -> f64 {
    value.as_float().expect("a figure")
}

fn written(figure: f64) -> String {
    if figure.fract() == 0.0 { format!("{figure:.0}") } else { format!("{figure:.2}") }
}

/// What is wanted in words, and whether a figure keeps it.
fn bar(row: &Table, figure: f64) -> (String, bool) {
    let bar = row["bar"].as_table().expect("a bar");
    match (bar.get("at_least").map(number), bar.get("at_most").map(number)) {
        (Some(least), None) => (format!("at least {}", written(least)), figure >= least),
        (None, Some(most)) => (format!("at most {}", written(most)), figure <= most),
        other => panic!("a bar of its own kind: {other:?}"),
    }
}

#[test]
fn every_figure_of_speed_is_one_that_was_kept_and_says_when_it_misses_what_is_wanted() {
    let kept: Table = page(KEPT).parse().expect("the kept figures");
    let unknown = kept.keys().find(|part| !PARTS.iter().any(|(known, _)| known == part));
    assert!(unknown.is_none() && kept.contains_key("instructions"), "{unknown:?}");
    for (part, heading) in PARTS {
        if !kept.contains_key(part) {
            let words = section(&page(PAGE), heading).join(" ");
            assert!(words.contains("No figure is kept") && !words.contains("| "), "{heading}");
            continue;
        }
        let rows: Vec<Vec<String>> = kept[part]
            .as_table()
            .expect("rows")
            .iter()
            .map(|(name, row)| {
                let row = row.as_table().expect("a row");
                let server = number(&row["server"]);
                let beside = row.get("beside").map(number);
                let ratio = row.get("ratio").map(number);
                let (wanted, is_kept) = bar(row, ratio.unwrap_or(server));
                // What no other load on the machine changes has no excuse.
                assert!(is_kept || part != "instructions", "{name}: {row:?}");
                let mut cells = vec![name.clone(), written(server)];
                cells.extend(beside.map(written));
                cells.extend(ratio.map(|ratio| format!("{ratio:.2}")));
                cells.push(if is_kept { wanted } else { format!("{wanted}: missed") });
                cells
            })
            .collect();
        hold(PAGE, heading, &rows);
    }
}

#[test]
fn the_table_of_where_the_time_goes_is_the_one_that_was_kept() {
    let kept: Table = page("benches/results/where.toml").parse().expect("the kept figures");
    let rows: Vec<Vec<String>> = kept
        .iter()
        .map(|(what, row)| {
            let figure = |name: &str| row[name].as_integer().expect("a count").to_string();
            vec![what.clone(), figure("before"), figure("now")]
        })
        .collect();
    hold(PAGE, "Where the time goes", &rows);
}
