//! Makes the database's barrier a real one. The only file of the program with unsafe code.
//!
//! sled 0.34.7 waits for its writes with `sync_file_range`, which moves pages to the device but commits neither
//! the file's new length nor the device's cache: after a power cut such a database may not open at all. The
//! function below takes the place of the C library's at link time and calls `fdatasync` instead. It must never
//! know what is written; the store counts its calls when it starts, and refuses to run when there were none.

#![expect(unsafe_code, reason = "one function has to carry the name and the shape of the C library's")]

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{c_int, c_uint, off64_t};

static BARRIERS: AtomicU64 = AtomicU64::new(0);

type Barrier = unsafe extern "C" fn(c_int, off64_t, off64_t, c_uint) -> c_int;

/// How often a file was brought safely to its device through this function since the program started.
#[must_use]
pub fn barriers() -> u64 {
    // Naming it here keeps the linker from leaving it out of a program that uses this library.
    black_box::<Barrier>(sync_file_range);
    BARRIERS.load(Ordering::Relaxed)
}

/// What sled calls after each write.
///
/// # Safety
/// Any number may be passed for `fd`; one that is no open file is an error, as with the original.
#[unsafe(no_mangle)]
unsafe extern "C" fn sync_file_range(fd: c_int, _: off64_t, _: off64_t, _: c_uint) -> c_int {
    BARRIERS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: fdatasync reads no memory of ours, and a bad descriptor is an error that it reports.
    unsafe { libc::fdatasync(fd) }
}
