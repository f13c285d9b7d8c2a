//! Which form the store in a folder has, in a file beside the database.
//!
//! Decides that a store of a newer form is left alone before anything in it is opened: to an earlier program it would look
//! damaged, and what is done about damage would change it.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::class::FORM;
use super::folder;
use crate::small_file;

/// Its file beside the database.
const NAME: &str = "form";
const BEGINNING: &str = "ono-sendai store ";
/// Enough to see that it is longer than it ever is.
const READ_MAX: u64 = 4_096;
/// Before there was a file.
const FIRST: u32 = 1;

/// Where it lies in the store's folder.
pub(super) fn file(store: &Path) -> PathBuf {
    store.join(NAME)
}

/// What a newer program wrote, in words; `None` when this one can read it.
///
/// # Errors
/// When the file cannot be read, or says something else.
pub(super) fn newer(store: &Path) -> io::Result<Option<String>> {
    let form = read(store)?;
    Ok((form > FORM)
        .then(|| format!("a store of form {form}, which a newer program wrote; this one knows form {FORM}")))
}

fn read(store: &Path) -> io::Result<u32> {
    let text = match small_file::read_text(&file(store), READ_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FIRST),
        read => read?,
    };
    let number = text.strip_prefix(BEGINNING).and_then(|rest| rest.trim_end().parse().ok());
    number.ok_or_else(|| {
        io::Error::other(format!(
            "it does not say \"{BEGINNING}\" and a number; move it away to take the store for form 1"
        ))
    })
}

/// Says from now on that the store has the form of this program. Durable before anything of that form is written.
pub(super) fn settle(store: &Path) -> io::Result<()> {
    if read(store).is_ok_and(|form| form == FORM) {
        return Ok(());
    }
    let unfinished = store.join("form.new");
    let mut file =
        OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&unfinished)?;
    file.write_all(format!("{BEGINNING}{FORM}\n").as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&unfinished, self::file(store))?;
    folder::sync(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_says_its_form_and_only_a_newer_one_is_left_alone() {
        let store = std::env::temp_dir().join(format!("ono-sendai-form-{}", std::process::id()));
        let _gone = std::fs::remove_dir_all(&store);
        std::fs::create_dir_all(&store).unwrap();
        assert_eq!((read(&store).unwrap(), newer(&store).unwrap()), (FIRST, None));
        settle(&store).unwrap();
        assert_eq!((read(&store).unwrap(), newer(&store).unwrap()), (FORM, None));
        std::fs::write(file(&store), format!("{BEGINNING}{}\n", FORM + 1)).unwrap();
        assert!(newer(&store).unwrap().is_some_and(|said| said.contains("a newer program")));
        for other in ["", "ono-sendai store", "ono-sendai store x\n", "3"] {
            std::fs::write(file(&store), other).unwrap();
            assert!(newer(&store).unwrap_err().to_string().contains("move it away"), "{other:?}");
        }
        std::fs::remove_dir_all(store).unwrap();
    }
}
