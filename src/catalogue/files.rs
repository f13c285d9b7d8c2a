//! The data files as compiled into the program.
//!
//! Decides which files are used, and refuses one that the manifest does not account for. Knows nothing of what is in
//! them.

use super::lines::Lines;
use super::{CatalogueError, Manifest};

/// A data file: its path below the catalogue's folder and its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) bytes: &'static [u8],
}

macro_rules! files {
    ($($field:ident: $path:literal,)*) => {
        /// The files of records, one record a line.
        #[derive(Debug)]
        pub(super) struct Files {
            $(pub(super) $field: Lines,)*
        }

        impl Files {
            /// Every file, once the manifest has been seen to account for it.
            pub(super) fn checked(manifest: &Manifest) -> Result<Self, CatalogueError> {
                Ok(Self {
                    $($field: Lines::of(checked(manifest, File {
                        path: $path,
                        bytes: include_bytes!(concat!("../../fixtures/", $path)),
                    })?),)*
                })
            }
        }
    };
}

files! {
    artists_index: "artists/index.jsonl",
    artists_resolutions: "artists/resolutions.jsonl",
    artists_dossiers: "artists/dossiers.jsonl",
    artists_absent: "artists/absent.jsonl",
    labels_index: "labels/index.jsonl",
    labels_dossiers: "labels/dossiers.jsonl",
    labels_absent: "labels/absent.jsonl",
    masters_rows: "masters/rows.jsonl",
    masters_facets: "masters/facets.jsonl",
    tracks: "tracks/tracks.jsonl",
    same_name_clusters: "extensions/same_name_clusters.jsonl",
    invented_index: "invented/index.jsonl",
    invented_resolutions: "invented/resolutions.jsonl",
    invented_dossiers: "invented/dossiers.jsonl",
    invented_rows: "invented/rows.jsonl",
    invented_facets: "invented/facets.jsonl",
    invented_signals: "invented/signals.jsonl",
    invented_aura: "invented/aura.jsonl",
    invented_breakouts: "invented/breakouts.jsonl",
    invented_ones_to_watch: "invented/ones_to_watch.jsonl",
    invented_surfaces: "invented/surfaces.jsonl",
    invented_gigs: "invented/gigs.jsonl",
}

pub(super) const MANIFEST: &str = include_str!("../../fixtures/manifest.toml");
pub(super) const SERVICE_INDEX: &[u8] = include_bytes!("../../fixtures/service/index.json");
pub(super) const SERVICE_DOSSIER_MANIFEST: &[u8] =
    include_bytes!("../../fixtures/service/dossier_manifest.json");
pub(super) const SERVICE_DICTIONARY: &[u8] = include_bytes!("../../fixtures/service/dictionary.json");
pub(super) const SERVICE_OPENAPI: &[u8] = include_bytes!("../../fixtures/service/openapi.json");
pub(super) const SERVICE_SURFACES: &[u8] = include_bytes!("../../fixtures/service/surfaces.json");
pub(super) const SERVICE_AURA_ABOUT: &[u8] = include_bytes!("../../fixtures/service/aura_about.json");

fn checked(manifest: &Manifest, file: File) -> Result<File, CatalogueError> {
    let entry = manifest.file(file.path).ok_or(CatalogueError::Unlisted(file.path))?;
    if entry.invented != file.path.starts_with("invented/") {
        return Err(CatalogueError::Invented(file.path));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_data_is_used_only_where_it_is_marked_and_in_its_folder() {
        let manifest = |path: &str, invented: bool| {
            let mut manifest = Manifest::parse(MANIFEST).unwrap();
            manifest.files.retain(|entry| entry.path == path);
            manifest.files[0].invented = invented;
            manifest
        };
        let used =
            |path: &'static str, invented| checked(&manifest(path, invented), File { path, bytes: b"" });
        assert!(used("invented/aura.jsonl", true).is_ok());
        assert!(matches!(used("invented/aura.jsonl", false), Err(CatalogueError::Invented(_))));
        assert!(used("masters/rows.jsonl", false).is_ok());
        assert!(matches!(used("masters/rows.jsonl", true), Err(CatalogueError::Invented(_))));
    }

    #[test]
    fn a_file_that_the_manifest_does_not_name_is_not_used() {
        let mut manifest = Manifest::parse(MANIFEST).unwrap();
        manifest.files.retain(|entry| entry.path != "tracks/tracks.jsonl");
        assert!(matches!(Files::checked(&manifest), Err(CatalogueError::Unlisted("tracks/tracks.jsonl"))));
    }
}
