//! Sections of a snapshot: items in chunks, each with a checksum that says where it belongs, so that no chunk passes for
//! another of the same file, or of another snapshot.

use std::fs::File;
use std::io::{ErrorKind, Result, Write};
use std::os::unix::fs::FileExt;

/// Most bytes of a chunk's items.
pub const CHUNK_BYTES: usize = 1024 * 1024;
/// Length and checksum, before the items.
const FRAME: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Section {
    /// Names of the sets.
    Sets = 1,
    /// What is known of a disk's blocks; numbered by disk.
    Blocks = 2,
    /// Records of a segment; numbered by segment.
    Slots = 3,
    /// Where the segments' sections are.
    Segments = 4,
    /// Notes of the secondary indexes.
    Indexes = 5,
    /// A segment's part of a secondary index; numbered by index and segment.
    Part = 6,
}

/// The number of a section `Part`.
pub const fn part_number(index: usize, segment: u16) -> u32 {
    (index as u32) << 16 | segment as u32
}

/// What all checksums of one snapshot begin with.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    seed: u32,
}

impl Identity {
    pub fn new(namespace_id: &[u8; 16], run: u32, last_sequence: u64) -> Self {
        let seed = crc32c::crc32c_append(crc32c::crc32c(namespace_id), &run.to_le_bytes());
        Self { seed: crc32c::crc32c_append(seed, &last_sequence.to_le_bytes()) }
    }

    pub fn over(self, (section, number): (Section, u32), chunk: u32, items: &[u8]) -> u32 {
        let mut place = [0; 13];
        place[0] = section as u8;
        place[1..5].copy_from_slice(&number.to_le_bytes());
        place[5..9].copy_from_slice(&chunk.to_le_bytes());
        place[9..].copy_from_slice(&(items.len() as u32).to_le_bytes());
        crc32c::crc32c_append(crc32c::crc32c_append(self.seed, &place), items)
    }
}

/// Writes sections one after another.
pub struct ChunkWriter<W> {
    out: W,
    identity: Identity,
    section: (Section, u32),
    chunk: u32,
    items: Vec<u8>,
    /// Where the next chunk begins.
    offset: u64,
}

impl<W: Write> ChunkWriter<W> {
    /// `out` stands at `offset` of the file.
    pub fn new(out: W, identity: Identity, offset: u64) -> Self {
        Self { out, identity, section: (Section::Sets, 0), chunk: 0, items: Vec::with_capacity(CHUNK_BYTES), offset }
    }

    /// Begins a section; returns its offset in the file.
    pub fn begin(&mut self, section: Section, number: u32) -> u64 {
        (self.section, self.chunk) = ((section, number), 0);
        self.offset
    }

    /// Adds an item of at most a chunk's length.
    ///
    /// # Errors
    /// What writing returns.
    pub fn item(&mut self, item: &[u8]) -> Result<()> {
        if self.items.len() + item.len() > CHUNK_BYTES {
            self.flush()?;
        }
        self.items.extend_from_slice(item);
        Ok(())
    }

    /// Ends the section.
    ///
    /// # Errors
    /// What writing returns.
    pub fn end(&mut self) -> Result<()> {
        if self.items.is_empty() { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        let crc = self.identity.over(self.section, self.chunk, &self.items);
        self.out.write_all(&(self.items.len() as u32).to_le_bytes())?;
        self.out.write_all(&crc.to_le_bytes())?;
        self.out.write_all(&self.items)?;
        self.offset += (FRAME + self.items.len()) as u64;
        self.chunk += 1;
        self.items.clear();
        Ok(())
    }

    /// The writer, and the length of the file.
    pub fn finish(self) -> (W, u64) {
        (self.out, self.offset)
    }
}

/// Bytes that are read by place.
pub trait Bytes: Sync {
    /// # Errors
    /// What the system returns.
    fn length(&self) -> Result<u64>;

    /// # Errors
    /// `UnexpectedEof` past the end; what the system returns.
    fn read(&self, into: &mut [u8], offset: u64) -> Result<()>;
}

impl Bytes for File {
    fn length(&self) -> Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, into: &mut [u8], offset: u64) -> Result<()> {
        self.read_exact_at(into, offset)
    }
}

