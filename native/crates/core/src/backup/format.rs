//! The bytes of a part: a header, blocks with a checksum each, and a trailer. Little-endian.
//!
//! A segment is a run of blocks: `Begin`, then sets and entries, then `End`. Entries are a log: the last word about a digest
//! counts. Ids of sets mean something between `Begin` and `End` alone, so a segment is read without what is before it.

use super::damaged;
use serde::{Deserialize, Serialize};
use tessera_base::{Result, sentence};
use tessera_record::{Digest, Meta};

const MAGIC: &[u8; 8] = b"TESSERAB";
const END_MAGIC: &[u8; 4] = b"TBKE";
pub(super) const VERSION: u32 = 1;
/// Magic, version, number of the part, id of the backup, checksum.
pub(super) const HEADER: usize = 8 + 4 + 4 + 16 + 4;
/// Length, kind, checksum of both and of what follows.
pub(super) const BLOCK_HEAD: usize = 12;
/// Where the footer begins, its checksum, magic.
pub(super) const TRAILER: usize = 8 + 4 + 4;
/// No block is longer: the largest record, with what is beside it.
pub(super) const BLOCK_MOST: usize = 16 << 20;

const BODY: u8 = 1;
const KEPT: u8 = 2;
const GONE: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Begin = 1,
    Set = 2,
    Entries = 3,
    End = 4,
    Footer = 5,
}

/// A segment in a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PartSegment {
    /// What holds its records: the segment, or 0 in a flat container.
    pub cell: u16,
    /// Unix milliseconds: later changes have this time of last update or a later one.
    pub moment_ms: u64,
    /// Of its blocks in the file.
    pub offset: u64,
    pub bytes: u64,
    /// As the namespace counted them at the moment.
    pub records: u64,
    /// Entries that have a body, and those that name a record of the base.
    pub bodies: u64,
    pub kept: u64,
}

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    Body(Meta, &'a [u8]),
    /// It is as in the base.
    Kept(Meta),
    /// There is none.
    Gone,
}

pub(super) fn header(id: &[u8; 16], part: u32) -> [u8; HEADER] {
    let mut out = [0; HEADER];
    out[..8].copy_from_slice(MAGIC);
    out[8..12].copy_from_slice(&VERSION.to_le_bytes());
    out[12..16].copy_from_slice(&part.to_le_bytes());
    out[16..32].copy_from_slice(id);
    let checksum = crc32c::crc32c(&out[..32]);
    out[32..].copy_from_slice(&checksum.to_le_bytes());
    out
}

/// # Errors
/// `backup_damaged` if it is not the header of that part.
pub(super) fn check_header(file: &str, bytes: &[u8], id: &[u8; 16], part: u32) -> Result<()> {
    if bytes == header(id, part) { Ok(()) } else { Err(damaged(file, sentence!("it is not this part of this backup"))) }
}

pub(super) fn trailer(footer: u64) -> [u8; TRAILER] {
    let mut out = [0; TRAILER];
    out[..8].copy_from_slice(&footer.to_le_bytes());
    out[8..12].copy_from_slice(&crc32c::crc32c(&footer.to_le_bytes()).to_le_bytes());
    out[12..].copy_from_slice(END_MAGIC);
    out
}

/// Where the footer begins.
///
/// # Errors
/// `backup_damaged`.
pub(super) fn footer_at(file: &str, bytes: &[u8; TRAILER]) -> Result<u64> {
    let at = u64_at(bytes, 0).unwrap_or_default();
    if *bytes == trailer(at) { Ok(at) } else { Err(damaged(file, sentence!("its end is missing"))) }
}

/// The head of a block.
pub(super) fn block_head(kind: Kind, payload: &[u8]) -> [u8; BLOCK_HEAD] {
    let mut out = [0; BLOCK_HEAD];
    out[..4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    out[4..8].copy_from_slice(&(kind as u32).to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&out[..8]), payload);
    out[8..].copy_from_slice(&checksum.to_le_bytes());
    out
}

/// Length and kind of a block, before its checksum is looked at.
///
/// # Errors
/// `backup_damaged`.
pub(super) fn block_of(file: &str, head: &[u8; BLOCK_HEAD]) -> Result<(usize, Kind)> {
    let length = u32_at(head, 0).unwrap_or_default() as usize;
    let kinds = [Kind::Begin, Kind::Set, Kind::Entries, Kind::End, Kind::Footer];
    let kind = kinds.into_iter().find(|&kind| u32_at(head, 4) == Some(kind as u32));
    match kind {
        Some(kind) if length <= BLOCK_MOST => Ok((length, kind)),
        _ => Err(damaged(file, sentence!("a block has no kind or length that there is"))),
    }
}

/// # Errors
/// `backup_damaged`.
pub(super) fn check_block(file: &str, head: &[u8; BLOCK_HEAD], kind: Kind, payload: &[u8]) -> Result<()> {
    if *head == block_head(kind, payload) { Ok(()) } else { Err(damaged(file, sentence!("the checksum of a block does not match"))) }
}

/// Appends an entry.
pub(super) fn push(out: &mut Vec<u8>, set: u16, digest: &Digest, word: Word<'_>) {
    let (op, meta) = match word {
        Word::Body(meta, _) => (BODY, Some(meta)),
        Word::Kept(meta) => (KEPT, Some(meta)),
        Word::Gone => (GONE, None),
    };
    out.push(op);
    out.extend_from_slice(&set.to_le_bytes());
    out.extend_from_slice(&digest.0);
    if let Some(meta) = meta {
        out.extend_from_slice(&meta.generation.to_le_bytes());
        out.extend_from_slice(&meta.expires_at.to_le_bytes());
        out.extend_from_slice(&meta.updated_at.to_le_bytes());
    }
    if let Word::Body(_, body) = word {
        out.extend_from_slice(&(body.len() as u32).to_le_bytes());
        out.extend_from_slice(body);
    }
}

/// Calls `each` with the entries of a block.
///
/// # Errors
/// `backup_damaged`; those of `each`.
pub(super) fn entries(file: &str, mut bytes: &[u8], each: &mut dyn FnMut(u16, Digest, Word<'_>) -> Result<()>) -> Result<()> {
    while !bytes.is_empty() {
        let (set, digest, word, rest) = entry(bytes).ok_or_else(|| damaged(file, sentence!("a block ends inside an entry")))?;
        each(set, digest, word)?;
        bytes = rest;
    }
    Ok(())
}

fn entry(bytes: &[u8]) -> Option<(u16, Digest, Word<'_>, &[u8])> {
    let (op, set) = (*bytes.first()?, u16_at(bytes, 1)?);
    let digest = Digest(bytes.get(3..23)?.try_into().ok()?);
    if op == GONE {
        return Some((set, digest, Word::Gone, bytes.get(23..)?));
    }
    let meta = Meta { generation: u16_at(bytes, 23)?, expires_at: u32_at(bytes, 25)?, updated_at: u64_at(bytes, 29)? };
    match op {
        KEPT => Some((set, digest, Word::Kept(meta), bytes.get(37..)?)),
        BODY => {
            let end = 41 + u32_at(bytes, 37)? as usize;
            Some((set, digest, Word::Body(meta, bytes.get(41..end)?), bytes.get(end..)?))
        }
        _ => None,
    }
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
