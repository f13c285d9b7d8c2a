//! A power cut: the disk as it is at one instant, mounted and opened again.
//!
//! The store lies on a file system of its own in a file. The program that writes is stopped, the file is copied, and
//! the copy is what a machine would find after the power came back, if its disk kept what it had acknowledged. A kill
//! shows less: there the system still writes what the program had handed over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::child::Spender;
use super::crash::{audit, heard, pause};
use super::support::{Scratch, open, rounds};

/// A file system in a file, mounted until it is dropped.
pub struct Mounted(pub PathBuf);

impl Mounted {
    pub fn new(image: &Path, folder: &Path) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let mounted = Command::new("mount").args(["-o", "loop"]).arg(image).arg(folder).output();
        mounted.is_ok_and(|mounted| mounted.status.success()).then(|| Self(folder.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A program that was killed may still have files open for a moment.
        for _ in 0..100 {
            let gone = Command::new("umount").arg(&self.0).output();
            if gone.is_ok_and(|gone| gone.status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// Makes one that is empty; whether that can be done here.
pub fn made(image: &Path) -> bool {
    made_of(image, 400)
}

/// The same of another size.
pub fn made_of(image: &Path, mib: u64) -> bool {
    let file = std::fs::File::create(image).unwrap();
    file.set_len(mib * 1024 * 1024).unwrap();
    drop(file);
    let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(image).output();
    made.is_ok_and(|made| made.status.success())
}

#[test]
fn nothing_acknowledged_is_lost_or_half_there_when_the_power_is_cut() {
    let scratch = Scratch::new("power-cut");
    let place = |name: &str| scratch.0.join(name);
    let (mut all, mut slowest) = (0, Duration::ZERO);
    let rounds = rounds("ONO_POWER_ROUNDS", 2);
    for round in 0..rounds {
        let (image, copy) = (place("disk"), place("copy"));
        if !made(&image) {
            eprintln!("SKIPPED: a power cut: there is no mkfs.ext4 here");
            return;
        }
        let Some(mounted) = Mounted::new(&image, &place("before")) else {
            eprintln!("SKIPPED: a power cut: nothing may be mounted here");
            return;
        };
        let spender = Spender::start(&mounted.0);
        spender.wait_until_open();
        std::thread::sleep(Duration::from_millis(200) + pause(round, 1_000));
        spender.stop();
        let copied =
            Command::new("cp").args(["--reflink=never", "--sparse=always"]).arg(&image).arg(&copy).output();
        assert!(copied.unwrap().status.success());
        let mut acked = BTreeMap::new();
        all += heard(&mut acked, spender.kill());
        drop(mounted);
        let mounted = Mounted::new(&copy, &place("after")).expect("its journal is whole");
        let began = Instant::now();
        let state = open(&mounted.0);
        slowest = slowest.max(began.elapsed());
        audit(&state, &mut acked, round);
        state.close();
        drop(state);
    }
    assert!(all > 0, "nothing was acknowledged in any round, so nothing was tested");
    assert!(slowest < Duration::from_secs(5), "opening took {slowest:?}");
    println!("{rounds} rounds, {all} acknowledged, slowest opening {slowest:?}");
}
