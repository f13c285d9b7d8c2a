//! Every command of the pages is run by `tests/docs/run` or has a reason not to be, and is one of the program.

use std::collections::BTreeMap;
use std::process::Command;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::pages::pages;
use crate::tables::{page, root};

/// What the script says that it would do, a line each: where, what it is, and how it is treated.
fn listed() -> String {
    let output = Command::new(root().join("tests/docs/run")).arg("--list").output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{complaint}");
    String::from_utf8(output.stdout).expect("text")
}

/// The commands of a page as markdown has them: the blocks, and the code spans of its text.
#[derive(Default)]
struct Commands {
    blocks: Vec<String>,
    spans: Vec<String>,
}

fn commands(text: &str) -> Commands {
    let mut found = Commands::default();
    let mut in_block = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "sh" => {
                in_block = true;
                found.blocks.push(String::new());
            }
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Text(line) if in_block => found.blocks.last_mut().expect("a block").push_str(&line),
            Event::Code(span) => found.spans.push(span.into_string()),
            _ => {}
        }
    }
    found
}

#[test]
fn every_block_of_commands_is_run_or_has_its_reason() {
    let listed = listed();
    let mut seen = 0;
    for name in pages() {
        let blocks = commands(&page(&name)).blocks.len();
        let treated = listed
            .lines()
            .filter(|line| line.starts_with(&format!("{name}:")))
            .filter_map(|line| line.split_once(' '))
            .filter(|(_, rest)| rest.starts_with("sh run") || rest.starts_with("sh not run: "))
            .count();
        assert_eq!(treated, blocks, "{name}");
        seen += blocks;
    }
    assert!(seen > 25, "{seen} blocks");
    for name in ["README.md", "docs/operating.md"] {
        let of_page: Vec<&str> = listed.lines().filter(|line| line.starts_with(name)).collect();
        let run = of_page.iter().filter(|line| line.ends_with(" run")).count();
        assert!(run * 4 > of_page.len() * 3, "little of {name} is run: {of_page:?}");
    }
}

#[test]
fn a_note_that_is_none_is_refused() {
    let script = root().join("tests/docs/blocks.awk");
    let refused = |text: &str| {
        let file = std::env::temp_dir().join(format!("ono-note-{}-{}", std::process::id(), text.len()));
        std::fs::write(&file, text).expect("a page");
        let output = Command::new("awk").args(["-v", "page=p", "-f"]).arg(&script).arg(&file).output();
        std::fs::remove_file(&file).expect("it was there");
        !output.expect("awk runs").status.success()
    };
    let block = "```sh\ntrue\n```\n";
    for good in [
        block.to_owned(),
        format!("<!-- not run: it needs what is not here -->\n{block}"),
        format!("<!-- terminal: server, until \"ready\" -->\n<!-- with: it for FILE -->\n{block}"),
        "<!-- keys: begin -->\n\nA word.\n".to_owned(),
    ] {
        assert!(!refused(&good), "{good}");
    }
    for bad in [
        format!("<!-- not run: no -->\n{block}"),
        format!("<!-- skipped: it needs what is not here -->\n{block}"),
        format!("<!-- where: elsewhere -->\n{block}"),
        format!("<!-- output -->\n{block}"),
        format!("<!-- file: relative -->\n{block}"),
        format!("<!-- where: server -->\nA word between.\n\n{block}"),
        "<!-- not run: it is no command at all -->\n```toml\na = 1\n```\n".to_owned(),
        "<!-- row \"none\": terminal: a -->\n| a |\n|---|\n| `ono-sendai demo` |\n".to_owned(),
    ] {
        assert!(refused(&bad), "{bad}");
    }
}

/// What one command's help says: its options and whether each takes a value, its commands, how many words it takes.
#[derive(Default)]
struct Help {
    options: BTreeMap<String, bool>,
    commands: Vec<String>,
    /// Whether it is nothing without one of them.
    needs_command: bool,
    least: usize,
    most: Option<usize>,
}

#[derive(Default)]
struct Program(BTreeMap<Vec<String>, Help>);

impl Program {
    fn help(&mut self, path: &[String]) -> &Help {
        self.0.entry(path.to_vec()).or_insert_with(|| {
            let mut program = Command::new(env!("CARGO_BIN_EXE_ono-sendai"));
            let output = program.args(path).arg("--help").env_clear().output().expect("it runs");
            assert!(output.status.success(), "{path:?}");
            read_help(&String::from_utf8(output.stdout).expect("text"))
        })
    }

