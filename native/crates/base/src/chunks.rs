//! Vectors of pointers to chunks, which grow by a part and do not double.

use crate::heap::block;

/// A vector grows by one part of so many, or by a few.
const PART: usize = 8;

/// Adds a chunk without doubling.
#[inline]
pub fn grow<T>(chunks: &mut Vec<T>, chunk: T) {
    if chunks.len() == chunks.capacity() {
        chunks.reserve_exact(step(chunks.len()));
    }
    chunks.push(chunk);
}

/// Bytes of a vector that `grow` has brought to so many chunks, with pointers of `each` bytes.
pub fn pointer_bytes_for(chunks: usize, each: usize) -> usize {
    let mut room = 0;
    while room < chunks {
        room += step(room);
    }
    block(room * each)
}

/// How much a full vector of so many grows.
const fn step(chunks: usize) -> usize {
    if chunks / PART < 4 { 4 } else { chunks / PART }
}
