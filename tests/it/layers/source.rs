//! The files of the source, and their text without what is not code.

use std::path::Path;

use crate::tables::root;

/// One file.
pub struct File {
    /// Its name from the root.
    pub name: String,
    /// The module it is, from the crate's root; empty for the root itself.
    pub module: Vec<String>,
    /// Its text.
    pub text: String,
}

impl File {
    /// A file of this name and text.
    pub fn of(name: &str, text: &str) -> Self {
        let inside = name.trim_start_matches("src/").trim_end_matches(".rs");
        let module = match inside {
            "lib" => Vec::new(),
            _ => inside.split('/').map(str::to_owned).collect(),
        };
        Self { name: name.to_owned(), module, text: text.to_owned() }
    }
}

/// Every Rust file below a folder of the root, by name; never empty.
pub fn files(folder: &str) -> Vec<File> {
    let mut files = Vec::new();
    collect(&root().join(folder), &mut files);
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(files.len() > 10, "{folder} holds too little to be the source");
    files
}

fn collect(folder: &Path, files: &mut Vec<File>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).expect("below the root").display().to_string();
            files.push(File::of(&name, &std::fs::read_to_string(&path).expect("text")));
        }
    }
}

/// Every file below a folder of the root that ends in one of these, with its text, but what others wrote and what is built.
pub fn texts(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    const OTHERS: [&str; 8] =
        ["node_modules", "target", "uplot", "out", "corpus", "artifacts", "coverage", "__pycache__"];
    let (mut folders, mut texts) = (vec![root().join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() && !OTHERS.contains(&name.as_str()) && !name.starts_with('.') {
                folders.push(path);
            } else if kind.is_file()
                && extensions.iter().any(|end| path.extension().is_some_and(|is| is == *end))
            {
                let name = path.strip_prefix(root()).expect("below the root").display().to_string();
                texts.push((name, std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
    assert!(!texts.is_empty(), "{folder} holds nothing");
    texts.sort();
    texts
}

/// The code before a file's tests; nothing when the whole file is tests.
pub fn without_tests(file: &File) -> String {
    if file.module.iter().any(|part| part == "tests") {
        return String::new();
    }
    bare(&file.text).split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned()
}

/// The text with comments, strings and character literals blanked out, line by line as it was.
pub fn bare(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut bare = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = skipped(&chars, at);
        if end == at {
            bare.push(chars[at]);
            at += 1;
        } else {
            bare.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    bare
}

/// Where the comment or literal that begins at `at` ends; `at` when none begins there.
fn skipped(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    let starts = |text: &str| rest.iter().take(text.len()).copied().eq(text.chars());
    if starts("//") {
        return at + rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
    }
    if starts("/*") {
        return at + block_comment(rest);
    }
    if rest[0] == '"' {
        return at + quoted(rest, '"');
    }
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    if rest[0] == 'r' && (!in_word || chars[at - 1] == 'b') {
        let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
        if rest.get(1 + hashes) == Some(&'"') {
            let close: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            let body: String = rest[2 + hashes..].iter().collect();
            let inside = body.find(&close).map_or(body.len(), |byte| body[..byte].chars().count());
            return (at + 2 + hashes + inside + 1 + hashes).min(chars.len());
        }
    }
    // A quote is a character when it closes again; otherwise it begins a lifetime.
    if rest[0] == '\'' && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\'')) {
        return at + quoted(rest, '\'');
    }
    at
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match (rest[at], rest.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}
