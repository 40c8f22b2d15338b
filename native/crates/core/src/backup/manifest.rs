//! What a backup says of itself: a plan when it begins, and a manifest once every part is on stable storage.

use super::format::PartSegment;
use super::{damaged, hex};
use crate::config::NamespaceConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tessera_base::{Error, ErrorCode, Result, sentence};
use xxhash_rust::xxh3::xxh3_128;

pub(super) const PLAN: &str = "plan.json";
pub(super) const MANIFEST: &str = "manifest.json";
const VERSION: u32 = 1;
const BEFORE_CHECKSUM: &str = "{\"xxh3\":\"";
const BEFORE_VALUE: &str = "\",\"backup\":";
const AFTER_VALUE: &str = "}\n";

/// What a backup is to be. It does not change while the backup is made, or resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Plan {
    pub version: u32,
    pub id: String,
    pub namespace: String,
    /// The namespace's own id: another one of the same name is another.
    pub namespace_id: String,
    /// Its id for its users, if that is another: after a migration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Of records in memory, which a restart takes: they are of one process. 0 for others.
    pub process: u64,
    pub created_at_ms: u64,
    pub base: Option<Base>,
    pub config: NamespaceConfig,
    /// What holds the records: segments, or one.
    pub cells: u32,
    /// First and last cell of each part.
    pub parts: Vec<(u16, u16)>,
}

/// The backup that an incremental one builds on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Base {
    pub id: String,
    /// Checksum of its manifest.
    pub xxh3: String,
}

/// A file of records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Part {
    pub file: String,
    pub bytes: u64,
    /// XXH3 of all bytes, 128 bits.
    pub xxh3: String,
    pub segments: Vec<PartSegment>,
}

/// A backup that has come to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct BackupManifest {
    pub plan: Plan,
    pub ended_at_ms: u64,
    pub parts: Vec<Part>,
    /// Records that went to another segment meanwhile, as they were at the end.
    pub moved: Option<Part>,
    /// Records whose bodies could not be read. They are not in it.
    pub damaged: u64,
}

impl Plan {
    pub(super) const VERSION: u32 = VERSION;

    /// The 16 bytes that the parts have of the id.
    pub(super) fn key(&self) -> [u8; 16] {
        xxh3_128(format!("{} {} {}", self.id, self.namespace_id, self.created_at_ms).as_bytes()).to_be_bytes()
    }
}

impl BackupManifest {
    /// Earliest and latest moment of its segments, Unix milliseconds.
    pub fn moments(&self) -> (u64, u64) {
        let moments = || self.segments().map(|segment| segment.moment_ms);
        (moments().min().unwrap_or_default(), moments().max().unwrap_or_default())
    }

    pub fn segments(&self) -> impl Iterator<Item = &PartSegment> {
        self.parts.iter().flat_map(|part| &part.segments)
    }

    /// All files, each with its number.
    pub(super) fn files(&self) -> impl Iterator<Item = (u32, &Part)> {
        self.parts.iter().chain(&self.moved).zip(0..).map(|(part, number)| (number, part))
    }

    pub fn bytes(&self) -> u64 {
        self.files().map(|(_, part)| part.bytes).sum()
    }

    /// # Errors
    /// `backup_damaged` if it names what cannot be: each cell must be in it once.
    fn check(&self) -> Result<()> {
        let mut cells: Vec<u16> = self.segments().map(|segment| segment.cell).collect();
        cells.sort_unstable();
        let whole = cells.len() == self.plan.cells as usize && cells.iter().zip(0..).all(|(&cell, at)| u32::from(cell) == at);
        if whole { Ok(()) } else { Err(damaged(MANIFEST, sentence!("it does not have each segment once"))) }
    }
}

/// JSON with its checksum in front, and the checksum.
///
/// # Errors
/// `internal` if it cannot be written as JSON.
pub(super) fn seal<T: Serialize>(value: &T) -> Result<(Vec<u8>, String)> {
    let json = serde_json::to_string(value).map_err(|error| Error::new(ErrorCode::Internal, format!("encoding JSON: {error}")))?;
    let checksum = hex(&xxh3_128(json.as_bytes()).to_be_bytes());
    Ok((format!("{BEFORE_CHECKSUM}{checksum}{BEFORE_VALUE}{json}{AFTER_VALUE}").into_bytes(), checksum))
}

fn unseal<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<(T, String)> {
    let parts = || {
        let text = std::str::from_utf8(bytes).ok()?.strip_prefix(BEFORE_CHECKSUM)?.strip_suffix(AFTER_VALUE)?;
        let (checksum, json) = text.split_once(BEFORE_VALUE)?;
        (checksum == hex(&xxh3_128(json.as_bytes()).to_be_bytes())).then_some((checksum, json))
    };
    let (checksum, json) = parts().ok_or_else(|| damaged(file, sentence!("its checksum does not match")))?;
    let value = serde_json::from_str(json).map_err(|error| damaged(file, sentence!("it is not legal: {why}", why = error.to_string())))?;
    Ok((value, checksum.to_owned()))
}

/// # Errors
/// `backup_damaged`.
pub(super) fn read_plan(id: &str, bytes: &[u8]) -> Result<Plan> {
    let (plan, _): (Plan, _) = unseal(PLAN, bytes)?;
    check_plan(PLAN, id, &plan)?;
    Ok(plan)
}

/// The manifest and its checksum.
///
/// # Errors
/// `backup_damaged`.
pub(super) fn read_manifest(id: &str, bytes: &[u8]) -> Result<(BackupManifest, String)> {
    let (manifest, checksum): (BackupManifest, _) = unseal(MANIFEST, bytes)?;
    check_plan(MANIFEST, id, &manifest.plan)?;
    manifest.check()?;
    Ok((manifest, checksum))
}

fn check_plan(file: &str, id: &str, plan: &Plan) -> Result<()> {
    if plan.version != VERSION {
        return Err(damaged(
            file,
            sentence!("it has version {version}; this build reads version {own}", version = plan.version, own = VERSION),
        ));
    }
    if plan.id != id {
        return Err(damaged(file, sentence!("it is of the backup {id}", id = &plan.id)));
    }
    plan.config.check().map_err(|error| damaged(file, &error))
}
