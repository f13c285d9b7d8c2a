//! The folder for backups.

use std::os::unix::fs::MetadataExt as _;

use super::folder::{Little, Tried, is_dynamic, is_open_to, nearest, try_out};
use super::{Fault, Findings};
use crate::app::start::uid;
use crate::config::Config;

const PART: &str = "backups";

pub(super) fn examine(config: &Config, found: &mut Findings) {
    let Some(every) = config.backup.every else {
        return found.good(PART, "none are written by themselves ([backup] every_minutes = 0)");
    };
    let Some(folder) = &config.backup.folder else {
        return found.good(PART, format!("every {} min, in the data folder", every.as_secs() / 60));
    };
    let shown = folder.display();
    // A dynamic user has no number that stays.
    let is_dynamic = is_dynamic(uid()) || owner(config).is_some_and(is_dynamic);
    let given = if is_dynamic {
        "open it to a group that SupplementaryGroups= gives the service (chmod 2770)"
    } else {
        "give it to the user of the server with chown"
    };
    let advice = format!(
        "correct [backup] folder, or {given}; under a unit that makes the \
                          system read-only, as the one of the package does, its ReadWritePaths= has to name it too"
    );
    let before = found.of.len();
    match try_out(folder) {
        Tried::Writable(None) | Tried::CanBeMade => {}
        Tried::Writable(Some(Little { mark, text })) => found.add(PART, mark, format!("{shown} {text}")),
        Tried::Not(why) | Tried::None(why) => {
            found.fail(PART, Fault::Here, format!("{shown} {why}, so that no backup is written; {advice}"));
        }
    }
    // Root can write anywhere; the server, which runs as the owner of its data, may not.
    if let Some(other) = of_another_user(config) {
        found.fail(PART, Fault::Here, format!("{shown} {other}, so that no backup is written; {advice}"));
    }
    if found.of.len() == before {
        // Whoever looks is not under the unit, which may let the server write nowhere else.
        let named = match owner(config) {
            Some(_) => "; under the unit of the package, ReadWritePaths= has to name it",
            None => "",
        };
        found.good(PART, format!("every {} min to {shown}{named}", every.as_secs() / 60));
    }
}

/// The user that the server runs as, if that is not root.
fn owner(config: &Config) -> Option<u32> {
    config.server.data_dir.metadata().ok().map(|data| data.uid()).filter(|uid| *uid != 0)
}

/// Why the owner of the data folder cannot write there, or cannot make it, as far as the owner and the mode tell of the
/// folder or of the nearest one above it that is there.
fn of_another_user(config: &Config) -> Option<String> {
    let folder = config.backup.folder.as_ref()?;
    let user = owner(config)?;
    let of_user = format!("the data folder to uid {user}, which cannot");
    match folder.metadata() {
        Ok(found) if is_open_to(user, &found) => None,
        Ok(found) => Some(format!("belongs to uid {}, and {of_user} write there", found.uid())),
        Err(_) => {
            let (above, found) = nearest(folder)?;
            (!is_open_to(user, &found)).then(|| {
                let above = above.display();
                format!("is not there; {above} belongs to uid {}, and {of_user} make it there", found.uid())
            })
        }
    }
}
