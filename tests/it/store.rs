//! The store on a real disk: killed, cut off, damaged, filled, opened twice, of an earlier program, and held to
//! docs/storage.md.

mod child;
pub mod crash;
mod damage;
pub mod disk_full;
mod documented;
mod growth;
mod lock;
mod older;
pub mod power_cut;
pub mod support;
