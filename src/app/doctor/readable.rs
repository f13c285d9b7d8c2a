//! Whether the user of the server can read what the configuration names, and the configuration itself.
//!
//! Decides that by owner and mode, of the file and of the folders above it, since whoever looks may be another user; root
//! can read everything, and a server hardly ever runs as root. Knows nothing of what the files hold.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Fault, Findings};
use crate::app::sign_in;
use crate::app::source::CREDENTIALS;
use crate::app::start::uid;
use crate::config::{Config, FileSource, SecretSource};

const PART: &str = "files";
/// Where systemd puts the credentials of a service that runs.
const PASSED_ON: &str = "/run/credentials";
/// Where systemd makes the folder that `StateDirectory=` of a unit names.
const STATES: &str = "/var/lib";

/// Something that the configuration names.
struct Named {
    key: String,
    at: At,
    is_secret: bool,
}

enum At {
    File(PathBuf),
    Credential(String),
}

pub(super) fn examine(config: &Config, file: &Path, found: &mut Findings) {
    let named = named(config, file);
    credentials(&named, std::env::var_os(CREDENTIALS), found);
    let data = &config.server.data_dir;
    let files = named.iter().filter_map(|named| match &named.at {
        At::File(path) => Some((named, path)),
        At::Credential(_) => None,
    });
    match data.metadata().map(|data| data.uid()) {
        Ok(user) if user == uid() || user == 0 => {}
        Ok(user) => {
            for (named, path) in files {
                let Some(why) = closed_to(Some(user), path, data) else { continue };
                let text = format!(
                    "{} ({}) cannot be read by uid {user}, whom the data folder belongs to and who runs the server: {why}; {}",
                    path.display(),
                    named.key,
                    advice(named.is_secret)
                );
                found.fail(PART, Fault::Here, text);
            }
        }
        // A unit makes it at the first start, for a user whom nobody knows yet; and root reads everything.
        Err(_) if uid() == 0 && data.starts_with(STATES) => {
            let closed: Vec<String> = files
                .filter_map(|(named, path)| {
                    Some(format!("{} ({}): {}", path.display(), named.key, closed_to(None, path, data)?))
                })
                .collect();
            if !closed.is_empty() {
                let text = format!(
                    "whether the user of the server can read these is known once its data folder is there, or when this \
                     runs as that user, with {}: {}",
                    as_the_service(config, file),
                    closed.join(", ")
                );
                found.warn(PART, text);
            }
        }
        Err(_) => {}
    }
}

/// The command that runs this as the unit of the package runs the server.
pub(super) fn as_the_service(config: &Config, file: &Path) -> String {
    let folder =
        std::env::var_os(CREDENTIALS).map(PathBuf::from).filter(|folder| !folder.starts_with(PASSED_ON));
    let folder = folder.unwrap_or_else(|| PathBuf::from("/etc/ono-sendai"));
    let passed: String = named(config, file)
        .iter()
        .filter_map(|named| match &named.at {
            At::Credential(name) => {
                Some(format!("-p LoadCredential={name}:{} ", folder.join(name).display()))
            }
            At::File(_) => None,
        })
        .collect();
    format!(
        "`systemd-run --wait --pipe -p DynamicUser=yes -p User=ono-sendai -p StateDirectory=ono-sendai \
         -p StateDirectoryMode=0700 -p AmbientCapabilities=CAP_NET_BIND_SERVICE {passed}ono-sendai doctor --config {}`",
        file.display()
    )
}

/// Where they were looked at is not where the service finds them.
fn credentials(named: &[Named], folder: Option<OsString>, found: &mut Findings) {
    let Some(folder) = folder.map(PathBuf::from).filter(|folder| !folder.starts_with(PASSED_ON)) else {
        return;
    };
    let wanted: Vec<String> = named
        .iter()
        .filter_map(|named| match &named.at {
            At::Credential(name) => Some(format!("LoadCredential={name}:{}", folder.join(name).display())),
            At::File(_) => None,
        })
        .collect();
    if !wanted.is_empty() {
        let text = format!(
            "credentials were looked at in {}; the service finds them only if its unit has {}",
            folder.display(),
            wanted.join(" and ")
        );
        found.warn(PART, text);
    }
}

