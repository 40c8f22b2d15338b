//! Generated events as CSV, the same ones every time, in the chunks that imports are fed by.

use crate::Failure;
use std::ops::Range;
use tessera_workload::events::{CSV_HEADER, Events, Format};

/// Events of the hours that the published measurement was made on.
pub const PUBLISHED: u64 = 218_934;
const SEED: u64 = 1;
/// A chunk ends with the row that brings it to this length.
const CHUNK_BYTES: usize = 256 * 1024;

/// Gives the rows in chunks of whole rows, the header in the first.
///
/// # Errors
/// The first failure of `each`.
pub fn each_chunk(rows: Range<u64>, mut each: impl FnMut(Vec<u8>) -> Result<(), Failure>) -> Result<(), Failure> {
    let (mut events, mut chunk) = (Events::new(SEED, Format::Csv), CSV_HEADER.as_bytes().to_vec());
    for row in rows {
        events.write(row, &mut chunk);
        if chunk.len() >= CHUNK_BYTES {
            each(std::mem::take(&mut chunk))?;
        }
    }
    each(chunk)
}

/// All chunks of `each_chunk` at once.
///
/// # Errors
/// None of its own.
pub fn chunks(rows: Range<u64>) -> Result<Vec<Vec<u8>>, Failure> {
    let mut chunks = Vec::new();
    each_chunk(rows, |chunk| {
        chunks.push(chunk);
        Ok(())
    })?;
    Ok(chunks)
}
