//! What the fuzz targets reach that nobody else may: readers of bytes that have no door of their own.
//!
//! Decides nothing. It is part of no build but those that set `cfg(fuzzing)`, as cargo-fuzz does.

use http::HeaderMap;
use http::request::Parts;
use time::OffsetDateTime;

use crate::store::{Row, backup};
use crate::transport::GuardPolicy;
use crate::transport::accept::{Form, form};
use crate::transport::der::Facts;

/// What is read of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Who signed it, for people.
    pub issuer: Option<String>,
    /// The hosts that it is for.
    pub names: Vec<String>,
    /// From when it is valid.
    pub not_before: OffsetDateTime,
    /// Until when it is valid.
    pub not_after: OffsetDateTime,
    /// Whether it names itself as its issuer.
    pub is_self_issued: bool,
}

/// Reads a certificate; `None` when the bytes are none.
#[must_use]
pub fn certificate(der: &[u8]) -> Option<Certificate> {
    let facts = Facts::read(der)?;
    Some(Certificate {
        issuer: facts.issuer_name(),
        is_self_issued: facts.is_self_issued(),
        not_before: facts.not_before,
        not_after: facts.not_after,
        names: facts.names,
    })
}

/// Whether a request with these header fields is answered with an event stream, or with JSON; `None` when with neither.
#[must_use]
pub fn wants_a_stream(headers: &HeaderMap) -> Option<bool> {
    form(headers).map(|form| form == Form::EventStream)
}

/// Whether a request passes the guard.
#[must_use]
pub fn passes(guard: &GuardPolicy, request: &Parts) -> bool {
    guard.passes(request)
}

/// What a backup holds: the key that cursors are marked with, and rows.
pub type BackupContent = (Option<[u8; 32]>, Vec<Row>);

/// What a backup holds; `None` when the bytes are none that is whole.
#[must_use]
pub fn backup_content(bytes: &[u8]) -> Option<BackupContent> {
    backup::content_of(bytes).ok().map(|backup| (backup.key, backup.rows))
}

/// The backup of these rows.
#[must_use]
pub fn backup_of((key, rows): &BackupContent) -> Vec<u8> {
    backup::bytes_of(key.as_ref(), rows)
}
