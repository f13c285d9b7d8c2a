//! What the data is: version, credits, and for every file its source and whether it is invented.
//!
//! Decides nothing about answers; knows only the manifest's form.

use serde::Deserialize;

/// The manifest of the demo catalogue, as its generator wrote it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Changes whenever a data file does.
    pub version: String,
    /// The day of the facts.
    pub data_date: String,
    /// Credits the sources, in one line.
    pub attribution: String,
    /// What is fact and what is invented, in one line.
    pub notice: String,
    /// What the data leaves out, for people.
    pub limits: String,
    /// How cluster ids are made here.
    pub demo_ids: DemoIds,
    /// Every file of the catalogue.
    #[serde(rename = "file")]
    pub files: Vec<FileEntry>,
}

/// How the catalogue makes cluster ids of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemoIds {
    /// The rule.
    pub recipe: String,
    /// The forms of a source id that go into the rule.
    pub source_ids: Vec<String>,
    /// What such an id is and is not.
    pub statement: String,
}

/// One file and where it comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Path below the catalogue's folder.
    pub path: String,
    /// Lower-case hex digest of the file.
    pub sha256: String,
    /// What is in it.
    pub holds: String,
    /// Where that comes from.
    pub source: String,
    /// An SPDX expression.
    pub licence: String,
    /// Whom to credit.
    pub attribution: String,
    /// True if it is true of nobody.
    pub invented: bool,
}

impl Manifest {
    pub(super) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// The entry of one file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileEntry> {
        self.files.iter().find(|entry| entry.path == path)
    }
}
