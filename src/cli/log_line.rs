//! A log line as text, written with as little work as it takes: every call writes one.
//!
//! Decides nothing: the lines read as those of the library that writes them otherwise, which a test holds them to.

use std::cell::RefCell;
use std::fmt::{self, Debug, Write as _};

use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use crate::clock::Clock;

/// The time of a line, in UTC and to the microsecond.
pub(super) struct Moment(pub(super) Clock);

/// The fields of a line.
pub(super) struct Fields;

const SECOND: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");

/// The field of what a line says.
const MESSAGE: &str = "message";

thread_local! {
    /// The second that was written last, and how.
    static LAST: RefCell<(i64, String)> = const { RefCell::new((i64::MAX, String::new())) };
}

impl FormatTime for Moment {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        let now = self.0.utc();
        LAST.with_borrow_mut(|(second, written)| {
            if *second != now.unix_timestamp() {
                *written = now.format(SECOND).map_err(|_| fmt::Error)?;
                *second = now.unix_timestamp();
            }
            w.write_str(written)
        })?;
        write!(w, ".{:06}Z", now.microsecond())
    }
}

impl<'writer> FormatFields<'writer> for Fields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut line = Line { writer, is_first: true, result: Ok(()) };
        fields.record(&mut line);
        line.result
    }
}

struct Line<'w> {
    writer: Writer<'w>,
    is_first: bool,
    result: fmt::Result,
}

impl Line<'_> {
    /// A field: a space unless it is the first, its name unless it is what the line says, and its value.
    fn field(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.result.is_err() {
            return;
        }
        let space = if std::mem::take(&mut self.is_first) { "" } else { " " };
        let name = field.name().strip_prefix("r#").unwrap_or(field.name());
        self.result = self.writer.write_str(space).and_then(|()| {
            if name != MESSAGE {
                self.writer.write_str(name)?;
                self.writer.write_char('=')?;
            }
            value(&mut self.writer)
        });
    }
}

impl Visit for Line<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == MESSAGE {
            return self.field(field, |w| Said(w).write_str(value));
        }
        let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\');
        self.field(field, |w| {
            if !is_plain {
                return write!(w, "{value:?}");
            }
            w.write_char('"')?;
            w.write_str(value)?;
            w.write_char('"')
        });
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == MESSAGE {
            return self.field(field, |w| write!(Said(w), "{value:?}"));
        }
        self.field(field, |w| write!(w, "{value:?}"));
    }
}

/// What a line says, without anything that a terminal would obey.
struct Said<'a, 'w>(&'a mut Writer<'w>);

impl fmt::Write for Said<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return self.0.write_str(text);
        }
        text.chars().try_for_each(|c| match c {
            '\x1b' | '\x07' | '\x08' | '\x0c' | '\x7f' => write!(self.0, "\\x{:02x}", u32::from(c)),
            '\u{80}'..='\u{9f}' => write!(self.0, "\\u{{{:x}}}", u32::from(c)),
            _ => self.0.write_char(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Written {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    impl Written {
        fn lines(&self) -> Vec<String> {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap().lines().map(str::to_owned).collect()
        }
    }

    fn lines() {
        let error = io::Error::other("a \"cause\"\nof two lines");
        tracing::info!(request_id = %"01a2", method = "tools/call", units = Some(1_u32), left_out = None::<u64>, "call");
        tracing::warn!(
            text = "a \"b\" \\ ü \u{1b}[31m\n",
            flag = true,
            small = -3_i64,
            large = u64::MAX,
            "odd"
        );
        tracing::error!(%error, ?error, ratio = 0.5, r#type = "x", "failed: {}", 7);
        tracing::info!(only = "a field");
        tracing::info!("nothing\u{7}\u{9b} but \u{1b}[31m words, ü");
        tracing::info!("{}", "\u{c}made\tup");
        let text = String::from("owned");
        tracing::info!(text, dashed.name = 1_u8, empty = "");
    }

    #[test]
    fn lines_read_as_those_of_the_library() {
        let (ours, theirs) = (Written::default(), Written::default());
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(ours.clone());
        tracing::subscriber::with_default(
            subscriber.with_timer(Moment(Clock::system())).fmt_fields(Fields).finish(),
            lines,
        );
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(theirs.clone());
        tracing::subscriber::with_default(subscriber.finish(), lines);
        let (ours, theirs) = (ours.lines(), theirs.lines());
        assert!(ours.len() >= 6 && ours.len() == theirs.len(), "{ours:#?} {theirs:#?}");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            // Written within seconds of each other, in the same form.
            let (at, line) = ours.split_at_checked(27).unwrap();
            let (other, other_line) = theirs.split_at_checked(27).unwrap();
            assert_eq!(line, other_line);
            let form = |at: &str| at.replace(|c: char| c.is_ascii_digit(), "0");
            assert_eq!((form(at), at.len()), (form(other), 27));
            assert_eq!(at[..10], other[..10]);
        }
    }
}
