//! Entries in the folder of namespaces that the manifest does not list: they stay until someone adopts or removes them.

use super::{Engine, Member, NAMESPACES, devices, random_id};
use crate::manifest::{Manifest, NamespaceRecord, folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tessera_base::names::{NamespaceId, Tenure};
use tessera_base::sentence::Value;
use tessera_base::{Error, ErrorCode, Result, Sentence, clock, limits, sentence, thread_guard};
use tessera_storage::device::Held;

/// A folder, or a file, that no namespace of the manifest has.
#[derive(Clone, Debug)]
pub struct Orphan {
    /// Its name in the folder of namespaces.
    pub id: String,
    pub path: PathBuf,
    /// Of all files in it.
    pub bytes: u64,
    pub files: u64,
    /// What it says of itself.
    pub record: Option<NamespaceRecord>,
    /// Why it cannot be adopted.
    pub obstacle: Option<Error>,
}

impl Orphan {
    fn find(path: PathBuf, id: String, manifest: &Manifest) -> Self {
        let (bytes, files) = measured(&path);
        let (record, obstacle) = match folder::read(&path) {
            Ok(Some(record)) => {
                let obstacle = obstacle(&path, &id, &record, manifest);
                (Some(record), obstacle)
            }
            Ok(None) => (None, Some(refused(sentence!("it holds no record of a namespace: it is not one of ours, or was never finished")))),
            Err(error) => (None, Some(error)),
        };
        Self { id, path, bytes, files, record, obstacle }
    }

    /// The namespace whose devices go with it; `None` if another folder has a better claim on them, or nobody has any.
    fn owner(&self, manifest: &Manifest) -> Option<&NamespaceRecord> {
        self.record.as_ref().filter(|record| record.number.to_string() == self.id && manifest.by_id(&record.id).is_none())
    }
}

fn obstacle(path: &Path, id: &str, record: &NamespaceRecord, manifest: &Manifest) -> Option<Error> {
    if let Some(listed) = manifest.by_id(&record.id) {
        return Some(refused(sentence!(
            "it is a copy of the namespace \"{name}\", which is in folder {number}",
            name = &listed.config.name,
            number = listed.number
        )));
    }
    if record.number.to_string() != id {
        return Some(refused(sentence!("its record says that it is folder {number}; rename it to that", number = record.number)));
    }
    folder::discarded(path, record.number).map(|_| refused(sentence!("it was dropped, or never finished; the next start removes it")))
}

fn refused(why: Sentence) -> Error {
    Error::said(ErrorCode::OrphanNotAdoptable, why)
}

/// Bytes and number of the files in a folder, as far as they can be seen. Links are not followed.
fn measured(path: &Path) -> (u64, u64) {
    let (mut bytes, mut files) = (0, 0);
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            left.extend(fs::read_dir(&path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())));
        } else {
            bytes += metadata.len();
            files += 1;
        }
    }
    (bytes, files)
}

/// The entries in the folder of namespaces, by name.
///
/// # Errors
/// `storage_failed`.
pub(super) fn entries(directory: &Path) -> Result<Vec<(String, PathBuf)>> {
    thread_guard::may_wait("lists the folders of namespaces");
    let path = directory.join(NAMESPACES);
    let read = || -> std::io::Result<Vec<(String, PathBuf)>> {
        let of = |entry: fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
        fs::read_dir(&path)?.map(|entry| entry.map(of)).collect()
    };
    let mut entries = read().map_err(|error| Error::io(&format!("reading {}", path.display()), &error))?;
    entries.sort_unstable();
    Ok(entries)
}

/// Those that the manifest does not list.
fn unlisted(entries: Vec<(String, PathBuf)>, manifest: &Manifest) -> impl Iterator<Item = (String, PathBuf)> {
    entries.into_iter().filter(|(id, _)| !manifest.lists(id))
}

/// Finishes what a crash left of drops and of namespaces that were being made: those carry a mark of ours. Everything else stays.
/// Returns the names of what is left and belongs to no namespace.
pub(super) fn settle(entries: Vec<(String, PathBuf)>, manifest: &Manifest, patience: Duration) -> Vec<String> {
    for (id, path) in &entries {
        if manifest.lists(id) {
            // A drop that was not done; a mark that cannot be taken off is tried again at the next start.
            let _ = folder::unmark(path);
        }
    }
    let until = Instant::now() + patience;
    let stays = |(id, path): (String, PathBuf)| {
        let number = id.parse().ok().filter(|number: &u64| number.to_string() == id);
        let own = number.and_then(|number| folder::discarded(&path, number)).filter(|own| manifest.by_id(own).is_none());
        // What cannot be removed now is tried again at the next start; it must not keep the others from being served.
        let gone = match own {
            Some(own) => devices::release(&path, &own, Held::Unknown { may_wait: &|| Instant::now() < until }).is_ok(),
            // Just made, or all but gone, with nothing in it.
            None => number.is_some_and(|number| number <= manifest.next) && folder::is_blank(&path) && folder::remove(&path).is_ok(),
        };
        (!gone).then_some(id)
    };
    unlisted(entries, manifest).filter_map(stays).collect()
}

