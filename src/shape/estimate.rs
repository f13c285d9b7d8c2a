//! Counts tokens without a tokenizer: splits text the way `o200k_base` does before it merges, and
//! charges each piece what such pieces cost on average. A test holds it to the real tokenizer.

/// What the tokenizer finds on top of the piece costs below, over the answers of the demo catalogue.
const CALIBRATION_PERCENT: u64 = 104;

/// What kind of piece a run of characters is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    OtherLetter,
    Digit,
    Space,
    Mark,
}

fn class(c: char) -> Class {
    if c.is_lowercase() {
        Class::Lower
    } else if c.is_uppercase() {
        Class::Upper
    } else if c.is_alphabetic() {
        Class::OtherLetter
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_whitespace() {
        Class::Space
    } else {
        Class::Mark
    }
}

/// The estimated number of `o200k_base` tokens of `text`.
#[must_use]
pub fn tokens(text: &str) -> u32 {
    let mut quarters: u64 = 0;
    let mut rest = text.chars().peekable();
    let mut previous: Option<Class> = None;
    while let Some(c) = rest.next() {
        let kind = class(c);
        match kind {
            Class::Digit => {
                let mut length = 1;
                while length < 3 && rest.next_if(|c| class(*c) == Class::Digit).is_some() {
                    length += 1;
                }
                quarters += 4;
            }
            Class::Upper | Class::Lower | Class::OtherLetter => {
                let mut letters = 1;
                let mut bytes = c.len_utf8();
                let mut last = kind;
                while let Some(next) = rest.next_if(|c| continues(last, class(*c))) {
                    letters += 1;
                    bytes += next.len_utf8();
                    last = class(next);
                }
                quarters += word(
                    letters,
                    bytes,
                    previous == Some(Class::Digit),
                    rest.peek().is_some_and(char::is_ascii_digit),
                );
            }
            Class::Space => {
                // One space belongs to the word behind it; more are a piece of their own.
                let mut length = 1;
                while rest.next_if(|c| class(*c) == Class::Space).is_some() {
                    length += 1;
                }
                if length > 1 || c == '\n' || rest.peek().is_some_and(char::is_ascii_digit) {
                    quarters += 4;
                }
            }
            Class::Mark => {
                let mut length: u64 = 1;
                let mut ascii = c.is_ascii();
                while let Some(next) = rest.next_if(|c| class(*c) == Class::Mark) {
                    length += 1;
                    ascii &= next.is_ascii();
                }
                let joins_word = length == 1
                    && previous != Some(Class::Space)
                    && rest.peek().is_some_and(|c| c.is_alphabetic());
                quarters += if !ascii {
                    6 * length
                } else if joins_word {
                    1
                } else {
                    4 + (length.saturating_sub(4)) * 2
                };
            }
        }
        previous = Some(kind);
    }
    u32::try_from((quarters * CALIBRATION_PERCENT).div_ceil(400)).unwrap_or(u32::MAX)
}

/// Whether a word goes on: a capital behind a small letter starts a new one.
fn continues(last: Class, next: Class) -> bool {
    match next {
        Class::Lower | Class::OtherLetter => true,
        Class::Upper => last == Class::Upper,
        Class::Digit | Class::Space | Class::Mark => false,
    }
}

/// Quarter tokens of one word.
fn word(letters: u64, bytes: usize, after_digit: bool, before_digit: bool) -> u64 {
    let wide = bytes as u64 > letters;
    if after_digit || before_digit {
        // Letters among digits are ids, which never were words.
        return 4 * letters.div_ceil(2);
    }
    match letters {
        _ if wide => 4 + 2 * letters,
        0..=6 => 4,
        7..=9 => 5,
        10..=12 => 6,
        _ => 4 + letters,
    }
}