fn named(config: &Config, file: &Path) -> Vec<Named> {
    let mut all = vec![Named { key: "--config".to_owned(), at: At::File(file.to_owned()), is_secret: false }];
    let mut add = |key: String, at: At, is_secret: bool| all.push(Named { key, at, is_secret });
    let of_file = |source: &FileSource| match source {
        FileSource::Path(path) => At::File(path.clone()),
        FileSource::Credential(name) => At::Credential(name.as_str().to_owned()),
    };
    for (place, files) in config.tls.pairs() {
        add(format!("{place}.certificate"), of_file(&files.certificate), false);
        add(format!("{place}.key"), of_file(&files.key), true);
    }
    let is_asked = !config.server.fixture_mode;
    let hook = config.accounts.hook.as_ref().filter(|_| sign_in::is_offered(config));
    let external = config.acme.as_ref().and_then(|acme| acme.external.as_ref());
    let secrets = [
        ("acme.external_key", external.map(|account| &account.key)),
        ("crate.key", config.service.key.as_ref().filter(|_| is_asked)),
        ("accounts.service_key", hook.map(|hook| &hook.key)),
    ];
    for (key, source) in secrets {
        match source {
            Some(SecretSource::File(path)) => add(format!("{key}_file"), At::File(path.clone()), true),
            Some(SecretSource::Credential(name)) => {
                add(format!("{key}_credential"), At::Credential(name.as_str().to_owned()), true);
            }
            Some(SecretSource::Value(_)) | None => {}
        }
    }
    let open = [
        ("acme.ca_file", config.acme.as_ref().and_then(|acme| acme.ca_file.as_ref())),
        ("crate.ca_file", config.service.ca_file.as_ref().filter(|_| is_asked)),
        ("auth.ca_file", config.auth.ca_file.as_ref()),
        ("legal.privacy", config.legal.privacy.as_ref()),
        ("legal.terms", config.legal.terms.as_ref()),
        ("legal.support", config.legal.support.as_ref()),
    ];
    for (key, path) in open {
        if let Some(path) = path {
            add(key.to_owned(), At::File(path.clone()), false);
        }
    }
    all
}

fn advice(is_secret: bool) -> &'static str {
    if is_secret {
        "let systemd pass it on (LoadCredential= in the unit), or put it below the data folder and give it to that user, as \
         docs/operating.md shows under \"Secrets\""
    } else {
        "open it with chmod go+r, and the folders above it with chmod go+x"
    }
}

/// Why this user cannot read a file, as far as owner and mode tell; `None` for a user who is nobody's. Of one that is open
/// to a group it is not known who belongs to that. Above the data folder the unit of the package finds its way by itself.
/// One that cannot be looked at is told where it is read.
fn closed_to(user: Option<u32>, path: &Path, data: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let data = data.canonicalize().ok();
    let may = |entry: &Metadata, of_owner: u32, of_others: u32| {
        let bits = if user == Some(entry.uid()) { of_owner } else { of_others };
        entry.mode() & bits != 0
    };
    let told = |entry: &Metadata, what: &str| {
        format!("{what} belongs to uid {}, mode {:04o}", entry.uid(), entry.mode() & 0o7777)
    };
    let entry = path.metadata().ok()?;
    if !may(&entry, 0o400, 0o044) {
        return Some(told(&entry, "it"));
    }
    let above = path.ancestors().skip(1).take_while(|folder| Some(*folder) != data.as_deref());
    above.filter_map(|folder| Some((folder, folder.metadata().ok()?))).find_map(|(folder, entry)| {
        (!may(&entry, 0o100, 0o011)).then(|| told(&entry, &folder.display().to_string()))
    })
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_is_judged_by_owner_mode_and_the_folders_above_it() {
        let place = std::env::temp_dir().join(format!("ono-sendai-readable-{}", std::process::id()));
        let (folder, file) = (place.join("folder"), place.join("folder/file"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&file, "").unwrap();
        let set = |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        set(&place, 0o755);
        let other = Some(uid() + 1);
        for (of_folder, of_file, user, is_open) in [
            (0o755, 0o644, other, true),
            (0o755, 0o600, other, false),
            (0o755, 0o640, other, true),
            (0o700, 0o644, other, false),
            (0o711, 0o604, other, true),
            (0o755, 0o600, None, false),
            (0o700, 0o600, Some(uid()), true),
            (0o700, 0o200, Some(uid()), false),
        ] {
            set(&file, of_file);
            set(&folder, of_folder);
            let why = closed_to(user, &file, Path::new("/nowhere"));
            assert_eq!(why.is_none(), is_open, "{of_folder:o} {of_file:o} {user:?}: {why:?}");
        }
        // What lies in the data folder is reached through it, whatever is above.
        set(&file, 0o644);
        set(&place, 0o700);
        assert!(closed_to(other, &file, Path::new("/nowhere")).is_some());
        assert_eq!(closed_to(other, &file, &folder), None);
        set(&place, 0o755);
        std::fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn credentials_that_lie_elsewhere_than_systemd_puts_them_are_to_be_named_in_the_unit() {
        let named = [Named { key: "tls.key".into(), at: At::Credential("tls.key".into()), is_secret: true }];
        let looked = |folder: Option<&str>| {
            let mut found = Findings::default();
            credentials(&named, folder.map(OsString::from), &mut found);
            found.of.into_iter().map(|finding| finding.text).collect::<String>()
        };
        assert!(looked(Some("/etc/ono-sendai")).ends_with("LoadCredential=tls.key:/etc/ono-sendai/tls.key"));
        assert_eq!(looked(Some("/run/credentials/ono-sendai.service")), "");
        assert_eq!(looked(None), "");
    }
}
