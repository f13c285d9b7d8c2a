//! The list of tools, for people and for scripts. Knows no tool: the rows come from the server.

use serde::Serialize;

use super::output::Style;
use crate::app::ToolRow;

#[derive(Serialize)]
struct Counted<'a> {
    #[serde(flatten)]
    row: &'a ToolRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
}

/// The list as text or as JSON; with `count`, each row says how many tokens it costs.
pub(super) fn render(rows: &[ToolRow], json: bool, count: bool, style: Style) -> String {
    let counted: Vec<Counted<'_>> =
        rows.iter().map(|row| Counted { row, tokens: count.then_some(row.listed_tokens) }).collect();
    if json {
        // Strings and numbers only: there is nothing in a row that JSON cannot hold.
        return serde_json::to_string_pretty(&counted).unwrap_or_default() + "\n";
    }
    let mut text = String::new();
    for Counted { row, tokens } in &counted {
        text += &format!("{}  {}\n", style.bold(&row.name), row.title);
        text += &format!("  {}\n", row.description);
        let arguments = if row.arguments.is_empty() { "none".to_owned() } else { row.arguments.join(", ") };
        text += &format!("  arguments: {arguments}\n");
        text += &format!("  cost: {}; sign-in: {}", row.cost, row.auth);
        if let Some(tokens) = tokens {
            text += &format!("; {tokens} tokens");
        }
        text += "\n\n";
    }
    if count {
        let total: u64 = counted.iter().filter_map(|row| row.tokens).sum();
        text += &format!("{} tools, about {total} tokens\n", rows.len());
    } else {
        text += &format!("{} tools\n", rows.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<ToolRow> {
        vec![
            ToolRow {
                name: "find".into(),
                title: "Find".into(),
                description: "Finds.".into(),
                arguments: vec!["q".into(), "limit (10, 25)".into()],
                cost: "1 unit".into(),
                auth: "no".into(),
                listed_tokens: 15,
            },
            ToolRow {
                name: "usage".into(),
                title: "Usage".into(),
                description: "Tells.".into(),
                arguments: vec![],
                cost: "0 units".into(),
                auth: "yes".into(),
                listed_tokens: 2,
            },
        ]
    }

    const PLAIN: Style = Style { readable: false, ansi: false };

    #[test]
    fn the_text_names_everything_a_caller_needs() {
        assert_eq!(
            render(&rows(), false, false, PLAIN),
            "find  Find\n  Finds.\n  arguments: q, limit (10, 25)\n  cost: 1 unit; sign-in: no\n\n\
             usage  Usage\n  Tells.\n  arguments: none\n  cost: 0 units; sign-in: yes\n\n2 tools\n"
        );
    }

    #[test]
    fn tokens_are_counted_from_the_list_entries() {
        let text = render(&rows(), false, true, PLAIN);
        assert!(text.contains("sign-in: no; 15 tokens\n"), "{text}");
        assert!(text.ends_with("2 tools, about 17 tokens\n"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&render(&rows(), true, true, PLAIN)).unwrap();
        assert_eq!(json[0]["tokens"], 15);
        assert_eq!(json[1]["arguments"], serde_json::json!([]));
        assert!(json[0].get("listed_tokens").is_none());
    }
}