    /// Why words after the program's name are not a command of it; a part of one, as text names it, may lack words.
    fn fault(&mut self, words: &[String], whole: bool) -> Option<String> {
        let mut path: Vec<String> = Vec::new();
        let mut given = 0;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let help = self.help(&path);
            if let Some(option) = word.strip_prefix("--") {
                match help.options.get(option) {
                    None => return Some(format!("{path:?} has no --{option}")),
                    Some(true) if words.next().is_none() && whole => {
                        return Some(format!("--{option} lacks its value"));
                    }
                    Some(_) => {}
                }
            } else if given == 0 && help.commands.contains(word) {
                path.push(word.clone());
            } else {
                given += 1;
                if !help.commands.is_empty() && word.chars().any(char::is_lowercase) {
                    return Some(format!("{path:?} has no command {word}"));
                }
            }
        }
        let help = self.help(&path);
        let placeholder = !help.commands.is_empty();
        if help.most.is_some_and(|most| given > most && !placeholder) {
            return Some(format!("{path:?} takes fewer words"));
        }
        let least = if placeholder { usize::from(help.needs_command) } else { help.least };
        (whole && given < least).then(|| format!("{path:?} takes more words"))
    }
}

fn read_help(text: &str) -> Help {
    let mut help = Help { most: Some(0), ..Help::default() };
    let mut section = "";
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (line.starts_with(' '), words.as_slice()) {
            (false, ["Usage:", rest @ ..]) => help.needs_command = rest.contains(&"<COMMAND>"),
            (false, _) => section = line,
            (true, [name, ..]) if section == "Commands:" => help.commands.push((*name).to_owned()),
            (true, [name, ..]) if section == "Arguments:" && name.starts_with(['<', '[']) => {
                help.least += usize::from(name.starts_with('<'));
                help.most = help.most.filter(|_| !name.ends_with("...")).map(|most| most + 1);
            }
            (true, words) if section == "Options:" => {
                if let Some(at) = words.iter().take(2).position(|word| word.starts_with("--")) {
                    let takes = words.get(at + 1).is_some_and(|word| word.starts_with('<'));
                    help.options.insert(words[at].trim_start_matches('-').to_owned(), takes);
                }
            }
            _ => {}
        }
    }
    help
}

/// The words of a line as a shell makes them, as far as pages use it; what a `$(…)` prints is one word.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut depth, mut open) = (Vec::new(), String::new(), None, 0, false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('$', _) if characters.peek() == Some(&'(') => depth += 1,
            (')', _) if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            ('\'' | '"', None) => (quote, open) = (Some(character), true),
            (_, Some(mark)) if character == mark => quote = None,
            ('#', None) if !open && word.is_empty() => break,
            (' ', None) => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            _ => word.push(character),
        }
        if depth > 0 {
            open = true;
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words after the program's name, when a line of a shell runs it.
fn of_the_program(line: &str) -> Option<Vec<String>> {
    let words = words(line);
    let own = |word: &String| word == "ono-sendai" || word == "target/release/ono-sendai";
    let after =
        if let Some(at) = words.windows(4).position(|four| four == ["cargo", "run", "--release", "--"]) {
            at + 4
        } else if words.iter().take_while(|word| word.contains('=') || own(word)).any(own)
            || words.first().is_some_and(|word| word == "systemd-run")
        {
            words.iter().position(own)? + 1
        } else {
            return None;
        };
    Some(words[after..].to_vec())
}

#[test]
fn every_command_that_is_written_is_one_of_the_program() {
    let mut program = Program::default();
    let known = program.help(&[]).commands.clone();
    let (mut seen, mut faults) = (0, Vec::new());
    for name in pages().into_iter().filter(|name| name != "CHANGELOG.md") {
        let found = commands(&page(&name));
        let blocks = found.blocks.iter().flat_map(|block| {
            let joined = block.replace("\\\n", " ");
            joined.lines().map(str::to_owned).collect::<Vec<_>>()
        });
        let whole = blocks.map(|line| (line, true));
        // In the text a part of a command is one too, such as `call --url URL`.
        let parts = found.spans.into_iter().map(|span| match span.split_whitespace().next() {
            Some(first) if known.iter().any(|known| known == first) && span.contains("--") => {
                (format!("ono-sendai {span}"), false)
            }
            _ => (span, false),
        });
        for (line, whole) in whole.chain(parts) {
            let Some(words) = of_the_program(&line) else { continue };
            seen += 1;
            if let Some(fault) = program.fault(&words, whole) {
                faults.push(format!("{name}: {line}: {fault}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 60, "{seen} commands");
}

#[test]
fn a_command_that_the_program_lacks_is_noticed() {
    let mut program = Program::default();
    let mut fault = |line: &str| program.fault(&of_the_program(line).expect("a command"), true);
    for good in [
        "ono-sendai demo --listen 127.0.0.1:9000",
        "A=b ono-sendai doctor --config FILE",
        "ono-sendai admin --data /folder accounts show subject=x # a remark",
        "ono-sendai admin accounts",
        "cargo run --release -- call resolve_artist q=\"Four Tet\" --token \"$(cat a b)\"",
    ] {
        assert_eq!(fault(good), None, "{good}");
    }
    for bad in [
        "ono-sendai demonstrate",
        "ono-sendai demo --port 1",
        "ono-sendai check-config",
        "ono-sendai check-config a b",
        "ono-sendai doctor --config",
        "ono-sendai admin",
        "ono-sendai admin --data /folder account",
    ] {
        assert!(fault(bad).is_some(), "{bad}");
    }
}
