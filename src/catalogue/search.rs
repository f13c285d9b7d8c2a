//! Search over masters: `/api/v2/search`.
//!
//! Decides which rows match, in which order, and what page of them is given. Words match the beginnings of words in
//! title and artist; rows whose artist has exactly the name asked for come first.

mod counts;

use serde::Deserialize;
use serde_json::{Value, json};

use super::CatalogueError;
use super::answer::{Answered, Problem, array_of, assembled};
use super::files::Files;
use super::folding::{lower, without_suffix, words};
use super::lines::Lines;
use super::params::Params;

/// The longest query, in characters.
const LONGEST_QUERY: usize = 256;
const FILTERS: [Filter; 5] = [Filter::Genre, Filter::Style, Filter::Format, Filter::Country, Filter::Label];

#[derive(Clone, Copy, Debug)]
enum Filter {
    Genre,
    Style,
    Format,
    Country,
    Label,
}

impl Filter {
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Genre => ("genre", "genre_mode"),
            Self::Style => ("style", "style_mode"),
            Self::Format => ("format", "format_mode"),
            Self::Country => ("country", "country_mode"),
            Self::Label => ("label", "label_mode"),
        }
    }
}

type Text = Box<str>;

#[derive(Debug, Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    artist_cluster_id: Option<&'a str>,
    master_id: u64,
    title: Text,
    artist: Text,
    year: Option<u32>,
    formats: Vec<Text>,
}

#[derive(Debug, Deserialize)]
struct Facets {
    master_id: u64,
    genres: Vec<Text>,
    styles: Vec<Text>,
    countries: Vec<Text>,
    labels: Vec<Text>,
}

/// One row, as far as it takes to match it.
#[derive(Debug)]
struct Master {
    row: Row<'static>,
    facets: Facets,
    artist_words: Vec<String>,
    /// How many of these are left without the number that tells homonyms apart.
    name_words: usize,
    title_words: Vec<String>,
}

impl Master {
    fn values(&self, filter: Filter) -> &[Text] {
        match filter {
            Filter::Genre => &self.facets.genres,
            Filter::Style => &self.facets.styles,
            Filter::Format => &self.row.formats,
            Filter::Country => &self.facets.countries,
            Filter::Label => &self.facets.labels,
        }
    }
}

/// A filter, the values it may have, and whether it must have all of them.
type Wanted<'a> = (Filter, Vec<&'a str>, bool);

/// Every master, real ones first.
#[derive(Debug)]
pub(super) struct Masters {
    all: Vec<Master>,
    rows: [Lines; 2],
}

/// What is looked for.
#[derive(Default)]
struct Query<'a> {
    text: Option<&'a str>,
    words: Vec<String>,
    filters: Vec<Wanted<'a>>,
    year_from: Option<u32>,
    year_to: Option<u32>,
    without_artists: Vec<String>,
    without_labels: Vec<String>,
    /// Asks for signals that no row here has.
    impossible: bool,
}

