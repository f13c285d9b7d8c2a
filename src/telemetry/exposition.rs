//! The text in which metrics are handed to Prometheus, version 0.0.4.
//!
//! Decides how a value is written. Knows nothing of what it means.

use std::fmt::Write as _;

use super::count::{BOUNDS_US, Times};
use super::metric::{Kind, Metric};

/// The content type of the text.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// One value of a metric, with a word for each of the metric's labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// In the order of the labels.
    pub words: Vec<&'static str>,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// Whole seconds since 1970, which may lie before that.
    Moment(i64),
    /// How long things took.
    Times(Times),
}

impl Sample {
    /// A number without labels.
    #[must_use]
    pub fn plain(number: u64) -> Vec<Self> {
        vec![Self::of([], number)]
    }

    /// A number with the words of its labels.
    #[must_use]
    pub fn of<const N: usize>(words: [&'static str; N], number: u64) -> Self {
        Self { words: words.to_vec(), value: Value::Whole(number) }
    }

    /// Times with the words of their labels.
    #[must_use]
    pub fn times<const N: usize>(words: [&'static str; N], times: Times) -> Self {
        Self { words: words.to_vec(), value: Value::Times(times) }
    }
}

/// Every metric of the table with what `samples` says of it.
#[must_use]
pub fn text(samples: impl Fn(Metric) -> Vec<Sample>) -> String {
    // Most of the text are the rows of calls by tool and outcome.
    let mut text = String::with_capacity(64 * 1024);
    for metric in Metric::ALL {
        let row = metric.row();
        let _written = writeln!(text, "# HELP {} {}", row.name, escaped_help(row.meaning));
        let _written = writeln!(text, "# TYPE {} {}", row.name, row.kind.as_str());
        for sample in samples(metric) {
            write(&mut text, row.name, row.kind, row.labels, &sample);
        }
    }
    text
}

fn write(text: &mut String, name: &str, kind: Kind, labels: &[&str], sample: &Sample) {
    let pairs: Vec<String> = labels
        .iter()
        .zip(&sample.words)
        .map(|(label, word)| format!("{label}=\"{}\"", escaped(word)))
        .collect();
    let labels = pairs.join(",");
    let of = |more: Option<String>| {
        let all: Vec<&str> = [Some(labels.as_str()), more.as_deref()]
            .into_iter()
            .flatten()
            .filter(|l| !l.is_empty())
            .collect();
        if all.is_empty() { String::new() } else { format!("{{{}}}", all.join(",")) }
    };
    let _written = match (kind, sample.value) {
        (_, Value::Whole(number)) => writeln!(text, "{name}{} {number}", of(None)),
        (_, Value::Moment(seconds)) => writeln!(text, "{name}{} {seconds}", of(None)),
        (_, Value::Times(times)) => {
            let mut until = 0_u64;
            for (at, count) in times.counts.iter().enumerate() {
                until = until.saturating_add(*count);
                let bound = BOUNDS_US.get(at).map_or_else(|| "+Inf".to_owned(), |bound| seconds(*bound));
                let _written = writeln!(text, "{name}_bucket{} {until}", of(Some(format!("le=\"{bound}\""))));
            }
            let _written = writeln!(text, "{name}_sum{} {}", of(None), seconds(times.sum_us));
            writeln!(text, "{name}_count{} {until}", of(None))
        }
    };
}

/// Microseconds as seconds, without noughts at the end.
fn seconds(us: u64) -> String {
    let text = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(word: &str) -> String {
    word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn escaped_help(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::count::Histogram;
    use super::*;

    #[test]
    fn values_are_written_in_base_units_and_buckets_add_up() {
        let histogram = Histogram::default();
        [1, 3, 3, 30_000].into_iter().for_each(|ms| histogram.note(Duration::from_millis(ms)));
        let mut text = String::new();
        let sample = Sample::times(["get\"it"], histogram.read());
        write(&mut text, "took_seconds", Kind::Histogram, &["tool"], &sample);
        for line in [
            "took_seconds_bucket{tool=\"get\\\"it\",le=\"0.001\"} 1",
            "took_seconds_bucket{tool=\"get\\\"it\",le=\"0.005\"} 3",
            "took_seconds_bucket{tool=\"get\\\"it\",le=\"20\"} 3",
            "took_seconds_bucket{tool=\"get\\\"it\",le=\"+Inf\"} 4",
            "took_seconds_sum{tool=\"get\\\"it\"} 30.007",
            "took_seconds_count{tool=\"get\\\"it\"} 4",
        ] {
            assert!(text.lines().any(|written| written == line), "{line} is missing in {text}");
        }
        let mut text = String::new();
        write(&mut text, "calls_total", Kind::Counter, &[], &Sample::of([], 7));
        assert_eq!(text, "calls_total 7\n");
    }
}