impl Bytes for &[u8] {
    fn length(&self) -> Result<u64> {
        Ok(self.len() as u64)
    }

    fn read(&self, into: &mut [u8], offset: u64) -> Result<()> {
        let from = usize::try_from(offset).ok().and_then(|from| self.get(from..)).and_then(|rest| rest.get(..into.len()));
        into.copy_from_slice(from.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Reads the chunks of one section in order.
pub struct ChunkReader<'a> {
    bytes: &'a dyn Bytes,
    identity: Identity,
    section: (Section, u32),
    chunk: u32,
    items: Vec<u8>,
    /// Where the next chunk begins.
    pub offset: u64,
}

impl<'a> ChunkReader<'a> {
    pub fn new(bytes: &'a dyn Bytes, identity: Identity, offset: u64) -> Self {
        Self { bytes, identity, section: (Section::Sets, 0), chunk: 0, items: Vec::new(), offset }
    }

    /// Goes on with the section at `offset`.
    pub fn begin(&mut self, section: Section, number: u32, offset: u64) {
        (self.section, self.chunk, self.offset) = ((section, number), 0, offset);
        self.items.clear();
    }

    /// The items of the chunk that was read last.
    pub fn items(&self) -> &[u8] {
        &self.items
    }

    /// Reads the next chunk; returns its items.
    ///
    /// # Errors
    /// Why it cannot be trusted.
    pub fn next(&mut self) -> std::result::Result<&[u8], String> {
        let ((section, number), chunk) = (self.section, self.chunk);
        let place = || format!("chunk {chunk} of {section:?} {number}");
        let unread = |error: std::io::Error| format!("{}: {error}", place());
        let mut frame = [0; FRAME];
        self.bytes.read(&mut frame, self.offset).map_err(unread)?;
        let [a, b, c, d, crc @ ..] = frame;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length == 0 || length > CHUNK_BYTES {
            return Err(format!("{} is damaged", place()));
        }
        self.items.resize(length, 0);
        self.bytes.read(&mut self.items, self.offset + FRAME as u64).map_err(unread)?;
        if u32::from_le_bytes(crc) != self.identity.over(self.section, chunk, &self.items) {
            return Err(format!("{} is damaged", place()));
        }
        self.offset += (FRAME + length) as u64;
        self.chunk += 1;
        Ok(&self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(identity: Identity) -> Vec<u8> {
        let mut writer = ChunkWriter::new(Vec::new(), identity, 0);
        for number in [3, 4] {
            writer.begin(Section::Slots, number);
            (0..30_000_u64).for_each(|n| writer.item(&[n as u8; 42]).unwrap());
            writer.end().unwrap();
        }
        writer.finish().0
    }

    #[test]
    fn a_chunk_is_read_only_as_what_it_was_written_as() {
        let identity = Identity::new(&[1; 16], 5, 77);
        let bytes = written(identity);
        let bytes = &*bytes;
        let mut reader = ChunkReader::new(&bytes, identity, 0);
        reader.begin(Section::Slots, 3, 0);
        let lengths = [reader.next().unwrap().len(), reader.next().unwrap().len()];
        assert_eq!((lengths.iter().sum::<usize>(), lengths[0] <= CHUNK_BYTES), (30_000 * 42, true));
        // The next chunk belongs to segment 4.
        assert!(reader.next().is_err());
        let second = reader.offset;
        reader.begin(Section::Slots, 4, second);
        assert_eq!(reader.next().map(<[u8]>::len), Ok(lengths[0]));
        for (identity, section, number) in [
            (identity, Section::Blocks, 3),
            (identity, Section::Slots, 2),
            (Identity::new(&[2; 16], 5, 77), Section::Slots, 3),
            (Identity::new(&[1; 16], 6, 77), Section::Slots, 3),
            (Identity::new(&[1; 16], 5, 78), Section::Slots, 3),
        ] {
            let mut reader = ChunkReader::new(&bytes, identity, 0);
            reader.begin(section, number, 0);
            assert!(reader.next().is_err(), "{section:?} {number}");
        }
    }
}
