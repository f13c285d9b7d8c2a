//! What an operator may ask and set while the server runs, over a socket that only its owner can reach.
//!
//! Decides which questions there are and how they travel: one line of JSON each way. It must never answer anybody but
//! the owner of the data folder, and never tells a token, a subject or a question.

mod account;
mod backups;
mod socket;
mod standing;
mod verb;

pub use self::account::{AccountReport, AccountVerb, Who};
pub use self::backups::BackupReport;
pub use self::socket::{AdminError, ask, listen};
pub use self::standing::{CertificateKind, Reading, ReloadReport, RenewalReport, Standing};
pub use self::verb::{Report, Verb, answer};
