//! Which characters a reader cannot see and a name therefore cannot consist of.
//!
//! Knows code points only; what is done about them is decided by the callers.

/// Whether `c` is never part of a name: controls (NUL included), zero-width characters, the byte order mark,
/// bidirectional marks and overrides, variation selectors, fillers and tags. White space is not among them,
/// not even the kind that is a control character (tab, line feed).
#[must_use]
pub fn is_invisible(c: char) -> bool {
    if c.is_control() {
        return !c.is_whitespace();
    }
    matches!(
        c,
        '\u{00AD}'
            | '\u{034F}'
            | '\u{061C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::is_invisible;

    #[test]
    fn nothing_a_reader_sees_is_called_invisible() {
        for c in ['a', 'é', '!', ' ', '\t', '\n', '\u{3000}', 'ガ', '\u{0301}', '\u{3099}', '🎧'] {
            assert!(!is_invisible(c), "{c:?}");
        }
    }

    #[test]
    fn marks_that_only_steer_the_rendering_are_invisible() {
        for c in [
            '\0', '\u{200B}', '\u{200D}', '\u{FEFF}', '\u{200F}', '\u{202E}', '\u{2066}', '\u{FE0F}',
            '\u{7F}',
        ] {
            assert!(is_invisible(c), "{c:?}");
        }
    }
}
