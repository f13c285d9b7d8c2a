//! Every shape of every tool's arguments.

use ono_sendai::tools::registry::ToolName;
use serde_json::{Value, json};

use super::{KEY, SUBJECT, Words, id};

/// A call, and whether it has the default shape.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The tool.
    pub tool: &'static str,
    /// Its arguments.
    pub arguments: Value,
    /// Whether it names neither a view, nor an include, nor a limit.
    pub is_default: bool,
}

/// The ways in which a tool can be asked about what the full service holds.
fn questions(tool: ToolName, words: &Words) -> Vec<Value> {
    let name = words.name(0);
    match tool {
        ToolName::ResolveArtist => vec![
            json!({"q": name}),
            json!({"url": "https://somebody.bandcamp.com"}),
            json!({"cluster_id": id(SUBJECT)}),
            json!({"discogs_id": 999}),
            json!({"mbid": super::mbid(SUBJECT)}),
            json!({"isrc": "GBBQY0300123"}),
            json!({"artist": name, "track": "Echo"}),
        ],
        ToolName::GetArtist | ToolName::FindSimilarArtists | ToolName::GetUpcomingGigs => {
            vec![json!({"key": KEY}), json!({"key": id(SUBJECT)})]
        }
        ToolName::SearchCatalog => vec![
            json!({"q": "record"}),
            json!({"genre": ["Electronic", "Rock"], "style": "IDM", "format": "Vinyl", "country": "UK",
                "label": "Warp", "year_from": 1990, "year_to": 2020}),
        ],
        ToolName::FindTracks => vec![
            json!({"title": "Echo"}),
            json!({"title": "Echo", "fuzzy": true}),
            json!({"artist": name, "track": "Echo"}),
        ],
        ToolName::GetLabel => vec![json!({"key": KEY})],
        ToolName::ListBreakouts => {
            vec![json!({}), json!({"tier": "breakout", "corroboration": "booking_ahead"})]
        }
        ToolName::GetAura => vec![json!({}), json!({"cluster_id": id(SUBJECT)})],
        ToolName::ListOnesToWatch | ToolName::GetProfile | ToolName::GetUsage => vec![json!({})],
    }
}

/// What the published schema of a tool lets a caller add to make the answer larger or smaller.
fn additions(tool: ToolName, question: &Value) -> Vec<Value> {
    let schema = tool.spec().input_schema();
    let properties = &schema["properties"];
    let mut more = Vec::new();
    let is_list = !(question["track"].is_string() || question["cluster_id"].is_string());
    if let Some(most) = properties["limit"]["maximum"].as_u64().filter(|_| is_list) {
        more.extend([1, 11, most / 2 + 1, most].map(|limit| json!({"limit": limit})));
    }
    let includes = properties["include"]["items"]["enum"].as_array().cloned().unwrap_or_default();
    for view in properties["view"]["enum"].as_array().into_iter().flatten() {
        more.push(json!({"view": view}));
        more.extend(includes.iter().map(|include| json!({"view": view, "include": [include]})));
        more.push(json!({"view": view, "include": includes}));
    }
    more
}

/// Every shape of a tool.
pub fn shapes(tool: ToolName, words: &Words) -> Vec<Shape> {
    let name = tool.as_str();
    questions(tool, words)
        .into_iter()
        .flat_map(|question| {
            let wide = additions(tool, &question).into_iter().map({
                let question = question.clone();
                move |more| {
                    let mut arguments = question.clone();
                    let fields = arguments.as_object_mut().expect("arguments");
                    fields.extend(more.as_object().expect("an object").clone());
                    Shape { tool: name, arguments, is_default: false }
                }
            });
            std::iter::once(Shape { tool: name, arguments: question.clone(), is_default: true })
                .chain(wide)
                .collect::<Vec<_>>()
        })
        .collect()
}
