//! What was appended to the log and is not on stable storage.

use super::record::{Payload, RECORD_HEADER};
use super::{BLOCK, Lsn};
use std::io;
use tessera_io::AlignedBuffer;

/// First size of a buffer, and the largest that is kept for the next round: bytes.
const BUFFER: usize = 256 * 1024;
const BUFFER_KEPT: usize = 8 * 1024 * 1024;

/// Records in the order of their positions, from the beginning of a block on.
pub struct Pending {
    bytes: AlignedBuffer,
    begins: Lsn,
    spare: Option<AlignedBuffer>,
}

/// Whole blocks on their way to the disk.
pub struct Batch {
    pub bytes: AlignedBuffer,
    pub begins: Lsn,
    /// Where its last record ends; what follows in its last block are zeros.
    pub end: Lsn,
}

impl Pending {
    /// Nothing; the next record begins at `begins`, a multiple of a block.
    pub const fn new(begins: Lsn) -> Self {
        Self { bytes: AlignedBuffer::empty(), begins, spare: None }
    }

    pub fn end(&self) -> Lsn {
        self.begins + self.bytes.len() as u64
    }

    /// Appends a record; answers the position after it.
    ///
    /// # Errors
    /// `OutOfMemory`; then nothing has changed.
    pub fn append(&mut self, segment: u16, payload: &Payload<'_>) -> io::Result<Lsn> {
        let header = payload.header(self.end(), segment);
        make_room(&mut self.bytes, RECORD_HEADER + payload.bytes.len())?;
        self.bytes.extend_from_slice(&header)?;
        self.bytes.extend_from_slice(payload.bytes)?;
        Ok(self.end())
    }

    /// Takes all there is to write it. A block that is not full is taken and stays: it is written again with what follows, the same bytes at the same place.
    ///
    /// # Errors
    /// `OutOfMemory`; then nothing has changed.
    pub fn take(&mut self) -> io::Result<Batch> {
        let (end, whole) = (self.end(), self.bytes.len() / BLOCK as usize * BLOCK as usize);
        let mut next = self.spare.take().map_or_else(|| AlignedBuffer::new(BUFFER), Ok)?;
        next.clear();
        next.extend_from_slice(&self.bytes[whole..])?;
        let mut bytes = std::mem::replace(&mut self.bytes, next);
        let begins = self.begins;
        self.begins += whole as u64;
        // A capacity is a multiple of a block, so there is room.
        bytes.resize_zeroed(bytes.len().next_multiple_of(BLOCK as usize))?;
        Ok(Batch { bytes, begins, end })
    }

    /// A batch has been written: its memory is used again.
    pub fn written(&mut self, batch: Batch) {
        self.spare = Some(batch.bytes).filter(|buffer| buffer.capacity() <= BUFFER_KEPT);
    }

    /// A batch could not be written: it goes before what was appended since.
    ///
    /// # Errors
    /// `OutOfMemory`; then the records of the batch are lost.
    pub fn restore(&mut self, mut batch: Batch) -> io::Result<()> {
        batch.bytes.set_len((self.begins - batch.begins) as usize)?;
        make_room(&mut batch.bytes, self.bytes.len())?;
        batch.bytes.extend_from_slice(&self.bytes)?;
        self.spare = Some(std::mem::replace(&mut self.bytes, batch.bytes));
        self.begins = batch.begins;
        Ok(())
    }

    pub fn heap_bytes(&self) -> usize {
        self.bytes.capacity() + self.spare.as_ref().map_or(0, AlignedBuffer::capacity)
    }
}

/// Room for so many bytes more.
fn make_room(buffer: &mut AlignedBuffer, more: usize) -> io::Result<()> {
    let wanted = buffer.len() + more;
    if wanted > buffer.capacity() {
        let mut larger = AlignedBuffer::new(wanted.max(buffer.capacity() * 2).max(BUFFER))?;
        larger.extend_from_slice(buffer)?;
        *buffer = larger;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of blocks up to a position.
    fn stored(batch: &Batch) -> Vec<u8> {
        batch.bytes[..(batch.end - batch.begins) as usize].to_vec()
    }

    #[test]
    fn what_was_not_written_comes_again_before_what_followed() {
        let (mut tried, mut straight) = (Pending::new(BLOCK), Pending::new(BLOCK));
        let record = |n: u8| vec![n; 3000 + usize::from(n)];
        for n in 0..20 {
            let bytes = record(n);
            let payload = Payload::new(1, &bytes);
            assert_eq!(tried.append(7, &payload).unwrap(), straight.append(7, &payload).unwrap());
            if n == 5 || n == 12 {
                let batch = tried.take().unwrap();
                assert_eq!(batch.end, tried.end());
                tried.append(8, &payload).unwrap();
                straight.append(8, &payload).unwrap();
                tried.restore(batch).unwrap();
            }
        }
        let (tried, straight) = (tried.take().unwrap(), straight.take().unwrap());
        assert_eq!((tried.begins, tried.end, stored(&tried)), (BLOCK, straight.end, stored(&straight)));
        assert!(tried.bytes.len().is_multiple_of(BLOCK as usize) && tried.bytes[stored(&tried).len()..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_block_that_is_not_full_is_written_again() {
        let mut pending = Pending::new(0);
        pending.append(1, &Payload::new(1, &[5; 5000])).unwrap();
        let first = pending.take().unwrap();
        let tail = stored(&first)[BLOCK as usize..].to_vec();
        pending.written(first);
        pending.append(1, &Payload::new(1, &[6; 10])).unwrap();
        let second = pending.take().unwrap();
        assert_eq!((second.begins, &stored(&second)[..tail.len()]), (BLOCK, &tail[..]));
        assert!(pending.heap_bytes() > 0);
    }
}
