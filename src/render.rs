//! The two forms of an answer: the envelope, and a text for readers that only take text.
//!
//! Decides how the typed answer reads. It must never see the wire's strings, nor add a fact.

pub mod text;
