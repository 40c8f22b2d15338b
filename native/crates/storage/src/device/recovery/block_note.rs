//! What a start notes of one block: what it tells of its present use, and which places are doubtful.

use crate::device::format::entry::EntryKind;
use crate::device::format::summary::BlockUseId;
use crate::device::write::mark::Known;
use std::ops::Range;
use tessera_record::{Digest, Meta};

/// What a block tells of its present use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Head {
    /// Run, first sequence and durable sequence.
    Entries(u32, u64, u64),
    /// Marked as holding nothing.
    Free,
    /// Zeros where the header should be, and something behind them.
    #[default]
    Lost,
    Damaged,
    /// The block cannot be read.
    Unreadable,
}

/// What is known of one block after reading it.
#[derive(Debug, Default)]
pub struct BlockNote {
    pub number: u64,
    pub head: Head,
    /// Sequence of the first sound entry header.
    pub first: Option<u64>,
    /// Whether the block has the mark of an orderly close.
    pub closed: bool,
    /// Whether no entry can follow.
    pub ended: bool,
    /// Whether its own header marks its present use as free: what is free by its end or a mark alone may come back.
    pub marked: bool,
    /// What its present use begins with, if anything in it or a mark tells.
    pub id: Option<BlockUseId>,
    /// The block that was begun before it.
    pub previous: Option<BlockUseId>,
    /// The sequence behind its last entry, if there will be no more of them.
    pub end: Option<u64>,
    /// What should come behind its last sound entry: sequence and offset.
    pub next: (u64, u64),
    /// Entries before this sequence were there when a later run began; 0 where nothing tells.
    pub vouched: u64,
    /// Up to where its entries say that everything of their run was on stable storage.
    pub stable: u64,
    /// By offset.
    pub doubts: Vec<Doubt>,
}

/// What an entry was that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub kind: EntryKind,
    pub segment: u16,
    pub digest: Digest,
    pub meta: Meta,
    pub set: String,
    pub sequence: u64,
    pub offset: u64,
    pub length: u32,
    /// Its header with the set name, if that is not in the block.
    pub header: Vec<u8>,
}

/// A place that is not as it should be: damage, a write that a crash cut short, or what is left of an earlier use.
#[derive(Debug)]
pub struct Doubt {
    pub offset: u64,
    pub why: String,
    pub suspect: Option<Named>,
    /// The first sequence that it costs, if that is known; and how many it costs that `suspect` does not name.
    pub first: Option<u64>,
    pub missing: u64,
    /// The header of `suspect` is gone too; parity has named it, and may not be there at the next start.
    pub by_parity: bool,
    /// No crash can have done it.
    pub sure: bool,
    /// Nothing sound of the block's present use lies behind it.
    pub trailing: bool,
}

impl BlockNote {
    /// Whether anything in it shows that this namespace wrote it.
    pub fn is_ours(&self) -> bool {
        self.first.is_some() || matches!(self.head, Head::Entries(..) | Head::Free)
    }

    /// The sequence that the block's present use begins with, or later; 0 where nothing tells.
    pub fn begin(&self) -> u64 {
        if let Head::Entries(_, first, _) = self.head { first } else { self.first.unwrap_or(0) }
    }

    /// What a mark may tell of it.
    pub fn known(&self) -> Option<Known> {
        let free = self.head == Head::Free;
        self.id.map(|id| Known { id, run: self.run().unwrap_or(0), free, count: 0 })
    }

    /// The run that a sound header names.
    pub fn run(&self) -> Option<u32> {
        if let Head::Entries(run, ..) = self.head { Some(run) } else { None }
    }

    pub fn doubt(&mut self, offset: u64, why: &str, sure: bool) {
        self.doubts.push(Doubt { sure, ..Doubt::at(offset, why.to_owned()) });
    }
}

impl Doubt {
    /// Whether it costs entries that were written.
    pub const fn costs(&self) -> bool {
        self.missing > 0 || self.suspect.is_some()
    }

    /// Those that it costs and that `suspect` does not name.
    pub fn sequences(&self) -> Range<u64> {
        let first = self.first.unwrap_or(0);
        first..first.saturating_add(self.missing)
    }

    pub const fn at(offset: u64, why: String) -> Self {
        Self { offset, why, suspect: None, first: None, missing: 0, by_parity: false, sure: false, trailing: true }
    }
}
