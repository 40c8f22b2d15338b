//! What a data directory holds: one file, replaced atomically, that lists every namespace.
//!
//! It is written to a temporary file, synced, renamed over the old one, and the directory is synced. Each namespace's folder
//! holds the namespace's own part of it.

mod first_ids;
pub(crate) mod folder;
mod framed;
mod pending;
mod set_aside;
mod tenure;
mod twin;
mod witness;

pub use pending::PendingTruncation;
pub use set_aside::SetAside;
pub use tenure::KeptTenure;
pub use twin::{Pace, Twin};

use crate::config::NamespaceConfig;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::names::Names;
use tessera_base::{Error, ErrorCode, Result, limits, read_regular, sentence, thread_guard};
use tessera_io::Watch;
use witness::Witness;

const NAME: &str = "manifest";
const MAGIC: &[u8; 8] = b"TESSERAM";
/// Folder of the namespaces' own folders.
pub(crate) const NAMESPACES: &str = "namespaces";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Number of the newest namespace directory there ever was; none is reused.
    pub next: u64,
    pub namespaces: Vec<NamespaceRecord>,
    /// Second stores of namespaces that migrate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<Twin>,
    /// Dropped namespaces that can be restored, oldest drop first. Two may have one name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<SetAside>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamespaceRecord {
    /// Its directory is `namespaces/<number>`.
    pub number: u64,
    /// Random; names the namespace in its files, so that no other's are taken for them.
    pub id: [u8; 16],
    pub created_at_ms: u64,
    /// Which namespace it is to its users, and since when it has its name. `None`: `id`, since it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenure: Option<KeptTenure>,
    /// Grows with every change: of the manifest and the folder, the one with the higher number is newer.
    #[serde(default)]
    pub revision: u64,
    pub config: NamespaceConfig,
    /// `Storage::stamp` at the last start or stop: files with a lower one are older.
    #[serde(default)]
    pub stamp: u64,
    /// Records that are gone although the storage may still hold them.
    pub truncations: Vec<Truncation>,
    /// Truncations that can be undone, oldest first: the storage keeps the records that they hide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<PendingTruncation>,
    /// Time of last update when a truncation was last undone, Unix milliseconds; 0: none was. Backups that lack what came back are older.
    #[serde(default, skip_serializing_if = "pending::is_never")]
    pub undone_at_ms: u64,
    /// Losses that an operator has accepted, oldest first; the newest `limits::LOSSES` stay.
    #[serde(default)]
    pub losses: Vec<Loss>,
}

/// Records of `set` (of every set without one) last written at or before `until_ms` are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truncation {
    pub set: Option<String>,
    pub until_ms: u64,
}

/// Acknowledged data that was gone, and was accepted as lost to open the namespace with what was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loss {
    /// When it was accepted.
    pub at_ms: u64,
    /// The code of the error that told of it.
    pub code: String,
    /// The same in a sentence, with the evidence.
    pub message: String,
}

impl Loss {
    pub(crate) fn of(at_ms: u64, error: &Error) -> Self {
        Self { at_ms, code: error.code.as_str().to_owned(), message: error.message.clone() }
    }
}

impl NamespaceRecord {
    pub(crate) fn new(number: u64, id: [u8; 16], created_at_ms: u64, config: NamespaceConfig) -> Self {
        Self {
            number,
            id,
            created_at_ms,
            tenure: None,
            revision: 0,
            config,
            stamp: 0,
            truncations: Vec::new(),
            pending: Vec::new(),
            undone_at_ms: 0,
            losses: Vec::new(),
        }
    }

    /// Keeps `losses` beside the earlier ones, as far as there is room.
    pub(crate) fn add_losses(&mut self, losses: impl IntoIterator<Item = Loss>) {
        self.losses.extend(losses);
        self.losses.drain(..self.losses.len().saturating_sub(limits::LOSSES));
    }
}

impl Manifest {
    /// The namespace of that name; the one that decides, of two that are on their way from one to the other.
    pub fn find(&self, name: &str) -> Option<&NamespaceRecord> {
        self.namespaces.iter().find(|record| record.config.name == name)
    }

    pub fn find_mut(&mut self, name: &str) -> Option<&mut NamespaceRecord> {
        self.namespaces.iter_mut().find(|record| record.config.name == name)
    }

    /// All that have a folder: namespaces, twins, and dropped namespaces that can be restored.
    pub fn records(&self) -> impl Iterator<Item = &NamespaceRecord> {
        let beside = self.twins.iter().map(|twin| &twin.record).chain(self.dropped.iter().map(|dropped| &dropped.record));
        self.namespaces.iter().chain(beside)
    }