impl Masters {
    pub(super) fn load(files: &Files) -> Result<Self, CatalogueError> {
        let mut all = Vec::new();
        for (rows, facets) in
            [(&files.masters_rows, &files.masters_facets), (&files.invented_rows, &files.invented_facets)]
        {
            let parsed: Vec<Facets> = facets.parse()?;
            if parsed.len() != rows.len() {
                return Err(CatalogueError::Uneven(facets.path()));
            }
            for (row, facets_of_row) in rows.parse::<Row<'static>>()?.into_iter().zip(parsed) {
                if row.master_id != facets_of_row.master_id {
                    return Err(CatalogueError::Uneven(facets.path()));
                }
                let (artist_words, title_words) = (words(&row.artist), words(&row.title));
                let name_words = words(without_suffix(&row.artist)).len();
                all.push(Master { row, facets: facets_of_row, artist_words, name_words, title_words });
            }
        }
        Ok(Self { all, rows: [files.masters_rows.clone(), files.invented_rows.clone()] })
    }

    pub(super) fn answer(&self, params: &Params<'_>) -> Answered {
        let query = Query::read(params)?;
        let limit = params.number("limit", 1..=100)?.unwrap_or(50);
        let offset = params.number("offset", 0..=10_000)?.unwrap_or(0);

        let mut matches: Vec<(u8, usize)> =
            self.all.iter().enumerate().filter_map(|(at, master)| Some((query.rank(master)?, at))).collect();
        matches.sort_unstable();
        let total = matches.len();
        let window = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let page =
            matches.iter().skip(window(offset)).take(window(limit)).filter_map(|(_, at)| self.row(*at));

        let head = json!({
            "query": query.echo(),
            "pagination": {
                "page": offset / limit + 1,
                "total_pages": total.div_ceil(window(limit)),
                "total_results": total,
                "total_results_mode": "exact",
            },
            "facets": {},
            "freshness": { "ridden_lag_s": null, "mirror_lag_s": null },
        });
        let head = head.to_string();
        let open = head.strip_suffix('}').unwrap_or(&head);
        Ok(assembled(&[open.as_bytes(), br#","results":"#, &array_of(page), b"}"]))
    }

    /// The row of one master, as a search gives it.
    pub(super) fn by_id(&self, id: u64) -> Option<Value> {
        let at = self.all.iter().position(|master| master.row.master_id == id)?;
        serde_json::from_slice(self.row(at)?).ok()
    }

    fn row(&self, at: usize) -> Option<&'static [u8]> {
        let [real, invented] = &self.rows;
        match at.checked_sub(real.len()) {
            None => real.get(at),
            Some(at) => invented.get(at),
        }
    }
}

impl<'a> Query<'a> {
    fn read(params: &Params<'a>) -> Result<Self, Problem> {
        let text = params.get("q");
        if text.is_some_and(|text| text.chars().count() > LONGEST_QUERY) {
            return Err(Problem::invalid_query("q", format!("must have at most {LONGEST_QUERY} characters")));
        }
        let filters = Self::filters(params, &FILTERS)?;
        let (year_from, year_to) = Self::years(params)?;
        let dj_count_min = params.number("dj_count_min", 0..=1_000_000)?;
        let quadrants: Vec<&str> = params.all("cube_quadrant").collect();
        if quadrants
            .iter()
            .any(|text| text.len() != 3 || text.bytes().any(|byte| !matches!(byte, b'0' | b'1')))
        {
            return Err(Problem::invalid_query("cube_quadrant", "must be three digits, each 0 or 1"));
        }
        let filtered =
            !filters.is_empty() || year_from.is_some() || year_to.is_some() || !quadrants.is_empty();
        if text.is_none() && !filtered {
            return Err(Problem::invalid_query("q", "must be given, or a filter in its place"));
        }
        Ok(Self {
            text,
            words: text.map(words).unwrap_or_default(),
            filters,
            year_from,
            year_to,
            without_artists: params.all("exclude_artist").map(lower).collect(),
            without_labels: params.all("exclude_label").map(lower).collect(),
            impossible: dj_count_min.is_some_and(|least| least > 0) || !quadrants.is_empty(),
        })
    }

    fn filters(params: &Params<'a>, which: &[Filter]) -> Result<Vec<Wanted<'a>>, Problem> {
        let mut filters = Vec::new();
        for filter in which {
            let (name, mode) = filter.names();
            let every = params.choice(mode, &["and", "or"])? == Some("and");
            let values: Vec<&str> = params.all(name).collect();
            if values.len() > 20 || values.iter().any(|value| value.chars().count() > LONGEST_QUERY) {
                return Err(Problem::invalid_query(
                    name,
                    "must be at most 20 values of at most 256 characters",
                ));
            }
            if !values.is_empty() {
                filters.push((*filter, values, every));
            }
        }
        Ok(filters)
    }

    fn years(params: &Params<'a>) -> Result<(Option<u32>, Option<u32>), Problem> {
        Ok((params.number("year_from", 1900..=2100)?, params.number("year_to", 1900..=2100)?))
    }

    /// How well a row matches, 0 the best; none if it does not.
    fn rank(&self, master: &Master) -> Option<u8> {
        (!self.impossible && self.passes(master)).then_some(())?;
        let Some(text) = self.text else { return Some(0) };
        if self.words.is_empty() {
            let text = lower(text);
            let (artist, title) = (lower(&master.row.artist), lower(&master.row.title));
            return if artist == text {
                Some(0)
            } else {
                (artist.contains(&text) || title.contains(&text)).then_some(4)
            };
        }
        let has = |list: &[String], word: &String| list.iter().any(|other| other.starts_with(word.as_str()));
        let all_in = |list: &[String]| self.words.iter().all(|word| has(list, word));
        if master.artist_words == self.words {
            return Some(0);
        }
        if master.artist_words.get(..master.name_words) == Some(&self.words) {
            return Some(1);
        }
        if all_in(&master.artist_words) {
            return Some(2);
        }
        if master.title_words == self.words {
            return Some(3);
        }
        let somewhere =
            self.words.iter().all(|word| has(&master.artist_words, word) || has(&master.title_words, word));
        somewhere.then_some(4)
    }

    fn passes(&self, master: &Master) -> bool {
        let same = |value: &Text, wanted: &str| lower(value) == lower(wanted);
        let filters = self.filters.iter().all(|(filter, wanted, every)| {
            let held = |text: &&str| master.values(*filter).iter().any(|value| same(value, text));
            if *every { wanted.iter().all(held) } else { wanted.iter().any(held) }
        });
        let year = match master.row.year {
            Some(year) => {
                self.year_from.is_none_or(|from| year >= from) && self.year_to.is_none_or(|to| year <= to)
            }
            None => self.year_from.is_none() && self.year_to.is_none(),
        };
        let unwanted = self.without_artists.contains(&lower(&master.row.artist))
            || master.facets.labels.iter().any(|label| self.without_labels.contains(&lower(label)));
        filters && year && !unwanted
    }

    fn echo(&self) -> Value {
        let mut filters: Vec<Value> = self
            .filters
            .iter()
            .map(|(filter, values, every)| {
                let mode = if *every { "and" } else { "or" };
                json!({ "facet": filter.names().0, "value": values, "mode": mode })
            })
            .collect();
        for (name, year) in [("year_from", self.year_from), ("year_to", self.year_to)] {
            filters.extend(year.map(|year| json!({ "facet": name, "value": year })));
        }
        match self.text {
            Some(text) => json!({ "q": text, "filters": filters }),
            None => json!({ "filters": filters }),
        }
    }
}
