//! Signing in, as a client and an attacker see it: metadata, challenges, tokens, accounts.

mod accounts;
mod attacks;
mod builtin;
mod discovery;
mod hook;
mod issuer;
mod keys;
mod tokens;
