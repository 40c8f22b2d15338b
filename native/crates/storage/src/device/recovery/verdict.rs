//! Telling damage from writes that a crash cut short, and both from what is left of a block's earlier use.
//!
//! A run's blocks say, each when it was begun, up to which sequence everything was on stable storage; an orderly close says
//! it for the whole run; the disks' headers say it of all runs before the newest but those that had left something torn. So a
//! close may go, when its block is rewritten, and its run's blocks are vouched for all the same. A doubtful place in a block
//! whose entries end before the highest such number, or that is so vouched for, is damage. Any other was written after the
//! run's last known sync: it is torn, was never acknowledged, and an older copy of its record counts.
//!
//! A sector is written whole or not at all, so a crash leaves the header that was there or the new one: a damaged header is
//! damage. As a freed block is marked before it is used again, what a crash leaves of a new use that never got its header
//! lies behind a mark, or in a block that was blank.

use super::block_note::{BlockNote, Head};
use crate::device::format::headers::TornRuns;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// What is to be thought of a block.
pub struct Verdict {
    /// Whether all that it ever had was on stable storage: a doubt in it is damage then, and else torn.
    pub stored: bool,
    /// The runs that it may be of; 0 where nothing bounds them from below.
    pub runs: RangeInclusive<u32>,
}

/// Orders `blocks` by their first sequences (those without any come first) and judges each. Says also whether the newest run
/// was closed in order; `known` is the newest that a file's header tells, `torn` what older ones had left so when it began.
pub fn verdicts(blocks: &mut [BlockNote], known: u32, torn: TornRuns) -> (Vec<Verdict>, bool) {
    blocks.sort_by_key(|block| (block.begin(), block.number));
    let runs = runs_of(blocks);
    let mut durable = HashMap::<u32, u64>::new();
    let mut closed = HashSet::new();
    for (block, &run) in blocks.iter().zip(&runs) {
        if let Head::Entries(run, _, vouched) = block.head {
            let durable = durable.entry(run).or_default();
            *durable = vouched.max(*durable);
        }
        if block.closed && run != 0 {
            closed.insert(run);
        }
    }
    let newest = blocks.iter().filter_map(BlockNote::run).max().unwrap_or(0).max(known);
    let bounds = bounds_of(blocks, newest);
    // The first sequence of the next block of the same run bounds a block's own.
    let mut next: Option<(u32, u64)> = None;
    let mut verdicts = Vec::with_capacity(blocks.len());
    for ((block, &run), runs) in blocks.iter().zip(&runs).zip(bounds).rev() {
        let bound = next.filter(|(of, _)| *of == run).map(|(_, first)| first);
        let vouched = durable.get(&run).copied().unwrap_or_default();
        let stored = match block.begin() {
            _ if *runs.end() < known && torn.has_none_of(&runs) => true,
            // Of no known time: before an orderly close all such are marked as free.
            0 => closed.contains(&newest),
            _ => closed.contains(&run) || bound.is_some_and(|first| first <= vouched.saturating_add(1)),
        };
        verdicts.push(Verdict { stored, runs });
        if block.begin() > 0 {
            next = Some((run, block.begin()));
        }
    }
    verdicts.reverse();
    (verdicts, closed.contains(&newest))
}

/// The runs that each block may be of: its own, or those from the block with a header before it to the one after it.
fn bounds_of(blocks: &[BlockNote], newest: u32) -> Vec<RangeInclusive<u32>> {
    let mut next = newest;
    let mut bounds = Vec::with_capacity(blocks.len());
    for block in blocks.iter().rev() {
        next = block.run().unwrap_or(next);
        // Of no known time: they come first, wherever they belong.
        bounds.push(if block.begin() == 0 { newest } else { next });
    }
    let mut before = 0;
    let lowest = |block: &BlockNote| {
        before = block.run().unwrap_or(before);
        before
    };
    blocks.iter().map(lowest).zip(bounds.into_iter().rev()).map(|(low, high)| low..=high.max(low)).collect()
}

/// The run of each block. One without a sound header belongs to the run before it, or behind a close to the one after it if
/// no run between them is unknown; else to none (0).
fn runs_of(blocks: &[BlockNote]) -> Vec<u32> {
    let mut following = Vec::with_capacity(blocks.len());
    let mut next = None;
    for block in blocks.iter().rev() {
        next = block.run().or(next);
        following.push(next);
    }
    let (mut before, mut closed) = (0, true);
    let mut runs = Vec::with_capacity(blocks.len());
    for (block, following) in blocks.iter().zip(following.into_iter().rev()) {
        if let Some(run) = block.run() {
            (before, closed) = (run, false);
        }
        runs.push(if closed { following.filter(|run| *run == before.saturating_add(1)).unwrap_or(0) } else { before });
        closed |= block.closed;
    }
    runs
}

