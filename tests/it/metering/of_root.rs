//! What root restores and salvages in the data folder of the server's user: all of it is that user's afterwards, however
//! it ended, and no name in the folder leads root out of it.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use super::operator::{admin, offline, restore};
use crate::harness::Demo;

/// The user nobody, as if the server ran as that.
const USER: u32 = 65_534;

/// Gives the data folder away, as only root can.
fn give(data: &Path) -> Result<(), String> {
    chown(data, Some(USER), Some(USER)).map_err(|error| format!("nothing is given away: {error}"))
}

/// A server that has ended and a backup of it.
fn ended() -> (Demo, PathBuf) {
    let demo = Demo::start();
    let file = demo.data().join("backups/by-hand");
    admin(&demo, &["backup", &file.to_string_lossy()]).unwrap();
    demo.kill();
    (demo, file)
}

/// To whom a folder and everything in it belongs.
fn owners(path: &Path) -> Vec<(PathBuf, u32, u32)> {
    let found = path.symlink_metadata().unwrap();
    // The socket that a killed server leaves is made anew at the next start.
    if found.file_type().is_socket() {
        return Vec::new();
    }
    let mut owners = vec![(path.to_owned(), found.uid(), found.gid())];
    if found.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            owners.extend(self::owners(&entry.unwrap().path()));
        }
    }
    owners
}

fn is_all_the_users(path: &Path) -> bool {
    let owners = owners(path);
    let others: Vec<_> = owners.iter().filter(|(_, uid, gid)| (*uid, *gid) != (USER, USER)).collect();
    assert!(others.is_empty(), "{others:?}");
    owners.len() > 1
}

#[test]
fn what_root_restores_belongs_to_the_user_of_the_server() {
    let (demo, file) = ended();
    if let Err(why) = give(&demo.data()) {
        return println!("SKIPPED: {why}");
    }
    let (done, said) = restore(&demo, &file);
    assert!(done, "{said}");
    assert!(is_all_the_users(&demo.data().join("store")));
    assert!(is_all_the_users(&demo.data().join("store/db")));
}

#[test]
fn what_root_leaves_when_it_cannot_restore_or_salvage_belongs_to_the_user_of_the_server() {
    let (demo, file) = ended();
    if let Err(why) = give(&demo.data()) {
        return println!("SKIPPED: {why}");
    }
    let store = demo.data().join("store");
    fs::write(store.join("db.new"), "in the way").unwrap();
    let (done, said) = restore(&demo, &file);
    assert!(!done && said.contains("cannot be made"), "{said}");
    assert!(is_all_the_users(&store));
    // As on another machine: nothing was there before.
    fs::remove_dir_all(&store).unwrap();
    let (code, said) = offline(&demo, &["salvage"]);
    assert!(code != Some(0) && said.contains("no server has kept anything") && !store.exists(), "{said}");
    fs::create_dir(&store).unwrap();
    let (code, said) = offline(&demo, &["salvage"]);
    assert!(code != Some(0) && said.contains("store/db"), "{said}");
    assert!(is_all_the_users(&store));
    // What goes wrong before there is a lock.
    fs::remove_dir_all(&store).unwrap();
    fs::create_dir_all(store.join("LOCK")).unwrap();
    let (done, said) = restore(&demo, &file);
    assert!(!done && said.contains("not a regular file"), "{said}");
    assert!(is_all_the_users(&store));
}

#[test]
fn a_file_of_the_system_with_another_name_in_the_folder_is_not_given_away_by_a_restore() {
    let (demo, file) = ended();
    if let Err(why) = give(&demo.data()) {
        return println!("SKIPPED: {why}");
    }
    let outside = demo.data().with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("hard"), "of the system").unwrap();
    fs::hard_link(outside.join("hard"), demo.data().join("store/other-name")).unwrap();
    let (done, said) = restore(&demo, &file);
    assert!(done, "{said}");
    assert!(owners(&outside).iter().all(|(_, uid, _)| *uid == 0));
    assert!(is_all_the_users(&demo.data().join("store/db")));
}

#[test]
fn root_follows_no_link_that_the_user_of_the_server_left_in_the_folder() {
    let (demo, file) = ended();
    if let Err(why) = give(&demo.data()) {
        return println!("SKIPPED: {why}");
    }
    let store = demo.data().join("store");
    let outside = demo.data().with_file_name("outside");
    fs::create_dir_all(outside.join("folder")).unwrap();
    for name in ["file", "folder/file"] {
        fs::write(outside.join(name), "of the system").unwrap();
    }
    let seen = || -> Vec<(PathBuf, u32, u32, u64)> {
        let size = |path: &Path| path.symlink_metadata().unwrap().size();
        let mut seen: Vec<_> = owners(&outside)
            .into_iter()
            .map(|(path, uid, gid)| {
                let size = size(&path);
                (path, uid, gid, size)
            })
            .collect();
        seen.sort();
        seen
    };
    let before = seen();
    let refused = |link: &Path, why: &str| {
        for arguments in [&["restore", &file.to_string_lossy()][..], &["salvage"]] {
            let (code, said) = offline(&demo, arguments);
            let words = [&*link.to_string_lossy(), why, "data folder of another user", "move it away"];
            assert!(code != Some(0) && said.lines().count() == 1, "{said}");
            assert!(words.iter().all(|word| said.contains(word)), "{said}");
            assert!(link.is_symlink(), "{} is still there", link.display());
            assert_eq!(seen(), before, "{}", link.display());
        }
    };
    fs::remove_file(store.join("LOCK")).unwrap();
    for (name, target) in [
        ("LOCK", "made-by-root"),
        ("db.new", "folder"),
        ("db.new", "made-by-root"),
        ("witness.new", "file"),
        ("db/snap.link.generating", "file"),
        ("quarantine-20261130-134500", "folder"),
    ] {
        symlink(outside.join(target), store.join(name)).unwrap();
        refused(&store.join(name), "a symbolic link");
        fs::remove_file(store.join(name)).unwrap();
    }
    for target in [outside.join("folder"), outside.join("made-by-root"), demo.data().join("away")] {
        fs::rename(&store, demo.data().join("away")).unwrap();
        symlink(target, &store).unwrap();
        refused(&store, "not a real folder");
        fs::remove_file(&store).unwrap();
        fs::rename(demo.data().join("away"), &store).unwrap();
    }
    let (done, said) = restore(&demo, &file);
    assert!(done, "without them it is done: {said}");
}
