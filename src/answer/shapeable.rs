//! The lists of an answer, for keeping its size.

use crate::envelope::next::NextAction;
use crate::shape::List;

/// An answer whose lists can be shortened.
///
/// Every answer with a list implements it. [`lists`](Self::lists) names each list once, by its path from the
/// envelope on (`data.results`): with [`Role::Main`](crate::shape::Role::Main) what the tool is for, with
/// [`Role::Include`](crate::shape::Role::Include) an extra of `get_artist` that a tool of its own returns in
/// full. [`keep`](Self::keep) takes the same paths, cuts from the end, and leaves the list's own counts true:
/// `shown` and `truncated` follow the rows that are left, a `total` stays.
pub trait Shapeable {
    /// The lists, with the weight of each row.
    fn lists(&self) -> Vec<List>;

    /// Keeps the first `rows` rows of the list at `path`; nothing when there is no such list.
    fn keep(&mut self, path: &str, rows: usize);

    /// The call that returns the whole of the include at `path`, with the key of this answer.
    fn whole(&self, path: &str) -> Option<NextAction> {
        let _ = path;
        None
    }
}
