//! Whom to credit, and the line that says so.

use serde::Serialize;

use crate::model::source::{Source, Sources};

const PROVIDER: &str = "hosaka crate";
const PROVIDER_URL: &str = "https://crate.hosaka.fm";
const PROVIDER_HOST: &str = "crate.hosaka.fm";

/// Where the answers of this server come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The live data service.
    Service,
    /// The demo catalogue that comes with the program.
    Fixtures,
}

/// The credit that must be shown with the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attribution {
    provider: &'static str,
    url: &'static str,
    sources: Vec<CreditedSource>,
    line: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct CreditedSource {
    name: &'static str,
    licence: &'static str,
}

impl Attribution {
    /// Credits exactly `sources`, and says when the data is the demo's.
    #[must_use]
    pub fn of(sources: &Sources, origin: Origin) -> Self {
        let credited: Vec<CreditedSource> = sources.iter().map(|source| credit(source, origin)).collect();
        let mut line = format!("Data by hosaka ({PROVIDER_HOST})");
        if origin == Origin::Fixtures {
            line.push_str(", demo fixtures");
        }
        for (at, source) in credited.iter().enumerate() {
            line.push_str(if at == 0 { "; sources: " } else { ", " });
            line.push_str(source.name);
            line.push_str(" (");
            line.push_str(source.licence);
            line.push(')');
        }
        line.push('.');
        Self { provider: PROVIDER, url: PROVIDER_URL, sources: credited, line }
    }

    /// The one line to show.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }
}

fn credit(source: Source, origin: Origin) -> CreditedSource {
    match (source, origin) {
        // Nobody observed these: crediting hosaka's signals for them would be a false source.
        (Source::Hosaka, Origin::Fixtures) => {
            CreditedSource { name: "invented for the demo", licence: "MIT OR Apache-2.0" }
        }
        _ => CreditedSource { name: source.name(), licence: source.licence() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_hosaka_and_each_source_with_its_licence() {
        let sources: Sources = [Source::MusicBrainz, Source::Discogs].into_iter().collect();
        let line = Attribution::of(&sources, Origin::Service);
        assert_eq!(
            line.line(),
            "Data by hosaka (crate.hosaka.fm); sources: Discogs (CC0), MusicBrainz (CC0)."
        );
        assert_eq!(
            Attribution::of(&Sources::default(), Origin::Service).line(),
            "Data by hosaka (crate.hosaka.fm)."
        );
    }

    #[test]
    fn demo_data_is_never_passed_off_as_live_or_observed() {
        let sources: Sources = [Source::Hosaka].into_iter().collect();
        let line = Attribution::of(&sources, Origin::Fixtures).line().to_owned();
        assert!(line.contains("demo fixtures") && line.contains("invented for the demo"), "{line}");
    }
}
