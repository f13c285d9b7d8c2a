//! Signing in, as a client and an attacker see it: metadata, challenges, tokens, accounts.

mod accounts;
mod attacks;
pub mod builtin;
mod client_documents;
mod cors;
mod discovery;
pub mod hook;
pub mod issuer;
mod kept;
pub mod keys;
mod secrets;
pub mod tokens;
