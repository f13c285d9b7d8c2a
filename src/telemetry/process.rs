//! What the kernel says of this process.
//!
//! Where there is no /proc, as in an empty root, nothing is said of it.

/// Bytes of memory that are resident.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let (_, rest) = status.split_once("VmRSS:")?;
    let kib: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

/// File descriptors that are open.
#[must_use]
pub fn open_fds() -> Option<u64> {
    let entries = std::fs::read_dir("/proc/self/fd").ok()?.count();
    // One of them is the folder that is read.
    u64::try_from(entries).ok().map(|entries| entries.saturating_sub(1))
}

/// File descriptors that may be open; `None` for as many as the system has.
#[must_use]
pub fn max_fds() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_how_much_is_used() {
        assert!(resident_bytes().unwrap() > 1024 * 1024);
        // Other tests open and close files meanwhile; these are open for certain.
        let files: Vec<_> = (0..50).map(|_| std::fs::File::open("/proc/self/status").unwrap()).collect();
        assert!(open_fds().unwrap() >= files.len() as u64);
        assert!(max_fds().is_none_or(|most| most > 50));
    }
}
