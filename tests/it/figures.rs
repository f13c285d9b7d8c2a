//! What answers cost, counted by the real tokenizer, and the tables of these figures in the documentation.

use std::collections::BTreeMap;

use tiktoken_rs::o200k_base_singleton;

use crate::harness::Envelope;
use crate::tables::{page, table};

/// The size that answers of the default shape keep as a rule.
pub const SOFT: usize = 1_500;
/// The size that no answer exceeds.
pub const HARD: usize = 4_000;

/// The page of the figures.
const PAGE: &str = "docs/performance.md";
/// What a written figure may be above the measured one.
const ROUNDING: usize = 60;

/// The tokens of a text.
pub fn tokens_of(text: &str) -> usize {
    o200k_base_singleton().encode_ordinary(text).len()
}

/// The tokens of an answer, text and JSON together.
pub fn tokens(answer: &Envelope) -> usize {
    tokens_of(&answer.text) + tokens_of(&answer.raw)
}

/// Whether an answer's own estimate is within a tenth of what was counted.
pub fn is_near(answer: &Envelope, counted: usize) -> bool {
    let estimate = answer.json["meta"]["tokens_estimate"].as_u64().expect("an estimate");
    let counted = counted as u64;
    estimate.abs_diff(counted) * 10 <= counted
}

/// What the answers of one tool cost, each with whether its shape is the default one.
#[derive(Default)]
pub struct Cost(Vec<(usize, bool)>);

impl Cost {
    fn sorted(&self, only_default: bool) -> Vec<usize> {
        let counted = self.0.iter().filter(|(_, is_default)| *is_default || !only_default);
        let mut costs: Vec<usize> = counted.map(|(cost, _)| *cost).collect();
        costs.sort_unstable();
        costs
    }

    /// The cost that at least 95 of 100 answers of the default shape keep.
    pub fn usual(&self) -> usize {
        let costs = self.sorted(true);
        costs[(costs.len() * 95).div_ceil(100) - 1]
    }

    /// The most that any answer costs.
    pub fn most(&self) -> usize {
        *self.sorted(false).last().expect("a cost")
    }
}

/// What the answers of every tool cost.
#[derive(Default)]
pub struct Costs(BTreeMap<String, Cost>);

impl Costs {
    /// Adds an answer.
    pub fn add(&mut self, tool: &str, cost: usize, is_default: bool) {
        self.0.entry(tool.to_owned()).or_default().0.push((cost, is_default));
    }

    /// The costs of each tool.
    pub fn of_each(&self) -> impl Iterator<Item = (&String, &Cost)> {
        self.0.iter()
    }
}

/// Holds the table below a heading to what was measured: every tool, how many answers, and figures that are rounded
/// up by a little.
///
/// # Errors
/// What is to be written instead.
#[expect(clippy::print_stdout, reason = "figures are printed for people to write down")]
pub fn hold(heading: &str, costs: &Costs) -> Result<(), String> {
    let round = |figure: usize| figure.div_ceil(10) * 10 + 10;
    let rows: Vec<String> = costs
        .of_each()
        .map(|(tool, cost)| {
            let (usual, most) = (round(cost.usual()).min(SOFT), round(cost.most()).min(HARD));
            format!("| `{tool}` | {} | {usual} | {most} |", cost.0.len())
        })
        .collect();
    println!("{heading}\n{}", rows.join("\n"));
    let written = table(&page(PAGE), heading);
    let number = |cell: &String| cell.replace(',', "").parse::<usize>().unwrap_or_default();
    let is_true = written.len() == costs.0.len()
        && written.iter().zip(costs.of_each()).all(|(row, (tool, cost))| {
            let is_rounded =
                |written: usize, counted: usize| (counted..=counted + ROUNDING).contains(&written);
            row[0] == format!("`{tool}`")
                && number(&row[1]) == cost.0.len()
                && is_rounded(number(&row[2]), cost.usual())
                && is_rounded(number(&row[3]), cost.most())
        });
    if is_true {
        Ok(())
    } else {
        Err(format!("the table under {heading:?} is not true; that is\n{}", rows.join("\n")))
    }
}

/// Holds a table of one figure a row in the same way.
///
/// # Errors
/// What is to be written instead.
#[expect(clippy::print_stdout, reason = "figures are printed for people to write down")]
pub fn hold_each(heading: &str, counted: &[(String, usize)]) -> Result<(), String> {
    let written = table(&page(PAGE), heading);
    let is_true = written.len() == counted.len()
        && written.iter().zip(counted).all(|(row, (name, count))| {
            let figure = row[1].replace(',', "").parse().unwrap_or_default();
            row[0] == *name && (*count..=*count + ROUNDING).contains(&figure)
        });
    let rows: Vec<String> = counted
        .iter()
        .map(|(name, count)| format!("| {name} | {} |", count.div_ceil(10) * 10 + 10))
        .collect();
    println!("{heading}\n{}", rows.join("\n"));
    if is_true {
        Ok(())
    } else {
        Err(format!("the table under {heading:?} is not true; that is\n{}", rows.join("\n")))
    }
}
