//! Files and block devices outside of the data directory: which may be used, and how they are let go.

use crate::config::{DeviceConfig, EngineConfig};
use crate::manifest::{Manifest, NamespaceRecord, SetAside, folder as own, sync_directory};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use tessera_base::{Error, ErrorCode, Result, Sentence, read_regular, sentence};
use tessera_storage::device::{self, Held};

/// File in a namespace's folder that tells which devices it has: a crash may leave the folder and nothing else of it.
const CLAIM: &str = "devices";

#[derive(Serialize, Deserialize)]
struct Claim {
    namespace_id: [u8; 16],
    device: DeviceConfig,
}

/// What a path stands for, whichever way it leads there.
#[derive(PartialEq, Eq)]
enum Identity {
    File(PathBuf),
    /// The number of a block device.
    Device(u64),
}

/// Checks that a new namespace may use its devices, and that nothing lies there or will.
///
/// # Errors
/// `device_not_allowed`, `device_held`, `config_invalid`, each naming the field.
pub(super) fn check(config: &EngineConfig, allowed: &[PathBuf], directory: &Path, manifest: &Manifest) -> Result<()> {
    check_places(config, allowed, directory, manifest, true)
}

/// As `check`, of a namespace whose files are there already.
///
/// # Errors
/// As `check`.
pub(super) fn check_adopted(config: &EngineConfig, allowed: &[PathBuf], directory: &Path, manifest: &Manifest) -> Result<()> {
    check_places(config, allowed, directory, manifest, false)
}

fn check_places(config: &EngineConfig, allowed: &[PathBuf], directory: &Path, manifest: &Manifest, new: bool) -> Result<()> {
    let identities = |record: &NamespaceRecord| paths(&record.config.engine).filter_map(|path| identity(path).ok()).collect::<Vec<_>>();
    let mut taken: Vec<Identity> = manifest.records().flat_map(identities).collect();
    for (position, path) in paths(config).enumerate() {
        let field = format!("devices.{position}.path");
        let refuse =
            |code, why: Sentence| Error::said(code, sentence!("{path} {why}", path = path.display(), why = why)).in_field(field.as_str());
        let foreign = || refuse(ErrorCode::DeviceNotAllowed, sentence!("is not allowed; add it to TESSERA_DEVICES"));
        let real = real(path).map_err(|error| {
            // Whoever may not use a path does not learn either whether it is there.
            let theirs = allowed.iter().any(|own| path.starts_with(own));
            if theirs { refuse(ErrorCode::ConfigInvalid, sentence!("cannot be reached: {why}", why = error)) } else { foreign() }
        })?;
        if !allowed.iter().any(|own| covers(own, &real)) || fs::canonicalize(directory).is_ok_and(|own| real.starts_with(own)) {
            return Err(foreign());
        }
        let identity = identity(path).map_err(|error| refuse(ErrorCode::ConfigInvalid, sentence!("cannot be used: {why}", why = error)))?;
        if let Some(dropped) = manifest.dropped.iter().find(|dropped| identities(&dropped.record).contains(&identity)) {
            let SetAside { record: NamespaceRecord { number, config, .. }, .. } = dropped;
            let why = sentence!(
                "still holds \"{name}\", which was dropped and can be restored; delete the dropped namespace {number} first",
                name = &config.name,
                number = *number
            );
            return Err(refuse(ErrorCode::DeviceHeld, why));
        }
        if taken.contains(&identity) {
            return Err(refuse(ErrorCode::ConfigInvalid, sentence!("already holds records of a namespace")));
        }
        if new && matches!(identity, Identity::File(_)) && path.symlink_metadata().is_ok() {
            return Err(refuse(
                ErrorCode::ConfigInvalid,
                sentence!("is there already; a namespace makes its files, and uses block devices that are blank"),
            ));
        }
        taken.push(identity);
    }
    Ok(())
}

fn paths(config: &EngineConfig) -> impl Iterator<Item = &Path> {
    let devices = if let EngineConfig::Device(device) = config { device.devices.as_slice() } else { &[] };
    devices.iter().map(|device| Path::new(&device.path))
}

/// Whether `own`, a folder or a device, allows `real`.
fn covers(own: &Path, real: &Path) -> bool {
    self::real(own).is_ok_and(|own| if own.is_dir() { real.starts_with(&own) && real != own } else { real == own })
}

/// A path without links in it; its last part may be missing.
fn real(path: &Path) -> std::io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Ok(fs::canonicalize(parent)?.join(name)),
            _ => Err(error),
        },
        found => found,
    }
}

fn identity(path: &Path) -> std::io::Result<Identity> {
    match path.metadata() {
        Ok(found) if found.file_type().is_block_device() => Ok(Identity::Device(found.rdev())),
        _ => real(path).map(Identity::File),
    }
}

/// Writes down in the namespace's folder which devices it is about to get.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub(super) fn claim(folder: &Path, record: &NamespaceRecord) -> Result<()> {
    let EngineConfig::Device(device) = &record.config.engine else { return Ok(()) };
    if device.devices.is_empty() {
        return Ok(());
    }
    let path = folder.join(CLAIM);
    let claim = Claim { namespace_id: record.id, device: device.clone() };
    let json = serde_json::to_vec(&claim).map_err(|error| Error::new(ErrorCode::Internal, format!("encoding a claim: {error}")))?;
    let write = || {
        let mut file = File::create_new(&path)?;
        file.write_all(&json)?;
        file.sync_all()?;
        sync_directory(folder)
    };
    write().map_err(|error| Error::io(&format!("writing {}", path.display()), &error))
}

/// Removes the folder of the namespace `id`, and before it what is the namespace's on the devices that it claimed.
///
/// # Errors
/// `storage_failed`; the folder stays where a device could not be cleared, so that it can be tried again.
pub(super) fn release(folder: &Path, id: &[u8; 16], held: Held<'_>) -> Result<()> {
    let claim = read_regular(&folder.join(CLAIM)).ok().and_then(|bytes| serde_json::from_slice::<Claim>(&bytes).ok());
    if let Some(claim) = claim.filter(|claim| claim.namespace_id == *id) {
        device::erase(&claim.device.places(folder), &claim.namespace_id, held)?;
    }
    own::remove(folder).map_err(|error| Error::io(&format!("removing {}", folder.display()), &error))
}

/// What is wrong with a device that a new namespace was to get, as its caller can help it.
pub(super) fn not_blank(error: Error) -> Error {
    match error.code {
        ErrorCode::DataFileDamaged | ErrorCode::DataFileForeign | ErrorCode::DataFileVersionUnknown => {
            let message = sentence!("a block device must be blank (zeros in its first MiB): {message}", message = &error);
            Error::said(ErrorCode::ConfigInvalid, message).in_field("devices")
        }
        _ => error,
    }
}
