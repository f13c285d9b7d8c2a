//! What an answer says about itself as a whole, before anybody reads what it holds.

use serde::Deserialize;

use super::fault::UpstreamFault;
use super::reading::{self, Raw};

/// The word for an answer, or a part of one, that is not right for the moment.
const DEGRADED: &str = "degraded";
/// The same as a text of its own. A title or a name may have the word in it.
const SAYS_DEGRADED: &str = "\"degraded\"";
/// The word for an answer that says that there is nothing.
const HONEST_GAP: &str = "honest_gap";
/// The member that only an error has.
const ERROR: &str = "\"error\"";

/// What an answer says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// It holds something; `is_whole` unless a part of it is missing for the moment only.
    Something {
        /// See above.
        is_whole: bool,
    },
    /// The service holds nothing there.
    Nothing,
    /// The whole answer is not to be relied on.
    Degraded,
}

#[derive(Deserialize)]
struct Top<'a> {
    #[serde(borrow, default)]
    error: Raw<'a>,
    #[serde(borrow, default)]
    state: Raw<'a>,
}

/// Looks at the state of the whole answer, which most answers do not have.
pub(super) fn of(body: &[u8]) -> Result<Said, UpstreamFault> {
    let text = std::str::from_utf8(body).map_err(|_| UpstreamFault::Unreadable)?;
    let is_whole = !text.contains(SAYS_DEGRADED);
    // Reading the answer for one word would take as long as reading it for all of them.
    if is_whole && !text.contains(HONEST_GAP) && !text.contains(ERROR) {
        return Ok(Said::Something { is_whole });
    }
    let top: Top<'_> = reading::body(body)?;
    // No answer of the contract has such a member. Whatever stands beside it, nothing was looked up.
    if reading::is_something(top.error) {
        return Err(UpstreamFault::SaysError);
    }
    Ok(match reading::optional::<&str>(top.state) {
        Some(DEGRADED) => Said::Degraded,
        Some(HONEST_GAP) => Said::Nothing,
        Some(_) | None => Said::Something { is_whole },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_the_whole_answer_is_told_from_that_of_a_part() {
        for (body, said) in [
            (r#"{"a":1}"#, Said::Something { is_whole: true }),
            (r#"{"title":"A degraded mind"}"#, Said::Something { is_whole: true }),
            (r#"{"state":"ok","items":[]}"#, Said::Something { is_whole: true }),
            (r#"{"items":[],"state":"degraded"}"#, Said::Degraded),
            (r#"{"present":false,"state":"honest_gap","aura":null}"#, Said::Nothing),
            (r#"{"genre":{"state":"honest_gap"}}"#, Said::Something { is_whole: true }),
            (r#"{"genre":{"state":"degraded"}}"#, Said::Something { is_whole: false }),
            (r#"{"state":{"degraded":1}}"#, Said::Something { is_whole: false }),
        ] {
            assert_eq!(of(body.as_bytes()), Ok(said), "{body}");
        }
    }

    #[test]
    fn an_error_is_never_taken_for_an_answer() {
        for body in [
            r#"{"error":"internal_error","message":"boom","results":[]}"#,
            r#"{"error":"internal_error","identity":null}"#,
            r#"{"state":"honest_gap","error":{"code":5}}"#,
            r#"{"identity":null, "error" :true}"#,
        ] {
            assert_eq!(of(body.as_bytes()), Err(UpstreamFault::SaysError), "{body}");
        }
        for body in [r#"{"error":null,"a":1}"#, r#"{"error":false}"#, r#"{"a":{"error":"x"},"b":"error"}"#] {
            assert_eq!(of(body.as_bytes()), Ok(Said::Something { is_whole: true }), "{body}");
        }
    }

    #[test]
    fn what_is_not_utf_8_is_not_read() {
        assert_eq!(of(b"{\"name\":\"Bj\xf6rk\"}"), Err(UpstreamFault::Unreadable));
    }
}
