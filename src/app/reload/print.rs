//! The content of a small file in a few bytes, so that a change is seen whatever its date says.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use ring::digest::{SHA256, digest};

use crate::small_file;

/// No file that is watched is larger.
const MAX_BYTES: u64 = 1024 * 1024;

/// What a file holds and who may read it, or why neither can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Print(Vec<u8>);

impl Print {
    pub(super) fn of(path: &Path) -> Self {
        let read = || {
            let file = small_file::open(path)?;
            Ok((file.metadata()?, small_file::whole(file, MAX_BYTES)?))
        };
        match read() {
            Ok((metadata, content)) => Self::made(&metadata, &content),
            Err(error) => {
                let error: std::io::Error = error;
                Self::none(&error.to_string())
            }
        }
    }

    /// Of a text that was read already, whoever may read it.
    pub(super) fn of_text(text: &str) -> Self {
        Self(digest(&SHA256, text.as_bytes()).as_ref().to_vec())
    }

    /// Of a file that cannot be looked at.
    pub(super) fn none(why: &str) -> Self {
        Self(why.as_bytes().to_vec())
    }

    fn made(metadata: &Metadata, content: &[u8]) -> Self {
        let mut print = metadata.mode().to_be_bytes().to_vec();
        print.extend(digest(&SHA256, content).as_ref());
        Self(print)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, FileTimes};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn every_kind_of_change_is_seen_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("ono-sendai-print-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("new")).unwrap();
        let file = folder.join("file");
        let mut last = Print::of(&file);
        let mut differs = |what: &str| {
            let print = Print::of(&file);
            assert_ne!(print, last, "{what}");
            assert_eq!(print, Print::of(&file), "{what}");
            last = print;
        };
        fs::write(&file, "one").unwrap();
        differs("it is there");
        let date = fs::metadata(&file).unwrap().modified().unwrap();
        fs::write(&file, "two").unwrap();
        File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_times(FileTimes::new().set_modified(date))
            .unwrap();
        differs("as long as before, with the date of before");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        differs("its mode");
        fs::write(folder.join("beside"), "three").unwrap();
        fs::rename(folder.join("beside"), &file).unwrap();
        differs("renamed into its place");
        fs::write(folder.join("new/file"), "four").unwrap();
        fs::remove_file(&file).unwrap();
        symlink("new/file", &file).unwrap();
        differs("a link");
        fs::write(folder.join("new/file"), "five").unwrap();
        differs("where the link leads");
        fs::remove_file(&file).unwrap();
        differs("gone");
        fs::remove_dir_all(&folder).unwrap();
    }
}