    fn records_mut(&mut self) -> impl Iterator<Item = &mut NamespaceRecord> {
        let dropped = self.dropped.iter_mut().map(|dropped| &mut dropped.record);
        self.namespaces.iter_mut().chain(self.twins.iter_mut().map(|twin| &mut twin.record)).chain(dropped)
    }

    /// The namespace, the twin or the dropped namespace with that id.
    pub fn by_id(&self, id: &[u8; 16]) -> Option<&NamespaceRecord> {
        self.records().find(|record| record.id == *id)
    }

    pub fn by_id_mut(&mut self, id: &[u8; 16]) -> Option<&mut NamespaceRecord> {
        self.records_mut().find(|record| record.id == *id)
    }

    /// Whether a folder of that name is of a namespace, a twin or a dropped namespace.
    pub fn lists(&self, folder: &str) -> bool {
        self.records().any(|record| record.number.to_string() == folder)
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// `internal` when the manifest cannot be written as JSON, which no manifest is.
    pub fn encode(&self) -> Result<Vec<u8>> {
        framed::seal(MAGIC, self)
    }

    /// Reads the file's bytes.
    ///
    /// # Errors
    /// `manifest_damaged`, `manifest_version_unknown`.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let damaged = |what: &str| Error::said(ErrorCode::ManifestDamaged, sentence!("the manifest is damaged: {what}", what = what));
        let json = framed::open(MAGIC, bytes, "the manifest")?;
        let manifest: Self = serde_json::from_slice(json).map_err(|error| damaged(&error.to_string()))?;
        manifest.records().try_for_each(|record| record.config.check()).map_err(|error| damaged(&error.message))?;
        let (mut names, mut numbers) = (HashSet::new(), HashSet::new());
        // Two would be given the same directory.
        if !manifest.namespaces.iter().all(|n| n.number <= manifest.next && numbers.insert(n.number) && names.insert(&n.config.name)) {
            return Err(damaged("two namespaces have the same name or number, or one has a number that is not assigned yet"));
        }
        let mut of = HashSet::new();
        let sound = |twin: &Twin| {
            let named = manifest.namespaces.iter().any(|record| record.id == twin.of && record.config.name == twin.record.config.name);
            named && of.insert(twin.of)
        };
        if !manifest.twins.iter().map(|twin| &twin.record).all(|n| n.number <= manifest.next && numbers.insert(n.number))
            || !manifest.twins.iter().all(sound)
        {
            return Err(damaged("a second store belongs to no namespace, or has the folder of another"));
        }
        if !manifest.dropped.iter().map(|dropped| &dropped.record).all(|n| n.number <= manifest.next && numbers.insert(n.number)) {
            return Err(damaged("a dropped namespace has the folder of another, or a number that is not assigned yet"));
        }
        Ok(manifest)
    }
}

/// The manifest of an open data directory.
#[derive(Debug)]
pub struct ManifestFile {
    directory: PathBuf,
    watch: Arc<Watch>,
    witness: Witness,
    current: Mutex<Manifest>,
    names: Arc<Names>,
}

impl ManifestFile {
    /// Reads the manifest of `directory`. A directory without one gets an empty one, unless it is `in_use`.
    ///
    /// # Errors
    /// `manifest_damaged` (also when it is missing and should not be), `manifest_version_unknown`, `storage_failed`.
    pub fn open(directory: &Path, in_use: bool) -> Result<Self> {
        let path = directory.join(NAME);
        let current = match read_regular(&path) {
            Ok(bytes) => Manifest::decode(&bytes)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && in_use => {
                let message = sentence!(
                    "{path} is missing, but there are namespaces that it should list; nothing was changed",
                    path = path.display()
                );
                return Err(Error::said(ErrorCode::ManifestDamaged, message));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let empty = Manifest::default();
                write(directory, &empty, &sync_directory)?;
                empty
            }
            Err(error) => return Err(Error::io(&format!("reading {}", path.display()), &error)),
        };
        let current = reconciled(directory, current);
        let (watch, witness) = (Watch::of([directory.to_owned(), directory.join(NAMESPACES)]), Witness::read(directory));
        let names = Arc::new(Names::new(first_ids::of(directory, &current.tenures())));
        names.replace(current.tenures());
        Ok(Self { directory: directory.to_owned(), watch, witness, current: Mutex::new(current), names })
    }

