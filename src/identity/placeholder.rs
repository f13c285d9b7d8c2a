//! Values that a template or an example left behind.
//!
//! Two degrees: `is_placeholder` for ids and keys, where a word such as `null` cannot be meant; `is_template` for
//! names, where it can (bands are called Null, String and Todo), so that only brackets with a variable in them
//! count. Knows nothing of the argument.

/// Whether `value`, in place of an id or key, is a placeholder: a template as in [`is_template`], anything in
/// angle brackets, anything without a digit in curly or square ones (`[a45]` is a mistyped id), dots only, or a word that stands for "no value" or "your value".
#[must_use]
pub fn is_placeholder(value: &str) -> bool {
    let value = value.trim().to_lowercase();
    let word: String = value.chars().map(|c| if matches!(c, '-' | ' ') { '_' } else { c }).collect();
    is_template(&value)
        || within(&value, "<", ">").is_some()
        || [("{", "}"), ("[", "]")]
            .iter()
            .filter_map(|(a, z)| within(&value, a, z))
            .any(|inner| !holds_digit(inner))
        || (!value.is_empty() && value.chars().all(|c| matches!(c, '.' | '…')))
        || (value.len() > 2 && value.chars().all(|c| c == 'x'))
        || WORDS.contains(&word.as_str())
        || ((word.starts_with("your_") || word.ends_with("_here"))
            && VARIABLES.iter().any(|v| word.split('_').any(|part| part == *v)))
}

/// Whether `value`, in place of a name, is an unfilled template: `{{x}}`, `${x}`, `%{x}`, or a variable's name in
/// `<>`, `{}` or `[]` (lower case, with an underscore or a word such as `artist`, `name` or `id`). `<PIG>`,
/// `[spunge]` and `Null` are names.
#[must_use]
pub fn is_template(value: &str) -> bool {
    let value = value.trim();
    if within(value, "{{", "}}").is_some()
        || within(value, "${", "}").is_some()
        || within(value, "%{", "}").is_some()
    {
        return true;
    }
    [("<", ">"), ("{", "}"), ("[", "]")]
        .iter()
        .filter_map(|(open, close)| within(value, open, close))
        .any(is_variable)
}

const WORDS: &[&str] = &[
    "todo",
    "tbd",
    "fixme",
    "string",
    "str",
    "null",
    "nil",
    "none",
    "undefined",
    "nan",
    "example",
    "placeholder",
    "n/a",
    "cluster_id",
    "discogs_id",
    "mbid",
    "artist_id",
    "artist_key",
    "key",
    "slug",
    "id",
    "uuid",
    "isrc",
    "url",
];

const VARIABLES: &[&str] = &[
    "artist",
    "band",
    "name",
    "id",
    "query",
    "value",
    "string",
    "text",
    "key",
    "slug",
    "cluster",
    "mbid",
    "discogs",
    "isrc",
    "url",
    "link",
    "title",
    "track",
    "song",
    "label",
    "q",
    "placeholder",
    "example",
    "insert",
];

fn within<'v>(value: &'v str, open: &str, close: &str) -> Option<&'v str> {
    value.strip_prefix(open)?.strip_suffix(close)
}

fn holds_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

fn is_variable(inner: &str) -> bool {
    let lower = !inner.is_empty()
        && inner
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | ' '));
    let parts = || inner.split(['_', '-', ' ']);
    let known = parts().any(|part| VARIABLES.contains(&part));
    lower && (inner.contains('_') || known)
        || (inner.contains('_')
            && inner.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::{is_placeholder, is_template};

    #[test]
    fn an_unfilled_template_is_never_looked_up() {
        for value in [
            "<cluster_id>",
            "{{x}}",
            "{{ artist }}",
            "${name}",
            "{artist}",
            "[artist name]",
            "<artist>",
            "<ARTIST_NAME>",
            " <your artist here> ",
        ] {
            assert!(is_template(value), "{value}");
            assert!(is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn a_word_that_means_no_value_is_no_id() {
        for value in [
            "TODO",
            "string",
            "your_id_here",
            "YOUR-CLUSTER-ID",
            "...",
            "…",
            "null",
            "undefined",
            "None",
            "example",
            "xxxx",
            "<x>",
            "{}",
            "cluster_id",
            "insert id here",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in [
            "four-tet",
            "311",
            "",
            "xx",
            "x",
            "nirvana",
            "your-smith",
            "the-null-corporation",
            "string-theory",
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn a_band_may_be_called_like_a_placeholder() {
        for name in [
            "Placeholder",
            "String",
            "Null",
            "Undefined",
            "Todo",
            "TBD",
            "None",
            "Example",
            "<PIG>",
            "[spunge]",
            "[:SITD:]",
            "(hed) p.e.",
            "...",
            "XXX",
            "Your Smith",
            "{}",
            "<",
            "[ingenting]",
        ] {
            assert!(!is_template(name), "{name}");
        }
    }
}
