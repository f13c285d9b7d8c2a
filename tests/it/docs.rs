//! The written pages say what the program does: their tables equal the code, their examples run.

mod agents;
mod commands;
mod config;
mod demo;
mod failures;
mod metrics;
mod pages;
mod readme;
mod reliability;
mod security;
mod speed;
mod vocabulary;