    /// Whether the directory is still the one that was opened.
    pub(crate) fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// Who has which name.
    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }

    /// What is known here of the marks of the namespaces' files.
    pub(crate) fn witness(&self) -> &Witness {
        &self.witness
    }

    pub fn read(&self) -> Manifest {
        self.current.lock().clone()
    }

    /// Lets the witness know which marks the files of namespaces have by now, each under its id: two may have one name.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`; then it is tried again with the next call.
    pub(crate) fn bear_witness<'a>(&self, marks: impl IntoIterator<Item = (&'a [u8; 16], u64)>) -> Result<()> {
        self.watch.look(None)?;
        let (marks, listed): (Vec<_>, HashSet<_>) = {
            let current = self.current.lock();
            let marks = marks.into_iter().filter(|(id, _)| current.by_id(id).is_some()).map(|(id, mark)| (*id, mark)).collect();
            (marks, current.records().map(|record| record.id).collect())
        };
        self.witness.note(marks, |id| listed.contains(id))
    }

    /// Changes the manifest; durable when this returns. After an error the old one stands.
    ///
    /// # Errors
    /// What `change` returns; `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub fn update<R>(&self, change: impl FnOnce(&mut Manifest) -> Result<R>) -> Result<R> {
        self.update_with(change, &sync_directory)
    }

    fn update_with<R>(&self, change: impl FnOnce(&mut Manifest) -> Result<R>, sync: Sync<'_>) -> Result<R> {
        let mut current = self.current.lock();
        let mut next = current.clone();
        let result = change(&mut next)?;
        if next != *current {
            let changed = raise(&current, &mut next);
            self.watch.look(None)?;
            changed.iter().try_for_each(|(_, record)| self.watch.look(Some(record.number)))?;
            // The folder first: it must not know less of its namespace than an older copy of the manifest.
            let folders = changed.iter().try_for_each(|(_, record)| folder::describe(&folder_of(&self.directory, record), record));
            // The new one may be in place when its directory cannot be synced: a start must not meet what was said to have failed.
            folders.and_then(|()| write(&self.directory, &next, sync)).inspect_err(|_| {
                drop(write(&self.directory, &current, sync));
                let before = changed.iter().filter_map(|(before, _)| before.as_ref());
                before.for_each(|record| drop(folder::describe(&folder_of(&self.directory, record), record)));
            })?;
            let gone = current.records().filter(|record| next.by_id(&record.id).is_none());
            gone.for_each(|record| self.witness.forget(&record.id));
            self.names.replace(next.tenures());
            *current = next;
        }
        Ok(result)
    }
}

fn folder_of(directory: &Path, record: &NamespaceRecord) -> PathBuf {
    directory.join(NAMESPACES).join(record.number.to_string())
}

/// Raises the revisions of the records in `next` that differ from those in `current`; what they were, and are.
fn raise(current: &Manifest, next: &mut Manifest) -> Vec<(Option<NamespaceRecord>, NamespaceRecord)> {
    let before = |record: &NamespaceRecord| current.records().find(|old| old.number == record.number).cloned();
    let change = |record: &mut NamespaceRecord| {
        let before = before(record);
        (before.as_ref() != Some(&*record)).then(|| {
            record.revision += 1;
            (before, record.clone())
        })
    };
    next.records_mut().filter_map(change).collect()
}

/// The manifest as the folders know it: one that is an older copy learns what changed since. Folders that know less, or nothing,
/// are told.
fn reconciled(directory: &Path, mut manifest: Manifest) -> Manifest {
    for record in manifest.records_mut() {
        let folder = folder_of(directory, record);
        let found = folder::read(&folder).ok().flatten().filter(|found| (found.number, found.id) == (record.number, record.id));
        match found {
            Some(found) if found.revision > record.revision => {
                // Names are the manifest's: there, no two are the same.
                let name = std::mem::take(&mut record.config.name);
                *record = found;
                record.config.name = name;
            }
            Some(found) if found == *record => {}
            // If it cannot be written now, the next change writes it.
            _ => drop(folder::describe(&folder, record)),
        }
    }
    manifest.share_ids_with_twins();
    manifest
}

/// How a directory is synced.
type Sync<'a> = &'a dyn Fn(&Path) -> std::io::Result<()>;

fn write(directory: &Path, manifest: &Manifest, sync: Sync<'_>) -> Result<()> {
    framed::replace(directory, NAME, &manifest.encode()?, sync).map_err(|error| Error::io("writing the manifest", &error))
}

