//! The written pages, and the tables in them that tests hold to the code.

use std::path::{Path, PathBuf};

/// The folder that the program is built in.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The text of a file, named from the root.
pub fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The lines below a heading, up to the next heading.
pub fn section<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let mut in_block = false;
    let mut found = None;
    for line in page.lines() {
        in_block ^= line.starts_with("```");
        if !in_block && line.starts_with('#') {
            if found.is_some() {
                break;
            }
            found = (line.trim_start_matches('#').trim() == heading).then(Vec::new);
        } else if let Some(lines) = &mut found {
            lines.push(line);
        }
    }
    found.unwrap_or_else(|| panic!("there is no heading {heading:?}"))
}

/// The cells of the first table below a heading, without its head; never empty.
pub fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = section(page, heading)
        .into_iter()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert!(lines.len() > 2, "no table under {heading:?}");
    let width = cells(lines[0]).len();
    lines[2..]
        .iter()
        .map(|line| {
            let row = cells(line);
            assert_eq!(row.len(), width, "a row of another width: {line}");
            row
        })
        .collect()
}

/// Holds the table below a heading of a page to what the code says; shows what to write where they differ.
pub fn hold(name: &str, heading: &str, rows: &[Vec<String>]) {
    let written = table(&page(name), heading);
    if written == rows {
        return;
    }
    let lines: Vec<String> = rows.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
    panic!(
        "the table under {heading:?} in {name} is not what the program says; that is\n\n{}\n",
        lines.join("\n")
    );
}

fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// What stands between backticks in a text, in order.
pub fn codes(text: &str) -> Vec<String> {
    assert_eq!(text.matches('`').count() % 2, 0, "an open backtick: {text}");
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// A cell that holds one word between backticks.
pub fn code(cell: &str) -> String {
    match codes(cell).as_slice() {
        [one] => one.clone(),
        _ => panic!("not one word between backticks: {cell}"),
    }
}

/// The fenced blocks of a language below a heading.
pub fn blocks(page: &str, heading: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, Vec<&str>)> = None;
    for line in section(page, heading) {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some((wanted, lines))) => {
                if *wanted {
                    blocks.push(lines.join("\n"));
                }
                open = None;
            }
            (Some(of), None) => open = Some((of == language, Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    blocks
}
