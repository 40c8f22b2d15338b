//! What a block says of itself: its header, and the summaries at its front and at its end. Where the header is not sound, the
//! newest use that a summary tells is the block's present one, so that it hides nothing and brings nothing back. A sound header
//! counts whatever a summary says of a newer use: a crash may have stored the end of that and not its beginning. But a block
//! that was being freed is free, whichever end says so.

use super::headers::{BlockHeader, BlockUse, HEADER_BYTES};
use super::parity::Parity;
use super::seal::Seal;
use super::summary::{BlockUseId, FRONT_PARITY_AT, Summary, Use};
use std::ops::Range;

/// The present use of a block.
#[derive(Clone, Debug)]
pub struct Identity {
    pub free: bool,
    pub run: u32,
    pub first: u64,
    /// Everything of the run up to here was on stable storage when the block was begun; 0 where nothing tells.
    pub durable: u64,
    /// Where entries begin and end in the block, as far as that is known.
    pub begin: usize,
    pub filled: Option<usize>,
    /// The sequences of its entries, of a block that is closed.
    pub sequences: Option<Range<u64>>,
    pub previous: Option<BlockUseId>,
    /// Over the headers of all its entries.
    pub parities: Vec<Parity>,
}

impl Identity {
    /// Of a block of `block_bytes` that lies at global offset `start`; `header` is its own if it is sound and this block's.
    pub fn of(block: &[u8], start: u64, seal: Seal, block_bytes: usize, header: Option<BlockHeader>) -> Option<Self> {
        let front = Summary::front(block, start, seal, block_bytes);
        let end = Summary::end(block, start, seal, block_bytes);
        let headed = header.map(|header| (header.first_sequence, header.holds == BlockUse::Nothing));
        let summed = |(summary, _): &(Summary, Option<Parity>)| (summary.first, summary.state == Use::Free);
        let summaries = front.iter().chain(&end).map(summed);
        let newest = headed.into_iter().chain(summaries.filter(|(_, free)| *free || headed.is_none())).max()?;
        let mut found = Self {
            free: newest.1,
            run: 0,
            first: newest.0,
            durable: 0,
            begin: FRONT_PARITY_AT,
            filled: None,
            sequences: None,
            previous: None,
            parities: vec![],
        };
        if let Some(header) = header.filter(|_| headed == Some(newest)) {
            (found.run, found.durable) = (header.run, header.durable_sequence);
        }
        for (summary, parity) in [end, front].into_iter().flatten().filter(|found| summed(found) == newest) {
            found.run = summary.run;
            if summary.state != Use::Free {
                found.told(&summary, parity);
            }
        }
        Some(found)
    }

    /// What a summary of this use tells.
    pub fn told(&mut self, summary: &Summary, parity: Option<Parity>) {
        (self.begin, self.previous) = (summary.begin as usize, Some(summary.previous));
        if let Some(sequences) = summary.sequences() {
            (self.filled, self.sequences) = (Some(summary.filled as usize), Some(sequences));
            self.parities.extend(parity);
        }
    }
}

/// The header of a block that was read, if it is sound and this block's.
pub fn sound_header(block: &[u8], number: u64, namespace_id: &[u8; 16]) -> Option<BlockHeader> {
    let header = block.first_chunk::<HEADER_BYTES>().and_then(|bytes| BlockHeader::decode(bytes).ok())?;
    (header.number == number && header.namespace_id == *namespace_id).then_some(header)
}
