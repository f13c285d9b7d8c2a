//! What was found, beside what is promised, and the file that keeps it for the documentation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What a figure has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bar {
    /// It, or more.
    AtLeast(f64),
    /// It, or less.
    AtMost(f64),
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Of the server; what unit it has, the part says.
    pub server: f64,
    /// Of what it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<f64>,
    /// The one by the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// What is promised of the ratio, or of the figure where there is none.
    pub bar: Bar,
}

/// All of a run: parts, each with its rows.
#[derive(Debug, Default)]
pub struct Results(BTreeMap<String, BTreeMap<String, Row>>);

impl Results {
    /// A figure beside another, of which the ratio counts.
    pub fn ratio(&mut self, part: &str, name: &str, (server, beside): (f64, f64), bar: Bar) {
        let row = Row {
            server: short(server),
            beside: Some(short(beside)),
            ratio: Some(short(server / beside)),
            bar,
        };
        self.add(part, name, row);
    }

    /// A figure by itself.
    pub fn figure(&mut self, part: &str, name: &str, figure: f64, bar: Bar) {
        self.add(part, name, Row { server: short(figure), beside: None, ratio: None, bar });
    }

    fn add(&mut self, part: &str, name: &str, row: Row) {
        let Row { server, beside, ratio, bar } = &row;
        let beside = beside.map_or_else(String::new, |beside| format!(" / {beside}"));
        let ratio = ratio.map_or_else(String::new, |ratio| format!(" = {ratio}"));
        println!("MEASURED {part}, {name}: {server}{beside}{ratio} ({bar:?})");
        self.0.entry(part.to_owned()).or_default().insert(name.to_owned(), row);
    }

    /// What does not keep its bar.
    pub fn missed(&self) -> Vec<String> {
        let rows =
            self.0.iter().flat_map(|(part, rows)| rows.iter().map(move |(name, row)| (part, name, row)));
        rows.filter(|(_, _, row)| !row.keeps())
            .map(|(part, name, row)| format!("{part}, {name}: {row:?}"))
            .collect()
    }

    /// Writes what was measured; everything else stays as it is.
    pub fn keep(&self) {
        let path = file();
        let mut kept: BTreeMap<String, BTreeMap<String, Row>> = std::fs::read_to_string(&path)
            .map_or_else(|_none| BTreeMap::new(), |text| toml::from_str(&text).expect("a kept file"));
        for (part, rows) in &self.0 {
            kept.entry(part.clone()).or_default().extend(rows.clone());
        }
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let text = toml::to_string(&kept).expect("a table");
        std::fs::write(&path, format!("# Written by `cargo bench --bench wire -- --keep`.\n\n{text}"))
            .expect("a file");
    }
}

impl Row {
    fn keeps(&self) -> bool {
        let figure = self.ratio.unwrap_or(self.server);
        match self.bar {
            Bar::AtLeast(bar) => figure >= bar,
            Bar::AtMost(bar) => figure <= bar,
        }
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/results/wire.toml")
}

/// As many digits as mean something.
fn short(figure: f64) -> f64 {
    if figure >= 100.0 { figure.round() } else { (figure * 100.0).round() / 100.0 }
}

/// The one in the middle.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
