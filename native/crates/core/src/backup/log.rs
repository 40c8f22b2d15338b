//! Reading parts: whole, to compare checksums, or the log of one segment.

use super::folder::{Folder, PartFile};
use super::format::{self, BLOCK_HEAD, HEADER, Kind, PartSegment, TRAILER, Word};
use super::manifest::Part;
use super::{damaged, hex};
use std::collections::HashMap;
use std::sync::Arc;
use tessera_base::{Result, sentence, thread_guard};
use tessera_record::Digest;
use xxhash_rust::xxh3::Xxh3;

/// An entry of a log, with the name of its set.
pub(super) type Each<'a> = dyn FnMut(&Arc<str>, Digest, Word<'_>) -> Result<()> + 'a;

/// Reads all of a part and compares it with what the manifest says. `pace` is called with bytes that were read.
///
/// # Errors
/// `backup_damaged`, which names the file; `storage_failed`; those of `pace`.
pub(super) fn check(folder: &Folder, id: &[u8; 16], number: u32, part: &Part, pace: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
    let (bytes, xxh3) = hash(folder, id, number, &part.file, pace)?;
    if bytes != part.bytes {
        return Err(damaged(&part.file, sentence!("it must have {expected} bytes, got {bytes}", expected = part.bytes, bytes = bytes)));
    }
    if xxh3 != part.xxh3 {
        return Err(damaged(&part.file, sentence!("its checksum does not match")));
    }
    Ok(())
}

/// Length and checksum of a part, read as a whole.
fn hash(folder: &Folder, id: &[u8; 16], number: u32, name: &str, pace: &mut dyn FnMut(u64) -> Result<()>) -> Result<(u64, String)> {
    thread_guard::may_wait("reads a backup");
    let file = open(folder, name)?;
    let (mut hash, mut total) = (Xxh3::new(), 0);
    loop {
        let bytes = file.read(name, total, file.window())?;
        if total == 0 {
            format::check_header(name, bytes.get(..HEADER.min(bytes.len())).unwrap_or_default(), id, number)?;
        }
        if bytes.is_empty() {
            return Ok((total, hex(&hash.digest128().to_be_bytes())));
        }
        hash.update(&bytes);
        total += bytes.len() as u64;
        pace(bytes.len() as u64)?;
    }
}

/// What a part that an earlier job has finished says of itself, if all of it is whole.
///
/// # Errors
/// As `check`.
pub(super) fn adopt(folder: &Folder, id: &[u8; 16], number: u32, name: &str, pace: &mut dyn FnMut(u64) -> Result<()>) -> Result<Part> {
    let (bytes, xxh3) = hash(folder, id, number, name, pace)?;
    let file = open(folder, name)?;
    let mut trailer = [0; TRAILER];
    let at = bytes.checked_sub(TRAILER as u64).ok_or_else(|| damaged(name, sentence!("it is too short")))?;
    file.read_exact(name, &mut trailer, at, bytes)?;
    let footer = format::footer_at(name, &trailer)?;
    let segments: Vec<PartSegment> = match block_at(&file, name, footer, at)? {
        (Kind::Footer, payload, _) => serde_json::from_slice(&payload)
            .map_err(|error| damaged(name, sentence!("its footer is not legal: {why}", why = error.to_string())))?,
        _ => return Err(damaged(name, sentence!("its footer is missing"))),
    };
    let part = Part { file: name.to_owned(), bytes, xxh3, segments };
    // Its blocks have checksums: no manifest knows that of the file.
    for segment in &part.segments {
        each_entry(&file, name, segment, &mut |_, _, _| Ok(()))?;
    }
    let mut next = HEADER as u64;
    for segment in &part.segments {
        if segment.offset != next {
            return Err(damaged(name, sentence!("its segments do not follow each other")));
        }
        next += segment.bytes;
    }
    if next == footer { Ok(part) } else { Err(damaged(name, sentence!("its segments do not follow each other"))) }
}

/// Calls `each` with the entries of one segment, in order.
///
/// # Errors
/// `backup_damaged`, `storage_failed`; those of `each`.
pub(super) fn read_segment(folder: &Folder, part: &Part, segment: &PartSegment, each: &mut Each<'_>) -> Result<()> {
    each_entry(&open(folder, &part.file)?, &part.file, segment, each)
}

fn each_entry(file: &PartFile, name: &str, segment: &PartSegment, each: &mut Each<'_>) -> Result<()> {
    thread_guard::may_wait("reads a backup");
    let (mut at, mut sets, mut ended) = (segment.offset, HashMap::<u16, Arc<str>>::new(), false);
    let end = segment.offset.checked_add(segment.bytes).ok_or_else(|| damaged(name, sentence!("a segment ends nowhere")))?;
    while at < end {
        let first = at == segment.offset;
        let (kind, payload, next) = block_at(file, name, at, end)?;
        let of_cell = format::u16_at(&payload, 0) == Some(segment.cell);
        match kind {
            Kind::Begin if first && of_cell => {}
            Kind::Set if !first => {
                let id = format::u16_at(&payload, 0).ok_or_else(|| damaged(name, sentence!("a set has no id")))?;
                let text = std::str::from_utf8(&payload[2..]).map_err(|_| damaged(name, sentence!("a set has no legal name")))?;
                sets.insert(id, Arc::from(text));
            }
            Kind::Entries if !first => format::entries(name, &payload, &mut |set, digest, word| {
                each(sets.get(&set).ok_or_else(|| damaged(name, sentence!("a record has a set that there is not")))?, digest, word)
            })?,
            Kind::End if of_cell && next == end => ended = true,
            _ => return Err(damaged(name, sentence!("its blocks are not in order"))),
        }
        at = next;
    }
    if ended { Ok(()) } else { Err(damaged(name, sentence!("a segment has no end"))) }
}

/// A block that ends at `end` at the latest; where the next one begins.
fn block_at(file: &PartFile, name: &str, at: u64, end: u64) -> Result<(Kind, Vec<u8>, u64)> {
    let mut head = [0; BLOCK_HEAD];
    file.read_exact(name, &mut head, at, end)?;
    let (length, kind) = format::block_of(name, &head)?;
    let next = at + (BLOCK_HEAD + length) as u64;
    if next > end {
        return Err(damaged(name, sentence!("a block ends behind its segment")));
    }
    let mut payload = vec![0; length];
    file.read_exact(name, &mut payload, at + BLOCK_HEAD as u64, end)?;
    format::check_block(name, &head, kind, &payload)?;
    Ok((kind, payload, next))
}

fn open(folder: &Folder, name: &str) -> Result<PartFile> {
    folder.open(name)?.ok_or_else(|| damaged(name, sentence!("it is missing")))
}
