//! The text of `search_catalog`.

use super::lines::{ROWS_MAX, count, in_json, line, value};
use crate::answer::{CatalogHit, CatalogList, Cell};
use crate::model::text::CleanName;

/// Lists of at most so many rows name the artists' ids too; longer ones leave them to the JSON.
const IDS_MAX: usize = 3;

/// Adds the facts.
pub(super) fn render(text: &mut String, data: &CatalogList) {
    let page = &data.pagination;
    if data.results.is_empty() {
        line(text, format_args!("No records here."));
    } else {
        let of = match (page.total_results.value(), page.total_results_mode.value()) {
            (Some(total), Some(&"exact")) => format!("of {total} "),
            (Some(total), Some(&"lower_bound")) => format!("of at least {total} "),
            (Some(total), _) => format!("of about {total} "),
            (None, _) => String::new(),
        };
        line(text, format_args!("{} {of}found:", count(data.shown, "record", "records")));
    }
    for hit in data.results.iter().take(ROWS_MAX) {
        row(text, data, hit);
    }
    in_json(text, data.shown);
    if data.results.len() > IDS_MAX {
        line(text, format_args!("The artists' cluster ids stand in the JSON."));
    }
    if data.unreadable > 0 {
        line(text, format_args!("{} more could not be read.", data.unreadable));
    }
    if page.next_cursor.is_some() {
        line(text, format_args!("More: the same search with pagination.next_cursor of the JSON as cursor."));
    }
    for words in [page.walk_ended_early, page.note].into_iter().flatten() {
        line(text, format_args!("{words}"));
    }
}

fn row(text: &mut String, data: &CatalogList, hit: &CatalogHit) {
    let none: (Option<&Cell<CleanName>>, Option<&Cell<String>>) = (None, None);
    let (master_id, title, year, (artist, cluster_id)) = match hit {
        CatalogHit::Full(hit) => {
            (hit.master_id, &hit.title, &hit.year, (Some(&hit.artist), Some(&hit.artist_cluster_id)))
        }
        CatalogHit::Compact(hit) => {
            let artist = data.artists.as_ref().and_then(|artists| artists.get(&hit.artist));
            let artist = artist.map_or(none, |artist| (Some(&artist.name), Some(&artist.cluster_id)));
            (hit.master_id, &hit.title, &hit.year, artist)
        }
    };
    let artist = artist.map(value).unwrap_or_default();
    let mut facts = format!("- {} by {artist}, year {}, master {master_id}", value(title), value(year));
    if let (true, Some(id)) = (data.results.len() <= IDS_MAX, cluster_id) {
        facts.push_str(", cluster_id ");
        facts.push_str(&value(id));
    }
    line(text, format_args!("{facts}"));
}
