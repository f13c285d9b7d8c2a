//! The page on reliability names the fuzz targets that there are.

use crate::tables::{code, page, root, table};

const PAGE: &str = "docs/reliability.md";

/// The fuzz targets, by their files.
fn targets() -> Vec<String> {
    let files = std::fs::read_dir(root().join("fuzz/fuzz_targets")).expect("the targets");
    let name = |file: std::fs::DirEntry| file.file_name().into_string().expect("text");
    let mut names: Vec<String> = files
        .map(|file| name(file.expect("a file")).strip_suffix(".rs").expect("a source").to_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 10, "{names:?}");
    names
}

#[test]
fn each_fuzz_target_has_what_it_promises_and_what_its_last_run_showed() {
    // A row of another width is refused by whoever reads the table.
    for (heading, width) in [("Fuzzing", 3), ("The last figures", 6)] {
        let rows = table(&page(PAGE), heading);
        assert!(rows.iter().all(|row| row.len() == width), "{heading}: not {width} columns");
        assert!(rows.iter().flatten().all(|cell| !cell.is_empty()), "{heading}: an empty cell");
        let mut named: Vec<String> = rows.iter().map(|row| code(&row[0])).collect();
        named.sort();
        assert_eq!(named, targets(), "under {heading:?}");
        let numbers =
            |row: &Vec<String>| row[1..].iter().all(|cell| cell.starts_with(|c: char| c.is_ascii_digit()));
        assert!(
            rows.iter().all(|row| numbers(row) == (width == 6)),
            "{heading}: promises and figures are mixed"
        );
    }
}
