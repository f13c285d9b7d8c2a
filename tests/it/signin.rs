//! Signing in, as a client and an attacker see it: metadata, challenges, tokens, accounts.

mod accounts;
mod discovery;
