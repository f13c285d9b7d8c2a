//! What full answers cost their reader, with the real tokenizer as the judge.

use ono_sendai::tools::registry::ToolName;
use serde_json::json;

use super::shapes::{Shape, shapes};
use super::{Full, Words, tools};
use crate::figures::{Costs, HARD, SOFT, hold, is_near, tokens};

/// How many services answer the default shapes, each with the texts in other places.
const ROUNDS: usize = 20;
/// Of these, the ones that answer every shape.
const WHOLE_ROUNDS: [usize; 3] = [0, 7, 13];

#[test]
fn every_shape_of_every_tool_over_a_full_catalogue_fits_its_budget_uncut() {
    let mut costs = Costs::default();
    let mut faults = Vec::new();
    for round in 0..ROUNDS {
        let words = Words::real(round);
        let service = tools(&words, Full(100));
        let all = ToolName::ALL.into_iter().flat_map(|tool| shapes(tool, &words));
        for Shape { tool, arguments, is_default } in
            all.filter(|shape| shape.is_default || WHOLE_ROUNDS.contains(&round))
        {
            let answer = service.call(tool, &arguments);
            let what = format!("{tool} {arguments} of {round}");
            assert!(!answer.is_error && answer.json["present"] == true, "{what}: {}", answer.text);
            let counted = tokens(&answer);
            if !is_near(&answer, counted) {
                faults.push(format!("{what}: {} for {counted}", answer.json["meta"]["tokens_estimate"]));
            }
            if counted > HARD || answer.json["meta"]["truncated"] != false {
                faults.push(format!("{what}: {counted} tokens, cut: {}", answer.json["meta"]["truncated"]));
            }
            costs.add(tool, counted, is_default);
        }
    }
    // The most candidates that are ever told.
    let words = Words::real(0);
    let many = tools(&words, Full(600)).call("resolve_artist", &json!({"q": words.name(0)}));
    assert_eq!(many.json["ambiguity"]["candidates"].as_array().map(Vec::len), Some(10));
    assert!(tokens(&many) <= HARD && is_near(&many, tokens(&many)), "{} tokens", tokens(&many));
    costs.add("resolve_artist", tokens(&many), false);
    for (tool, costs) in costs.of_each() {
        if costs.usual() > SOFT {
            faults.push(format!("{tool}: {} tokens as a rule", costs.usual()));
        }
    }
    let shown = hold("The full catalogue", &costs);
    assert!(faults.is_empty() && shown.is_ok(), "{faults:#?}\n{}", shown.err().unwrap_or_default());
}
