//! What pages name exists: files, modules, crates, links.

use std::collections::BTreeSet;

use crate::tables::{code, codes, page, root, table};

/// Every page, by its name from the root.
pub(super) fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "CHANGELOG.md".to_owned()];
    for entry in std::fs::read_dir(root().join("docs")).expect("docs") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if name.ends_with(".md") {
            pages.push(format!("docs/{name}"));
        }
    }
    assert!(pages.len() > 8, "{pages:?}");
    pages
}

#[test]
fn every_file_that_the_architecture_names_exists() {
    let files: Vec<String> =
        codes(&page("docs/architecture.md")).into_iter().filter(|word| word.starts_with("src/")).collect();
    assert!(files.len() > 30, "the walk names few files: {files:?}");
    for file in files {
        assert!(root().join(&file).is_file(), "{file} does not exist");
    }
}

#[test]
fn every_module_has_a_row_that_says_what_it_decides() {
    let declared: BTreeSet<String> = page("src/lib.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned))
        .chain(["main".to_owned()])
        .collect();
    let rows = table(&page("docs/architecture.md"), "Modules");
    let written: BTreeSet<String> = rows.iter().map(|row| code(&row[0])).collect();
    assert_eq!(written, declared);
    assert_eq!(rows.len(), declared.len());
    assert!(rows.iter().all(|row| row.iter().all(|cell| !cell.is_empty())));
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest: toml::Table = page("Cargo.toml").parse().expect("a manifest");
    for (section, heading) in [("dependencies", "In the program"), ("dev-dependencies", "In tests only")] {
        let named: BTreeSet<String> =
            manifest[section].as_table().expect("a table").keys().cloned().collect();
        let rows = table(&page("docs/dependencies.md"), heading);
        let written: BTreeSet<String> = rows.iter().map(|row| code(&row[0])).collect();
        assert_eq!(written, named, "{section}");
        assert!(rows.iter().all(|row| row[1].len() > 3));
    }
}

#[test]
fn every_link_leads_to_a_file_or_to_another_site() {
    let mut seen = 0;
    for name in pages() {
        let text = page(&name);
        let folder = root().join(&name).parent().expect("a folder").to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            seen += 1;
            if !target.starts_with("https://") {
                assert!(folder.join(target).exists(), "{name} links to {target}");
            }
        }
    }
    assert!(seen > 20, "{seen} links");
}

#[test]
fn what_is_packaged_keeps_its_folders_so_that_its_links_lead_somewhere() {
    let manifest: toml::Table = page("Cargo.toml").parse().expect("a manifest");
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().expect("a list");
    let mut packaged = BTreeSet::new();
    for asset in assets {
        let (from, to) = (asset[0].as_str().expect("a file"), asset[1].as_str().expect("a place"));
        let Some(place) = to.strip_prefix("usr/share/doc/ono-sendai/") else { continue };
        let (folder, pattern) = from.rsplit_once('/').unwrap_or(("", from));
        assert_eq!(place.trim_end_matches('/'), folder, "{from} changes its folder");
        let (begin, end) = pattern.split_once('*').unwrap_or((pattern, ""));
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            if name.starts_with(begin) && name.ends_with(end) {
                packaged.insert(root().join(folder).join(name).canonicalize().expect("it is there"));
            }
        }
    }
    let pages: Vec<_> =
        packaged.iter().filter(|file| file.extension().is_some_and(|end| end == "md")).collect();
    assert!(pages.len() > 20, "{pages:?}");
    for name in pages {
        let text = std::fs::read_to_string(name).expect("a page");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            // What begins with a slash is meant for a page of the running server.
            if !target.starts_with("https://") && !target.starts_with('/') {
                let file = name.parent().expect("a folder").join(target).canonicalize();
                assert!(
                    file.as_ref().is_ok_and(|file| packaged.contains(file)),
                    "{} links to {target}",
                    name.display()
                );
            }
        }
    }
    // The units name one of them.
    for unit in ["systemd/ono-sendai.service", "systemd/ono-sendai.socket"] {
        let unit = page(unit);
        let named = unit.split("Documentation=file:///usr/share/doc/ono-sendai/").nth(1).expect("a page");
        assert!(packaged.contains(&root().join(named.lines().next().expect("a line"))), "{named}");
    }
}

#[test]
fn the_maintainer_of_the_package_is_an_address_that_is_whole_and_nobodys() {
    let manifest: toml::Table = page("Cargo.toml").parse().expect("a manifest");
    let written = manifest["package"]["metadata"]["deb"]["maintainer"].as_str().expect("text");
    let (name, address) =
        written.strip_suffix('>').and_then(|rest| rest.split_once(" <")).expect("NAME <ADDRESS>");
    let (local, host) = address.split_once('@').expect("an address");
    // What a package checker calls bogus: no name, root, a host without a domain.
    assert!(!name.is_empty() && !["", "root"].contains(&local) && !host.contains("localhost"), "{written}");
    assert!(host.strip_suffix(".invalid").is_some_and(|domain| !domain.is_empty()), "{written}");
    let is_plain = |c: char| c.is_ascii_lowercase() || "-.".contains(c);
    assert!(local.chars().all(is_plain) && host.chars().all(is_plain), "{written}");
}

#[test]
fn the_changelog_has_an_entry_for_this_version() {
    let heading = format!("## [{}]", env!("CARGO_PKG_VERSION"));
    assert!(page("CHANGELOG.md").lines().any(|line| line.starts_with(&heading)), "{heading}");
}