/// Makes entries made or removed in a directory durable.
pub(crate) fn sync_directory(directory: &Path) -> std::io::Result<()> {
    thread_guard::may_wait("syncs a folder");
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DeviceConfig;
    use crate::fuzz::manifest::with_set_and_index;
    use std::fs;

    fn sample() -> Manifest {
        let config = with_set_and_index(NamespaceConfig::device("events", DeviceConfig::default()));
        let truncations = vec![Truncation { set: None, until_ms: 12 }];
        let record = NamespaceRecord { stamp: 7, truncations, ..NamespaceRecord::new(1, [3; 16], 5, config) };
        Manifest { next: 2, namespaces: vec![record], ..Manifest::default() }
    }

    #[test]
    fn what_failed_is_not_there_at_the_next_start() {
        let directory = tempfile::tempdir().unwrap();
        let file = ManifestFile::open(directory.path(), false).unwrap();
        let set = |next: u64| {
            move |manifest: &mut Manifest| -> Result<()> {
                manifest.next = next;
                Ok(())
            }
        };
        file.update(set(7)).unwrap();
        // The rename has happened when it fails.
        let failed = file.update_with(set(8), &|_| Err(std::io::ErrorKind::Other.into()));
        assert_eq!(failed.unwrap_err().code, ErrorCode::StorageFailed);
        assert_eq!(file.read().next, 7);
        assert_eq!(ManifestFile::open(directory.path(), true).unwrap().read().next, 7);
    }

    #[test]
    fn nothing_is_written_to_a_directory_that_took_the_place_of_its_own() {
        let parent = tempfile::tempdir().unwrap();
        let (directory, away) = (parent.path().join("data"), parent.path().join("away"));
        fs::create_dir_all(directory.join(NAMESPACES)).unwrap();
        let file = ManifestFile::open(&directory, false).unwrap();
        let list = |manifest: &mut Manifest| {
            *manifest = sample();
            Ok(())
        };
        file.update(list).unwrap();
        fs::rename(&directory, &away).unwrap();
        fs::create_dir(&directory).unwrap();
        let bear_witness = || file.bear_witness([(&[3; 16], 5)]);
        assert_eq!(bear_witness().unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
        fs::remove_dir(&directory).unwrap();
        fs::rename(&away, &directory).unwrap();
        bear_witness().unwrap();
        assert_eq!(ManifestFile::open(&directory, true).unwrap().witness().mark_of(&[3; 16]), 5);
    }

    #[test]
    fn a_pipe_in_the_place_of_a_file_is_told_and_not_waited_for() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path();
        let pipe = |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        pipe(&directory.join("first-ids"));
        drop(ManifestFile::open(directory, false).unwrap());
        fs::remove_file(directory.join(NAME)).unwrap();
        pipe(&directory.join(NAME));
        let refused = ManifestFile::open(directory, true).err().unwrap();
        assert!(refused.message.contains("no regular file"), "{}", refused.message);
        let namespace = directory.join("1");
        fs::create_dir(&namespace).unwrap();
        pipe(&namespace.join("namespace"));
        assert_eq!(folder::read(&namespace).unwrap_err().code, ErrorCode::StorageFailed);
    }

    #[test]
    fn survives_the_round_trip() {
        assert_eq!(Manifest::decode(&sample().encode().unwrap()).unwrap(), sample());
    }

    #[test]
    fn a_manifest_of_before_the_limits_gets_the_defaults() {
        let mut json = serde_json::to_value(sample()).unwrap();
        let config = json["namespaces"][0]["config"].as_object_mut().unwrap();
        for later in ["stop_writes_percent", "evict_at_percent", "single_bin"] {
            config.remove(later);
        }
        config["sets"][0].as_object_mut().unwrap().remove("limits");
        let read: Manifest = serde_json::from_value(json).unwrap();
        assert_eq!(read, sample());
    }

    #[test]
    fn namespaces_that_are_the_same_are_damage() {
        let changes: [fn(&mut Manifest); 3] =
            [|m| m.namespaces[1].number = 1, |m| m.namespaces[1].config.name = "events".into(), |m| m.next = 1];
        let mut manifest = sample();
        manifest.namespaces.push(NamespaceRecord { number: 2, config: NamespaceConfig::memory("m"), ..manifest.namespaces[0].clone() });
        Manifest::decode(&manifest.encode().unwrap()).unwrap();
        for change in changes {
            let mut changed = manifest.clone();
            change(&mut changed);
            assert_eq!(Manifest::decode(&changed.encode().unwrap()).unwrap_err().code, ErrorCode::ManifestDamaged);
        }
    }

    #[test]
    fn every_damaged_byte_and_every_truncation_is_a_typed_error() {
        let bytes = sample().encode().unwrap();
        for length in 0..bytes.len() {
            assert_eq!(Manifest::decode(&bytes[..length]).unwrap_err().code, ErrorCode::ManifestDamaged);
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let code = Manifest::decode(&damaged).unwrap_err().code;
                let wanted = if (8..12).contains(&at) { ErrorCode::ManifestVersionUnknown } else { ErrorCode::ManifestDamaged };
                assert_eq!(code, wanted, "byte {at} bit {bit}");
            }
        }
        let longer = [&bytes[..], b" "].concat();
        assert_eq!(Manifest::decode(&longer).unwrap_err().code, ErrorCode::ManifestDamaged);
    }
}
