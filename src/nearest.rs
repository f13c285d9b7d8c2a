//! Which accepted name a mistyped one was probably meant to be.

/// More of a typed name is not looked at, since no accepted name is that long.
const TYPED_CHARS_MAX: usize = 64;

/// The accepted name closest to `typed`, if it is close enough to be a slip of the finger.
pub(crate) fn nearest<'a>(typed: &str, accepted: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed: String = typed.chars().take(TYPED_CHARS_MAX).collect();
    let typed = typed.to_lowercase().replace('-', "_");
    let allowed = (typed.chars().count() / 3).max(1);
    accepted
        .into_iter()
        .map(|name| (distance(&typed, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, name)| name)
}

/// Edits between two words; two neighbours swapped count as one.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (i, x) in a.chars().enumerate() {
        let mut next = Vec::with_capacity(b.len() + 1);
        next.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut best =
                (at(&row, j) + usize::from(x != *y)).min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = j.checked_sub(1).and_then(|k| b.get(k)) == Some(&x) && previous == Some(*y);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        previous = Some(x);
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_name_and_a_stranger_does_not() {
        let names = ["listen", "public", "public_base", "data_dir"];
        for (typed, wanted) in [
            ("lisen", Some("listen")),
            ("lsiten", Some("listen")),
            ("Public-Base", Some("public_base")),
            ("pubilc", Some("public")),
            ("data_dri", Some("data_dir")),
            ("port", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, names), wanted, "{typed}");
        }
    }

    #[test]
    fn distance_counts_edits() {
        for (a, b, edits) in
            [("", "", 0), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }
}
