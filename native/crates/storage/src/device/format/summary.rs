//! What a block holds, told a second time: right behind its header, and at its very end. Either tells which use the block is in
//! where the header cannot, how many entries there are, and which block was begun before it. See `docs/on-disk-format.md`.

use super::headers::HEADER_BYTES;
use super::parity::Parity;
use super::place::UNIT;
use super::seal::Seal;

pub const SUMMARY_BYTES: usize = 64;
/// Where the summary before the entries lies, and its parity.
pub const FRONT_AT: usize = HEADER_BYTES;
pub const FRONT_PARITY_AT: usize = FRONT_AT + SUMMARY_BYTES;
const MAGIC: [u8; 4] = *b"TsSu";
const CRC_AT: usize = 4;

/// What a block is used for, as far as this summary knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// More entries may follow.
    Open = 0,
    /// There are `Summary::count` entries.
    Closed = 1,
    Free = 2,
}

/// A block, and the first sequence of one of its uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockUseId {
    pub number: u64,
    pub first: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    pub state: Use,
    pub run: u32,
    /// First sequence of this use; of a free block as its mark has it.
    pub first: u64,
    /// Entries, whose sequences follow each other; 0 while more may come.
    pub count: u32,
    /// Where the entries begin and end in the block.
    pub begin: u32,
    pub filled: u32,
    /// The block begun before this one, with the first sequence of its use then; 0 for none.
    pub previous: BlockUseId,
}

/// Where the summary at the end of a block lies.
pub const fn end_at(block_bytes: usize) -> usize {
    block_bytes - SUMMARY_BYTES
}

impl Summary {
    /// Sequences of the entries, once there will be no more of them.
    pub fn sequences(&self) -> Option<std::ops::Range<u64>> {
        (self.state == Use::Closed).then(|| self.first..self.first.saturating_add(u64::from(self.count)))
    }

