//! Which build this is, for a person.
//!
//! Decides how a commit stands beside the version. Whoever builds names the commit; nothing is asked of git, so that the
//! same sources and the same name give the same program.

use std::sync::LazyLock;

/// The commit that it was built from, where whoever built it said so.
const COMMIT: Option<&str> = option_env!("ONO_SENDAI_COMMIT");

/// The version, with the commit where that is known.
pub(super) fn own() -> &'static str {
    static OWN: LazyLock<String> = LazyLock::new(|| of(env!("CARGO_PKG_VERSION"), COMMIT));
    &OWN
}

fn of(version: &str, commit: Option<&str>) -> String {
    match commit.filter(|commit| !commit.is_empty()) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_builds_of_one_version_are_told_apart_where_whoever_built_them_named_the_commit() {
        assert_eq!(of("0.1.0", Some("0a1b2c3d4e5f")), "0.1.0 (0a1b2c3d4e5f)");
        for unnamed in [None, Some("")] {
            assert_eq!(of("0.1.0", unnamed), "0.1.0");
        }
    }
}
