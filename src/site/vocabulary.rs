//! The parts of the documentation that are written from the program itself, so that they cannot differ.

use std::fmt::Write as _;

use super::Facts;
use crate::envelope::attribution::{Attribution, Origin};
use crate::envelope::degraded::{Degraded, FallbackTier};
use crate::envelope::error::ErrorType;
use crate::identity::Reason;
use crate::model::gap::GapReason;
use crate::model::source::Source;
use crate::profile::Profile;
use crate::shape;
use crate::tools::argument::Kind;
use crate::tools::registry::ToolName;
use crate::tools::spec::Access;

/// The text with everything that the program knows.
pub(super) fn filled(text: &str, facts: &Facts<'_>) -> String {
    let origin = if facts.is_demo { Origin::Fixtures } else { Origin::Service };
    let of_two: crate::model::source::Sources = [Source::Discogs, Source::MusicBrainz].into_iter().collect();
    let parts: [(&str, String); 13] = [
        ("{{base}}", facts.base.to_owned()),
        ("{{version}}", env!("CARGO_PKG_VERSION").to_owned()),
        ("{{sign_in}}", sign_in(facts).to_owned()),
        ("{{tool_rows}}", tool_rows()),
        ("{{tools}}", tools()),
        ("{{errors}}", errors()),
        ("{{gaps}}", gaps()),
        ("{{reasons}}", reasons()),
        ("{{degraded}}", degraded()),
        ("{{sources}}", sources()),
        ("{{soft_tokens}}", shape::SOFT_TOKENS.to_string()),
        ("{{hard_tokens}}", shape::HARD_TOKENS.to_string()),
        ("{{line}}", Attribution::of(&of_two, origin).line().to_owned()),
    ];
    parts.into_iter().fold(text.to_owned(), |text, (place, part)| text.replace(place, part.trim_end()))
}

fn sign_in(facts: &Facts<'_>) -> &'static str {
    if facts.has_sign_in {
        "This server has a sign-in. `/.well-known/oauth-protected-resource` names its authorization server."
    } else {
        "This server has no sign-in, so only the anonymous tools can be used here."
    }
}

fn who(access: Access) -> &'static str {
    match access {
        Access::Anonymous => "everybody",
        Access::SignedIn => "accounts",
    }
}

fn tool_rows() -> String {
    let mut rows = String::from("| tool | what it is | who may call it | units |\n|---|---|---|---|\n");
    for tool in ToolName::ALL {
        let spec = tool.spec();
        // Writing to a String cannot fail.
        let _ =
            writeln!(rows, "| `{}` | {} | {} | {} |", tool.as_str(), spec.title, who(spec.access), spec.cost);
    }
    rows
}

fn tools() -> String {
    let mut text = String::new();
    for tool in ToolName::ALL {
        let spec = tool.spec();
        let place = match spec.profile {
            Profile::Core => "`/mcp` and `/mcp/full`",
            Profile::Full => "`/mcp/full`",
        };
        let _ = write!(
            text,
            "## {}\n\n{}\n\nFor {}, at {place}. Units: {}.\n\n",
            tool.as_str(),
            spec.description,
            who(spec.access),
            spec.cost
        );
        if spec.arguments.is_empty() {
            text.push_str("It takes no arguments.\n\n");
            continue;
        }
        text.push_str("| argument | value | needed | for |\n|---|---|---|---|\n");
        for argument in spec.arguments {
            let needed = if argument.required { "yes" } else { "no" };
            let _ = writeln!(
                text,
                "| `{}` | {} | {needed} | {} |",
                argument.name,
                kind(argument.kind),
                argument.description
            );
        }
        text.push('\n');
    }
    text
}

fn kind(kind: Kind) -> String {
    let ticked = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    match kind {
        Kind::Text { max_chars } => format!("text, at most {max_chars} characters"),
        Kind::Integer { min, max } => format!("{min} to {max}"),
        Kind::Choice(words) => format!("one of {}", ticked(words)),
        Kind::Choices(words) => format!("any of {}", ticked(words)),
        Kind::Flag => "`true` or `false`".to_owned(),
    }
}

fn errors() -> String {
    let mut rows = String::from("| `error.type` | recoverable | retryable | meaning |\n|---|---|---|---|\n");
    for kind in ErrorType::ALL {
        let (recoverable, retryable) = (kind.recoverable().as_str(), kind.retryable().as_str());
        let _ = writeln!(rows, "| `{}` | {recoverable} | {retryable} | {} |", kind.as_str(), kind.meaning());
    }
    rows
}

fn gaps() -> String {
    let mut rows = String::from("| reason | meaning |\n|---|---|\n");
    for reason in GapReason::ALL {
        let _ = writeln!(rows, "| `{}` | {} |", reason.as_str(), reason.meaning());
    }
    rows
}

fn reasons() -> String {
    let mut rows = String::from("| reason | meaning |\n|---|---|\n");
    for (pattern, meaning) in Reason::TABLE {
        let _ = writeln!(rows, "| `{pattern}` | {meaning} |");
    }
    rows
}

fn degraded() -> String {
    let mut rows = String::from("| `fallback_tier` | `recommended_action` | meaning |\n|---|---|---|\n");
    for tier in FallbackTier::ALL {
        let sentence = Degraded::at(tier).sentence();
        let _ = writeln!(rows, "| `{}` | `{}` | {sentence} |", tier.as_str(), tier.action().as_str());
    }
    rows
}

fn sources() -> String {
    let mut rows = String::from("| source | licence |\n|---|---|\n");
    for source in Source::ALL {
        let _ = writeln!(rows, "| {} | {} |", source.name(), source.licence());
    }
    rows
}