    /// Sealed for global offset `offset`, for a summary with `parity` beside it.
    pub fn encode(&self, parity: &Parity, seal: Seal, offset: u64) -> [u8; SUMMARY_BYTES] {
        let mut out = [0; SUMMARY_BYTES];
        out[..4].copy_from_slice(&MAGIC);
        out[8] = self.state as u8;
        out[10..12].copy_from_slice(&(parity.rows() as u16).to_le_bytes());
        out[12..14].copy_from_slice(&(parity.width() as u16).to_le_bytes());
        for (at, word) in [(16, self.run), (20, self.count), (48, self.begin), (52, self.filled), (56, crc32c::crc32c(parity.bytes()))] {
            out[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        for (at, word) in [(24, self.first), (32, self.previous.number), (40, self.previous.first)] {
            out[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        let crc = seal.over(offset, &[&out[CRC_AT + 4..]]);
        out[CRC_AT..CRC_AT + 4].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// Puts it into the whole `block` at global offset `start`, before the entries and at the very
    /// end, with the parity of each.
    pub fn put(&self, block: &mut [u8], (front, end): (&Parity, &Parity), seal: Seal, start: u64) {
        let last = end_at(block.len());
        let parts = [
            (FRONT_AT, &self.encode(front, seal, start + FRONT_AT as u64)[..]),
            (FRONT_PARITY_AT, front.bytes()),
            (last - end.bytes().len(), end.bytes()),
            (last, &self.encode(end, seal, start + last as u64)[..]),
        ];
        for (at, part) in parts {
            if let Some(place) = block.get_mut(at..at + part.len()) {
                place.copy_from_slice(part);
            }
        }
    }

    fn decode(bytes: &[u8; SUMMARY_BYTES], seal: Seal, offset: u64, block_bytes: usize) -> Option<(Self, Shape)> {
        if bytes[..4] != MAGIC || word32(bytes, CRC_AT) != seal.over(offset, &[&bytes[CRC_AT + 4..]]) {
            return None;
        }
        let state = match bytes[8] {
            0 => Use::Open,
            1 => Use::Closed,
            2 => Use::Free,
            _ => return None,
        };
        let summary = Self {
            state,
            run: word32(bytes, 16),
            first: word64(bytes, 24),
            count: word32(bytes, 20),
            begin: word32(bytes, 48),
            filled: word32(bytes, 52),
            previous: BlockUseId { number: word64(bytes, 32), first: word64(bytes, 40) },
        };
        let (begin, filled) = (summary.begin as usize, summary.filled as usize);
        let sound = begin >= FRONT_PARITY_AT && begin.is_multiple_of(UNIT) && begin <= filled && filled <= block_bytes;
        let shape = Shape {
            rows: usize::from(u16::from_le_bytes([bytes[10], bytes[11]])),
            width: usize::from(u16::from_le_bytes([bytes[12], bytes[13]])),
            crc: word32(bytes, 56),
        };
        (sound || state == Use::Free).then_some((summary, shape))
    }

    /// The summary before the entries of the block `block` at global offset `start`, with its parity where that is whole.
    pub fn front(block: &[u8], start: u64, seal: Seal, block_bytes: usize) -> Option<(Self, Option<Parity>)> {
        let bytes = block.get(FRONT_AT..)?.first_chunk()?;
        let (summary, shape) = Self::decode(bytes, seal, start + FRONT_AT as u64, block_bytes)?;
        let parity = shape.at(block, FRONT_PARITY_AT).filter(|_| FRONT_PARITY_AT + shape.bytes() <= summary.begin as usize);
        Some((summary, parity))
    }

    /// As `front`, of the one at the block's end.
    pub fn end(block: &[u8], start: u64, seal: Seal, block_bytes: usize) -> Option<(Self, Option<Parity>)> {
        let at = end_at(block_bytes);
        let (summary, shape) = Self::decode(block.get(at..)?.first_chunk()?, seal, start + at as u64, block_bytes)?;
        let parity = at.checked_sub(shape.bytes()).and_then(|from| shape.at(block, from));
        Some((summary, parity))
    }
}

/// How much parity lies beside a summary.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    width: usize,
    crc: u32,
}

impl Shape {
    const fn bytes(self) -> usize {
        self.rows * self.width
    }

    fn at(self, block: &[u8], at: usize) -> Option<Parity> {
        let bytes = block.get(at..at.checked_add(self.bytes())?)?;
        (self.rows > 0 && crc32c::crc32c(bytes) == self.crc).then(|| Parity::from_bytes(self.width, bytes))
    }
}

fn word32(bytes: &[u8; SUMMARY_BYTES], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn word64(bytes: &[u8; SUMMARY_BYTES], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_survives_encoding_and_counts_in_its_own_place_only() {
        let seal = Seal::new(&[3; 16]);
        let previous = BlockUseId { number: 4, first: 70 };
        let summary = Summary { state: Use::Closed, run: 2, first: 100, count: 7, begin: 256, filled: 900, previous };
        let parity = Parity::from_bytes(66, &[9; 132]);
        let mut block = vec![0; 16_384];
        block[FRONT_PARITY_AT..FRONT_PARITY_AT + 128].copy_from_slice(&[9; 128]);
        let end = end_at(block.len());
        block[end - 132..end].copy_from_slice(&[9; 132]);
        block[end..].copy_from_slice(&summary.encode(&parity, seal, 16_384 + end as u64));
        block[FRONT_AT..FRONT_PARITY_AT].copy_from_slice(&summary.encode(&Parity::default(), seal, 16_384 + FRONT_AT as u64));
        let found = Summary::end(&block, 16_384, seal, 16_384).unwrap();
        assert_eq!((found.0, found.1.map(|parity| parity.rows())), (summary, Some(2)));
        assert_eq!(Summary::front(&block, 16_384, seal, 16_384).map(|(found, parity)| (found, parity.is_some())), Some((summary, false)));
        assert!(Summary::end(&block, 32_768, seal, 16_384).is_none() && Summary::end(&block, 0, Seal::new(&[4; 16]), 16_384).is_none());
        block[end - 1] ^= 1;
        assert_eq!(Summary::end(&block, 16_384, seal, 16_384).map(|(_, parity)| parity.is_some()), Some(false));
        for bit in 0..SUMMARY_BYTES * 8 {
            block[end + bit / 8] ^= 1 << (bit % 8);
            assert!(Summary::end(&block, 16_384, seal, 16_384).is_none(), "bit {bit}");
            block[end + bit / 8] ^= 1 << (bit % 8);
        }
    }
}