impl Engine {
    /// What lies in the folder of namespaces and belongs to none, by name.
    ///
    /// # Errors
    /// `closed`, `storage_failed`.
    pub fn orphans(&self) -> Result<Vec<Orphan>> {
        let _changes = self.changes.lock();
        self.check_open()?;
        self.find_orphans()
    }

    /// Names of the orphans, as they were when they were last looked for.
    pub fn orphan_names(&self) -> Vec<String> {
        self.orphans.lock().clone()
    }

    /// `changes` is held: what is being made has a folder and no entry in the manifest.
    fn find_orphans(&self) -> Result<Vec<Orphan>> {
        let manifest = self.host.manifest.read();
        let restoring = self.restoring.lock().clone();
        let found = unlisted(entries(&self.directory)?, &manifest).filter(|(id, _)| !restoring.contains(id));
        let orphans: Vec<Orphan> = found.map(|(id, path)| Orphan::find(path, id, &manifest)).collect();
        *self.orphans.lock() = orphans.iter().map(|orphan| orphan.id.clone()).collect();
        Ok(orphans)
    }

    fn find_orphan(&self, id: &str) -> Result<Orphan> {
        let orphan = self.find_orphans()?.into_iter().find(|orphan| orphan.id == id);
        orphan.ok_or_else(|| Error::said(ErrorCode::OrphanNotFound, sentence!("there is no orphaned folder \"{id}\"", id = id)))
    }

    /// Lists the namespace that is in an orphan, under its own name or `name`, and opens it. It is answered as it then stands: it
    /// may have failed.
    ///
    /// # Errors
    /// `orphan_not_found`, `orphan_not_adoptable`, `namespace_exists`, `namespace_limit`, `name_invalid`, `device_not_allowed`,
    /// `config_invalid`, `closed`, `storage_failed`.
    pub fn adopt_orphan(&self, id: &str, name: Option<String>) -> Result<Member> {
        let (unopened, name) = {
            let _changes = self.changes.lock();
            self.check_open()?;
            self.check_directory()?;
            let orphan = self.find_orphan(id)?;
            let mut record = match (orphan.record, orphan.obstacle) {
                (Some(record), None) => record,
                (_, obstacle) => {
                    let why = obstacle.as_ref().map_or_else(|| Value::from(""), Value::from);
                    return Err(refused(sentence!("the folder \"{id}\" cannot be adopted: {why}", id = id, why = why)));
                }
            };
            if let Some(name) = name {
                limits::check_name(&name, "name")?;
                record.config.name = name;
            }
            self.check_name_free(&record.config.name)?;
            devices::check_adopted(&record.config.engine, &self.device_paths, &self.directory, &self.host.manifest.read())?;
            let record = self.host.manifest.update(|manifest| {
                // A left store of a namespace that is there still is another one.
                let Tenure { id, .. } = record.tenure();
                let id = if manifest.is_known(id) { NamespaceId(random_id()) } else { id };
                record.tenure = Some(Tenure { id, since_ms: clock::unix_millis() }.into());
                manifest.next = manifest.next.max(record.number);
                manifest.namespaces.push(record.clone());
                Ok(record)
            })?;
            self.orphans.lock().retain(|orphan| orphan != id);
            let name = record.config.name.clone();
            (self.members.adopt(record), name)
        };
        // How it went is in its state.
        let _ = self.members.bring_up(&unopened);
        self.member(&name)
    }

    /// Removes an orphan and all that is in it; of a namespace of ours with what is its own on devices elsewhere.
    ///
    /// # Errors
    /// `orphan_not_found`, `closed`, `storage_failed`.
    pub fn remove_orphan(&self, id: &str) -> Result<Orphan> {
        let _changes = self.changes.lock();
        self.check_open()?;
        self.check_directory()?;
        let orphan = self.find_orphan(id)?;
        match orphan.owner(&self.host.manifest.read()) {
            Some(record) => {
                folder::mark_discarded(&orphan.path, record)?;
                devices::release(&orphan.path, &record.id, Held::Unknown { may_wait: &|| false })?;
                self.host.manifest.witness().forget(&record.id);
            }
            None => folder::remove(&orphan.path).map_err(|error| Error::io(&format!("removing {}", orphan.path.display()), &error))?,
        }
        self.orphans.lock().retain(|orphan| orphan != id);
        Ok(orphan)
    }

    /// The orphan of that name, and nothing is done to it.
    ///
    /// # Errors
    /// `orphan_not_found`, `closed`, `storage_failed`.
    pub fn orphan(&self, id: &str) -> Result<Orphan> {
        let _changes = self.changes.lock();
        self.check_open()?;
        self.find_orphan(id)
    }
}

/// The highest number of a folder that there is, listed or not: none is used twice, also if the manifest is an older copy.
///
/// # Errors
/// `storage_failed`.
pub(super) fn highest_number(directory: &Path) -> Result<u64> {
    Ok(entries(directory)?.iter().filter_map(|(name, _)| name.parse().ok()).max().unwrap_or(0))
}

#[cfg(test)]
mod tests;
