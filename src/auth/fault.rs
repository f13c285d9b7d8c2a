//! What can be at fault with a token.
//!
//! Decides the words for it, in the log and in the counts. Knows nothing of how that is found out.

use crate::telemetry::count::closed_words;

closed_words! {
    /// A claim of a token or a part of it, and what keeps any token from being accepted.
    pub enum TokenFault {
        /// The algorithm of its signature.
        Algorithm = "alg",
        /// For whom it is.
        Audience = "aud",
        /// It wants to be understood in ways that nobody knows.
        Critical = "crit",
        /// It has ended.
        Expiry = "exp",
        /// When it was issued.
        IssuedAt = "iat",
        /// Who issued it.
        Issuer = "iss",
        /// It is not one token of three parts, or one of them cannot be read or lacks a claim.
        Form = "its form",
        /// It has not begun.
        NotBefore = "nbf",
        /// No key of the issuer signed it.
        Signature = "signature",
        /// Whose it is.
        Subject = "sub",
        /// It is a signed token of another kind.
        Kind = "typ",
        /// The server has no sign-in.
        NoSignIn = "no sign-in",
        /// It could not be checked just now.
        Unverifiable = "unverifiable",
        /// The header field holds no token, or there are several.
        Header = "header",
    }
}
