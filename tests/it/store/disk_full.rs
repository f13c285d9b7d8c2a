//! A file system that fills up: refusals at once, recovery without a restart, nothing acknowledged lost.

use std::path::Path;
use std::process::Command;

use ono_sendai::store::{Health, StoreError};

use super::support::{Scratch, account, eventually, open, spend};

/// A file system of its own in memory, or a loud line that there is none.
pub struct Small(Scratch);

impl Small {
    #[expect(clippy::print_stderr, reason = "a test says what it could not do")]
    pub fn mount(size: &str) -> Option<Self> {
        let scratch = Scratch::new("small-disk");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(&scratch.0)
            .output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(scratch));
        }
        eprintln!("SKIPPED: a full disk: nothing may be mounted here");
        None
    }

    pub fn path(&self) -> &Path {
        &self.0.0
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0.0).output();
    }
}

#[test]
fn a_full_disk_refuses_and_recovers_and_keeps_what_it_acknowledged() {
    let Some(disk) = Small::mount("24m") else { return };
    let filler = disk.path().join("filler");
    std::fs::write(&filler, vec![1; 14 * 1024 * 1024]).unwrap();
    let state = open(disk.path());
    let mut acked = 0;
    let refused = loop {
        match state.submit(spend(&state, 1, acked + 1)).wait() {
            Ok(()) => acked += 1,
            Err(error) => break error,
        }
        assert!(acked < 100_000, "the disk never filled up");
    };
    assert_eq!(refused, StoreError::DiskFull);
    assert_eq!(state.health(), Health::Refusing(StoreError::DiskFull));
    assert_eq!(state.submit(spend(&state, 2, 1)).wait(), Err(StoreError::DiskFull));
    assert!(state.quotas.get(&account(1)).is_some(), "reading goes on");

    std::fs::remove_file(&filler).unwrap();
    eventually("it recovers", || !matches!(state.health(), Health::Refusing(_)));
    state.submit(spend(&state, 3, 7)).wait().unwrap();
    state.close();
    drop(state);

    let after = open(disk.path());
    assert!(after.quotas.get(&account(1)).unwrap().used >= acked);
    assert_eq!(after.quotas.get(&account(3)).unwrap().used, 7);
    after.close();
}