/// The number of the next run; `known` is the highest that a file's header tells. One is left out where a run may have lost
/// all its headers.
pub fn next_run(blocks: &[BlockNote], known: u32) -> u32 {
    let last = blocks.iter().filter_map(BlockNote::run).max().unwrap_or(0).max(known);
    let nameless = blocks.iter().any(|block| block.run().is_none() && block.head != Head::Free);
    last.saturating_add(1 + u32::from(nameless))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(number: u64, run: u32, first: u64, durable: u64) -> BlockNote {
        BlockNote { number, head: Head::Entries(run, first, durable), first: Some(first), ..BlockNote::default() }
    }

    fn headless(number: u64, first: u64) -> BlockNote {
        BlockNote { number, first: Some(first), ..BlockNote::default() }
    }

    fn judge(blocks: &mut [BlockNote], known: u32) -> (Vec<bool>, bool) {
        judge_after(blocks, known, TornRuns::UNKNOWN)
    }

    fn judge_after(blocks: &mut [BlockNote], known: u32, torn: TornRuns) -> (Vec<bool>, bool) {
        let (verdicts, closed) = verdicts(blocks, known, torn);
        let mut all: Vec<_> = blocks.iter().map(|b| b.number).zip(verdicts.iter().map(|verdict| verdict.stored)).collect();
        all.sort_unstable();
        (all.into_iter().map(|(_, stored)| stored).collect(), closed)
    }

    #[test]
    fn only_what_a_later_block_or_a_close_vouches_for_is_damage() {
        // The order of writing is not that of the blocks.
        let mut blocks = vec![note(4, 1, 1, 0), note(1, 1, 30, 12), note(3, 1, 40, 39), note(2, 1, 50, 39), note(6, 2, 60, 59)];
        assert_eq!(judge(&mut blocks, 2), (vec![true, false, false, true, false], false));
        blocks.iter_mut().filter(|block| block.number == 6).for_each(|block| block.closed = true);
        assert_eq!(judge(&mut blocks, 2), (vec![true, false, false, true, true], true));
        assert_eq!(judge(&mut blocks, 3), (vec![true, false, false, true, true], false));
        assert_eq!((next_run(&blocks, 1), next_run(&blocks, 8)), (3, 9));
    }

    #[test]
    fn after_a_whole_start_everything_older_is_vouched_for() {
        let mut blocks = vec![note(1, 1, 1, 0), note(2, 2, 20, 12), headless(3, 30), note(4, 3, 40, 39)];
        let mut judge = |known, torn| judge_after(&mut blocks, known, torn).0;
        assert_eq!(judge(3, TornRuns::UNKNOWN), [false, false, false, false]);
        assert_eq!(judge(3, TornRuns::NONE), [true, true, false, false]);
        // The block without a header is of run 2 or 3.
        assert_eq!(judge(4, TornRuns::NONE), [true, true, true, true]);
        assert_eq!(judge(4, TornRuns::NONE.and(3..=3)), [true, true, false, false]);
        assert_eq!(judge(4, TornRuns::NONE.and(1..=1)), [false, true, true, true]);
        assert_eq!(judge(4, TornRuns::NONE.and(0..=2)), [false, false, false, false]);
    }

    #[test]
    fn a_close_vouches_for_nothing_behind_it() {
        let mut blocks = vec![note(1, 1, 1, 0), headless(2, 20), note(3, 2, 30, 29)];
        blocks[0].closed = true;
        assert_eq!(judge(&mut blocks, 2).0, [true, true, false]);
        blocks.truncate(2);
        assert_eq!(judge(&mut blocks, 2).0, [true, false]);
        assert_eq!(next_run(&blocks, 1), 3);
    }

    #[test]
    fn a_block_without_a_header_is_placed_by_its_entries() {
        let mut blocks = vec![note(1, 1, 1, 0), headless(2, 31), note(3, 1, 40, 39)];
        assert_eq!(judge(&mut blocks, 1).0, [true, true, false]);
    }

    #[test]
    fn a_block_that_nothing_places_is_damage_only_after_an_orderly_close() {
        let mut blocks = vec![BlockNote { number: 1, ..BlockNote::default() }, note(2, 1, 10, 9)];
        assert_eq!(judge(&mut blocks, 1).0, [false, false]);
        blocks[1].closed = true;
        assert_eq!(judge(&mut blocks, 1).0, [true, true]);
    }
}
