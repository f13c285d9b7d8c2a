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

/// The classes of ASCII, which nearly all of an answer is.
const ASCII: [Class; 128] = {
    let mut classes = [Class::Mark; 128];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::cast_possible_truncation, clippy::indexing_slicing, reason = "both are below 128")]
        {
            classes[byte] = match byte as u8 {
                b'a'..=b'z' => Class::Lower,
                b'A'..=b'Z' => Class::Upper,
                b'0'..=b'9' => Class::Digit,
                b' ' | b'\t'..=b'\r' => Class::Space,
                _ => Class::Mark,
            };
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

/// The characters of a text, each classed once.
struct Characters<'t> {
    text: &'t str,
    /// Where the one that comes next begins.
    at: usize,
    /// What it is; `None` at the end.
    ahead: Option<Class>,
    /// Its length.
    bytes: usize,
}

impl<'t> Characters<'t> {
    fn of(text: &'t str) -> Self {
        let mut characters = Self { text, at: 0, ahead: None, bytes: 0 };
        characters.look();
        characters
    }

    fn look(&mut self) {
        let Some(byte) = self.text.as_bytes().get(self.at) else {
            self.ahead = None;
            return;
        };
        if let Some(class) = ASCII.get(usize::from(*byte)) {
            (self.ahead, self.bytes) = (Some(*class), 1);
        } else if let Some(c) = self.wide() {
            (self.ahead, self.bytes) = (Some(wide_class(c)), c.len_utf8());
        } else {
            self.ahead = None;
        }
    }

    #[cold]
    fn wide(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    /// Goes on by one, and says how long that one was.
    fn pass(&mut self) -> usize {
        let bytes = self.bytes;
        self.at += bytes;
        self.look();
        bytes
    }

    /// Goes on by one if that is of `class`.
    fn pass_if(&mut self, class: Class) -> Option<usize> {
        (self.ahead == Some(class)).then(|| self.pass())
    }

    fn is_before_ascii_digit(&self) -> bool {
        self.ahead == Some(Class::Digit) && self.bytes == 1
    }

    fn is_before_letter(&self) -> bool {
        match self.ahead {
            Some(Class::Upper | Class::Lower | Class::OtherLetter) => {
                self.bytes == 1 || self.wide().is_some_and(char::is_alphabetic)
            }
            // Some numerals and marks are letters too.
            Some(_) => self.bytes > 1 && self.wide().is_some_and(char::is_alphabetic),
            None => false,
        }
    }

    fn is_at_line_break(&self) -> bool {
        self.text.as_bytes().get(self.at) == Some(&b'\n')
    }
}

/// What `text` weighs.
#[must_use]
pub fn weigh(text: &str) -> Weight {
    let mut quarters: u64 = 0;
    let mut rest = Characters::of(text);
    let mut previous: Option<Class> = None;
    while let Some(kind) = rest.ahead {
        let is_line_break = rest.is_at_line_break();
        let mut bytes = rest.pass();
        match kind {
            Class::Digit => {
                let mut length = 1;
                while length < 3 && rest.pass_if(Class::Digit).is_some() {
                    length += 1;
                }
                quarters += 4;
            }
            Class::Upper | Class::Lower | Class::OtherLetter => {
                let mut letters = 1;
                let mut last = kind;
                while let Some(next) = rest.ahead.filter(|next| continues(last, *next)) {
                    letters += 1;
                    bytes += rest.pass();
                    last = next;
                }
                quarters +=
                    word(letters, bytes, previous == Some(Class::Digit), rest.is_before_ascii_digit());
            }
            Class::Space => {
                // One space belongs to the word behind it; more are a piece of their own.
                let mut length = 1;
                while rest.pass_if(Class::Space).is_some() {
                    length += 1;
                }
                if length > 1 || is_line_break || rest.is_before_ascii_digit() {
                    quarters += 4;
                }
            }
            Class::Mark => {
                let mut length: u64 = 1;
                while let Some(more) = rest.pass_if(Class::Mark) {
                    length += 1;
                    bytes += more;
                }
                let is_ascii = bytes as u64 == length;
                let joins_word = length == 1 && previous != Some(Class::Space) && rest.is_before_letter();
                quarters += if !is_ascii {
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

#[cfg(test)]
mod tests {
    use super::{ASCII, tokens, weigh, wide_class};

    #[test]
    fn ascii_is_classed_as_every_other_character_is() {
        for (byte, class) in (0_u8..).zip(ASCII) {
            assert!(class == wide_class(char::from(byte)), "{byte}");
        }
    }

    #[test]
    fn the_weight_of_an_answer_is_that_of_its_pieces() {
        let answer = "{\"ok\":true,\"data\":{\"name\":\"Ü 12 ひ４\\n\"},\"meta\":{\"units\":1}}";
        let (head, tail) = answer.split_at(answer.find("\":{\"units").unwrap());
        assert_eq!(weigh(head).and(weigh(tail)), weigh(answer));
        assert_eq!(weigh(head).and(weigh(tail)).tokens(), tokens(answer));
        assert_eq!(tokens(""), 0);
    }
}
