//! The number that Discogs puts behind a name to tell homonyms apart, and its mark for a name variation.
//!
//! `Rob Brown (3)` is the third Rob Brown. Only 2 to 999 in plain digits, after a space, at the very end, count:
//! `X (1)`, `Live (2019)` and `Sunn O)))` are names. The number is part of who is meant and is never dropped
//! silently: callers get both halves. Knows nothing of ids or rows.

/// The lowest number that is a disambiguation suffix; the first of a name has none.
pub const LOWEST_SUFFIX: u16 = 2;
/// The highest number read as a suffix; from 1000 on it is more likely a year.
pub const HIGHEST_SUFFIX: u16 = 999;

/// Splits `name` into the name as people write it and its Discogs number, if it carries one.
/// A trailing name-variation star goes before and after the number. Surrounding white space is not kept.
#[must_use]
pub fn split_suffix(name: &str) -> (&str, Option<u16>) {
    let name = without_star(name.trim());
    let Some((base, number)) = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) else {
        return (name, None);
    };
    match (suffix_number(number), without_star(base.trim_end())) {
        (Some(number), base) if !base.is_empty() => (base, Some(number)),
        _ => (name, None),
    }
}

/// What a person is told about a record that differs from its namesakes by its number only.
#[must_use]
pub fn number_hint(number: u16) -> String {
    format!("Discogs name number ({number})")
}

/// The name to show and to compare: without number and star.
#[must_use]
pub fn display_name(name: &str) -> &str {
    split_suffix(name).0
}

pub(super) fn suffix_number(digits: &str) -> Option<u16> {
    let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| plain)?;
    (LOWEST_SUFFIX..=HIGHEST_SUFFIX).contains(&number).then_some(number)
}

/// `X*` is a credit under a variation of X's name. A star that is the whole name, or one of several, is the name.
fn without_star(name: &str) -> &str {
    match name.strip_suffix('*') {
        Some(rest) if rest.ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == ')') => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{display_name, split_suffix};

    #[test]
    fn f01_a_discogs_number_is_split_off_and_kept() {
        assert_eq!(split_suffix("Rob Brown (3)"), ("Rob Brown", Some(3)));
        assert_eq!(split_suffix("Patrick Watson (2)"), ("Patrick Watson", Some(2)));
        assert_eq!(split_suffix("X (999)"), ("X", Some(999)));
        assert_eq!(split_suffix(" Bill Evans (3) "), ("Bill Evans", Some(3)));
        assert_eq!(split_suffix("Die (A) (12)"), ("Die (A)", Some(12)));
    }

    #[test]
    fn f01_other_brackets_are_part_of_the_name() {
        for name in [
            "X (1)",
            "X (0)",
            "X (02)",
            "Live (2019)",
            "X (1000)",
            "Sunn O)))",
            "(2)",
            "X(2)",
            "X (+2)",
            "X (٢)",
            "X ()",
            "Foo (Bar)",
        ] {
            assert_eq!(split_suffix(name), (name, None));
        }
    }

    #[test]
    fn f01_the_star_of_a_name_variation_is_not_part_of_the_name() {
        assert_eq!(display_name("AFX*"), "AFX");
        assert_eq!(display_name("Rob Brown* (3)"), "Rob Brown");
        assert_eq!(split_suffix("Rob Brown (3)*"), ("Rob Brown", Some(3)));
        assert_eq!(display_name("*"), "*");
        assert_eq!(display_name("Foo**"), "Foo**");
        assert_eq!(display_name("*NSYNC"), "*NSYNC");
    }
}
