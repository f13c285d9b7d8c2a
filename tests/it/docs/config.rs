//! The page of keys and the file that is shipped are what the program's own table of keys says.

use ono_sendai::config::Config;

use crate::tables::{page, root};

const PAGE: &str = "docs/config.md";
const FILE: &str = "config/ono-sendai.toml";
const BEGIN: &str = "<!-- keys: begin -->\n";
const END: &str = "<!-- keys: end -->";

/// Holds a file to a text; with `ONO_DOCS=write` in the environment it is written instead.
fn hold(name: &str, wanted: &str) {
    if std::env::var("ONO_DOCS").is_ok_and(|word| word == "write") {
        return std::fs::write(root().join(name), wanted).expect("a page");
    }
    let kept = page(name);
    let differs = kept.lines().zip(wanted.lines()).find(|(kept, wanted)| kept != wanted);
    assert!(
        kept == wanted,
        "{name} is not what the program says, from {differs:?} on; write it anew: \
         ONO_DOCS=write cargo test --test it docs::config"
    );
}

#[test]
fn the_page_of_keys_is_what_the_program_says() {
    let text = page(PAGE);
    let (before, rest) = text.split_once(BEGIN).expect("where the keys begin");
    let (_, after) = rest.split_once(END).expect("where the keys end");
    let keys = Config::reference();
    assert!(keys.lines().count() > 130, "few keys: {keys}");
    hold(PAGE, &format!("{before}{BEGIN}\n{keys}\n{END}{after}"));
}

#[test]
fn the_shipped_file_is_what_the_program_says() {
    hold(FILE, &Config::shipped());
}

#[test]
fn every_file_that_is_a_start_is_on_the_page() {
    let text = page(PAGE);
    for entry in std::fs::read_dir(root().join("config")).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        // A scenario and its server belong to docs/demo.md, what a package brings to the package.
        if !["faults.toml", "over-crate-sim.toml", "package.toml"].contains(&name.as_str()) {
            assert!(text.contains(&format!("(../config/{name})")), "{name}");
        }
    }
}
