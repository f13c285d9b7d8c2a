//! The store on a real disk: killed, damaged, filled, opened twice, and held to docs/storage.md.

mod child;
mod crash;
mod damage;
mod disk_full;
mod documented;
mod growth;
mod lock;
mod support;
