//! All that is held about one label: `/api/v2/label/{key}`.
//!
//! Decides what a key means. As with artists, a cluster id is answered as only observed.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::CatalogueError;
use super::answer::{Answered, Problem, json_answer};
use super::artists::cluster_form;
use super::files::Files;
use super::folding::lower;
use super::lines::Lines;

/// The longest key, in characters.
const LONGEST_KEY: usize = 200;

#[derive(Debug, Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    slugs: Vec<&'a str>,
    cluster_id: &'a str,
}

/// Every label.
#[derive(Debug)]
pub(super) struct Labels {
    index: Vec<Entry<'static>>,
    dossiers: Lines,
    absent: Lines,
}

impl Labels {
    pub(super) fn load(files: &Files) -> Result<Self, CatalogueError> {
        let index: Vec<Entry<'static>> = files.labels_index.parse()?;
        if index.len() != files.labels_dossiers.len() {
            return Err(CatalogueError::Uneven(files.labels_index.path()));
        }
        Ok(Self { index, dossiers: files.labels_dossiers.clone(), absent: files.labels_absent.clone() })
    }

    pub(super) fn answer(&self, key: &str) -> Answered {
        let length = key.trim().chars().count();
        if length == 0
            || length > LONGEST_KEY
            || key.contains(|c: char| c.is_control() || matches!(c, ':' | '/'))
        {
            return Err(Problem::new("invalid_label_key", "the key is neither a cluster id nor a slug")
                .param("key")
                .hint("use the label's slug, for example svek"));
        }
        let dossier = match cluster_form(key) {
            Some(cluster) => {
                let line = self.index.iter().position(|entry| entry.cluster_id == cluster);
                line.map(|line| only_observed(self.dossiers.object(line)))
            }
            None => {
                let slug = lower(key);
                let line = self.index.iter().position(|entry| entry.slugs.contains(&slug.as_str()));
                line.map(|line| self.dossiers.object(line))
            }
        };
        Ok(json_answer(&dossier.unwrap_or_else(|| {
            let mut absent = self.absent.object(0);
            absent.insert("slug".to_owned(), json!(key));
            absent.insert("display".to_owned(), json!(key));
            absent
        })))
    }
}

fn only_observed(mut dossier: Map<String, Value>) -> Map<String, Value> {
    dossier.insert("id".to_owned(), Value::Null);
    dossier.insert("resolved_via".to_owned(), json!("cluster"));
    if let Some(Value::Object(identity)) = dossier.get_mut("identity") {
        for name in ["discogsLabelId", "parentLabel", "profile"] {
            identity.insert(name.to_owned(), Value::Null);
        }
        identity.insert("urls".to_owned(), json!([]));
    }
    dossier
}
