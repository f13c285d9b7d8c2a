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

/// The class of each byte that is a character by itself, as nearly all of an answer are; `None` for parts of others.
const OF_BYTES: [Option<Class>; 256] = {
    let mut classes = [None; 256];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::cast_possible_truncation, clippy::indexing_slicing, reason = "both are below 128")]
        {
            classes[byte] = Some(match byte as u8 {
                b'a'..=b'z' => Class::Lower,
                b'A'..=b'Z' => Class::Upper,
                b'0'..=b'9' => Class::Digit,
                b' ' | b'\t'..=b'\r' => Class::Space,
                _ => Class::Mark,
            });
        }
        byte += 1;
    }
    classes
};

fn wide_class(c: char) -> Class {
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

/// What a text weighs before it is rounded to tokens. Weights of pieces add up to the weight of the whole where the cut
/// is between a word and a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight(u64);

impl Weight {
    /// The weight that [`Self::as_u64`] told.
    #[must_use]
    pub fn from_u64(quarters: u64) -> Self {
        Self(quarters)
    }

    /// As a number, to be kept.
    #[must_use]
    pub fn as_u64(self) -> u64 {
        self.0
    }

    /// The weight of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The weight of the same text with `number` in the place of a number of one digit.
    #[must_use]
    pub fn with_number(self, number: u32) -> Self {
        Self(self.0.saturating_add(4 * u64::from(number.checked_ilog10().unwrap_or(0) / 3)))
    }

    /// In `o200k_base` tokens.
    #[must_use]
    pub fn tokens(self) -> u32 {
        u32::try_from(self.0.saturating_mul(CALIBRATION_PERCENT).div_ceil(400)).unwrap_or(u32::MAX)
    }
}

/// The estimated number of `o200k_base` tokens of `text`.
#[must_use]
pub fn tokens(text: &str) -> u32 {
    weigh(text).tokens()
}

/// What the character that begins at `at` is, and how many bytes it has; `None` at the end.
#[inline(always)]
fn look(text: &str, at: usize) -> Option<(Class, usize)> {
    let byte = *text.as_bytes().get(at)?;
    #[expect(clippy::indexing_slicing, reason = "there is a place for each byte")]
    match OF_BYTES[usize::from(byte)] {
        Some(class) => Some((class, 1)),
        None => wide(text, at).map(|c| (wide_class(c), c.len_utf8())),
    }
}

#[cold]
fn wide(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

fn is_ascii_digit(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(u8::is_ascii_digit)
}

/// Some numerals and marks beyond ASCII are letters too.
fn is_letter(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphabetic(),
        Some(_) => wide(text, at).is_some_and(char::is_alphabetic),
        None => false,
    }
}

/// How many bytes in a row, from `at` on, are of a kind.
#[inline(always)]
fn run(text: &str, at: usize, is_of_it: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    rest.iter().position(|byte| !is_of_it(*byte)).unwrap_or(rest.len())
}

/// What `text` weighs.
#[must_use]
pub fn weigh(text: &str) -> Weight {
    let mut quarters: u64 = 0;
    let mut at = 0;
    let mut previous: Option<Class> = None;
    while let Some((kind, bytes)) = look(text, at) {
        let began = at;
        at += bytes;
        let mut length: u64 = 1;
        match kind {
            Class::Digit => {
                while length < 3
                    && let Some((Class::Digit, more)) = look(text, at)
                {
                    at += more;
                    length += 1;
                }
                quarters += 4;
            }
            Class::Upper | Class::Lower | Class::OtherLetter => {
                let mut last = kind;
                loop {
                    let small = run(text, at, |byte| byte.is_ascii_lowercase());
                    if small > 0 {
                        at += small;
                        length += small as u64;
                        last = Class::Lower;
                    }
                    match look(text, at) {
                        Some((next, more)) if continues(last, next) => {
                            at += more;
                            length += 1;
                            last = next;
                        }
                        _ => break,
                    }
                }
                let is_of_id = previous == Some(Class::Digit) || is_ascii_digit(text, at);
                quarters += word(length, at - began, is_of_id);
            }
            Class::Space => {
                // One space belongs to the word behind it; more are a piece of their own.
                while let Some((Class::Space, more)) = look(text, at) {
                    at += more;
                    length += 1;
                }
                let is_line_break = text.as_bytes().get(began) == Some(&b'\n');
                if length > 1 || is_line_break || is_ascii_digit(text, at) {
                    quarters += 4;
                }
            }
            Class::Mark => {
                while let Some((Class::Mark, more)) = look(text, at) {
                    at += more;
                    length += 1;
                }
                let is_ascii = (at - began) as u64 == length;
                quarters += if !is_ascii {
                    6 * length
                } else if length == 1 && previous != Some(Class::Space) && is_letter(text, at) {
                    // It joins the word.
                    1
                } else {
                    4 + length.saturating_sub(4) * 2
                };
            }
        }
        previous = Some(kind);
    }
    Weight(quarters)
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
fn word(letters: u64, bytes: usize, is_of_id: bool) -> u64 {
    let wide = bytes as u64 > letters;
    if is_of_id {
        // Letters among digits never were words.
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

#[cfg(test)]
mod tests {
    use super::{OF_BYTES, tokens, weigh, wide_class};

    #[test]
    fn ascii_is_classed_as_every_other_character_is() {
        for (byte, class) in (0_u8..=255).zip(OF_BYTES) {
            assert!(class == byte.is_ascii().then(|| wide_class(char::from(byte))), "{byte}");
        }
    }

    #[test]
    fn the_weight_of_an_answer_is_that_of_its_pieces() {
        let answer = "{\"ok\":true,\"data\":{\"name\":\"Ü 12 ひ４\\n\"},\"meta\":{\"units\":1}}";
        let (head, tail) = answer.split_at(answer.find("\":{\"units").unwrap());
        assert_eq!(weigh(head).and(weigh(tail)), weigh(answer));
        assert_eq!(weigh(head).and(weigh(tail)).tokens(), tokens(answer));
        assert_eq!(tokens(""), 0);
        for number in [0, 9, 10, 999, 1_000, 999_999, 1_000_000, u32::MAX] {
            assert_eq!(
                weigh("{\"a\":0}").with_number(number),
                weigh(&format!("{{\"a\":{number}}}")),
                "{number}"
            );
        }
    }
}
