//! Where text goes, and how much a terminal may dress it up.

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use super::exit::Exit;
use crate::identity::invisible::is_invisible;

/// Writes data to stdout. A reader that has gone away is not an error.
#[must_use]
pub(super) fn print(text: &str) -> Exit {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain(&format!("ono-sendai: cannot write the output: {error}"));
            Exit::Usage
        }
        _ => Exit::Ok,
    }
}

/// Writes a line for people to stderr. When even that fails there is nobody left to tell.
pub(super) fn complain(text: &str) {
    let _nobody_left = writeln!(std::io::stderr().lock(), "{text}");
}

/// How text is dressed up: for a person at a terminal, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// A person reads this, so sentences are better than data.
    pub(super) readable: bool,
    /// Bold and dim may be used.
    pub(super) ansi: bool,
}

impl Style {
    /// What suits stdout as it is now; `NO_COLOR` is honoured.
    pub(super) fn for_stdout() -> Self {
        let readable = std::io::stdout().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { readable, ansi: readable && !plain }
    }

    /// Text that stands out.
    pub(super) fn bold(self, text: &str) -> String {
        self.dress("1", text)
    }

    /// Text that stands back.
    pub(super) fn dim(self, text: &str) -> String {
        self.dress("2", text)
    }

    fn dress(self, code: &str, text: &str) -> String {
        if self.ansi { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Text of a stranger, made harmless for a terminal: no control sequences, nothing that reorders what is
/// shown or hides in it.
pub(super) fn harmless(text: &str) -> String {
    let shown = |c: &char| matches!(c, '\n' | '\t') || !(c.is_control() || is_invisible(*c));
    text.chars().filter(shown).collect()
}

/// The same, on one line.
pub(super) fn harmless_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it.
pub(super) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@,+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_cannot_drive_the_terminal() {
        assert_eq!(harmless("a\x1b[2Jb\r\nc\u{202e}d\u{9b}e"), "a[2Jb\ncde");
        assert_eq!(harmless("a\u{200b}b\u{61c}c\u{feff}d\u{e0041}e\u{ad}f"), "abcdef");
        assert_eq!(harmless("ガ é 🎧"), "ガ é 🎧");
        assert_eq!(harmless_line("a\n  b\tc"), "a b c");
    }

    #[test]
    fn a_plain_style_adds_nothing() {
        let plain = Style { readable: true, ansi: false };
        assert_eq!(plain.bold("x") + &plain.dim("y"), "xy");
        assert_eq!(Style { readable: true, ansi: true }.bold("x"), "\x1b[1mx\x1b[0m");
    }

    #[test]
    fn a_shell_reads_back_the_word_that_was_quoted() {
        for (word, quoted) in
            [("a/b.pem", "a/b.pem"), ("", "''"), ("Four Tet", "'Four Tet'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(shell_word(word), quoted);
        }
    }
}
