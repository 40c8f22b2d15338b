//! Telling damage from writes that a crash cut short.
//!
//! A run's blocks say, each when it was begun, up to which sequence everything was on stable storage; an orderly close says
//! it for the whole run. A doubtful place in a block that ends before the highest such number is damage. Any other was
//! written after the run's last known sync: it is torn, was never acknowledged, and an older copy of its record counts.

use super::survey::BlockNote;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Damaged,
    Torn,
}

/// One verdict for all doubts of each block, in the order of `blocks` (by number).
pub fn verdicts(blocks: &[BlockNote]) -> Vec<Verdict> {
    let runs = runs_of(blocks);
    let mut durable: HashMap<u32, u64> = HashMap::new();
    let mut closed = HashSet::new();
    for (block, run) in blocks.iter().zip(&runs) {
        if let Some((run, _, vouched)) = block.header {
            let durable = durable.entry(run).or_default();
            *durable = vouched.max(*durable);
        }
        if block.closed_at.is_some() && *run != 0 {
            closed.insert(*run);
        }
    }
    // The first sequence of the next sound block of the same run bounds a block's own.
    let mut next: Option<(u32, u64)> = None;
    let mut verdicts: Vec<Verdict> = blocks
        .iter()
        .zip(&runs)
        .rev()
        .map(|(block, run)| {
            let bound = next.filter(|(of, _)| of == run).map(|(_, first)| first);
            let vouched = durable.get(run).copied().unwrap_or_default();
            let certain = closed.contains(run) || bound.is_some_and(|first| first <= vouched.saturating_add(1));
            next = block.header.map(|(run, first, _)| (run, first)).or(next);
            if certain { Verdict::Damaged } else { Verdict::Torn }
        })
        .collect();
    verdicts.reverse();
    verdicts
}

/// The run of each block. One without a sound header belongs to the run before it, or behind a close to the one after it if
/// no run between them is unknown; else to none (0).
fn runs_of(blocks: &[BlockNote]) -> Vec<u32> {
    let mut following = Vec::with_capacity(blocks.len());
    let mut next = None;
    for block in blocks.iter().rev() {
        next = block.header.map(|(run, ..)| run).or(next);
        following.push(next);
    }
    let (mut before, mut closed) = (0, true);
    let mut runs = Vec::with_capacity(blocks.len());
    for (block, following) in blocks.iter().zip(following.into_iter().rev()) {
        if let Some((run, ..)) = block.header {
            (before, closed) = (run, false);
        }
        runs.push(if closed { following.filter(|run| *run == before.saturating_add(1)).unwrap_or(0) } else { before });
        closed |= block.closed_at.is_some();
    }
    runs
}

/// The number of the next run. One is left out where blocks at the end may belong to a run whose headers are all lost.
pub fn next_run(blocks: &[BlockNote]) -> u32 {
    let last = blocks.iter().filter_map(|b| b.header).map(|(run, ..)| run).max().unwrap_or(0);
    let nameless = blocks.last().is_some_and(|b| b.header.is_none());
    last.saturating_add(1 + u32::from(nameless))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(number: u64, header: Option<(u32, u64, u64)>) -> BlockNote {
        BlockNote { number, header, ..BlockNote::default() }
    }

    #[test]
    fn only_what_a_later_block_or_a_close_vouches_for_is_damage() {
        use Verdict::{Damaged, Torn};
        let mut blocks = vec![
            note(1, Some((1, 1, 0))),
            note(2, None),
            note(3, Some((1, 30, 12))),
            note(4, Some((1, 40, 39))),
            note(5, Some((1, 50, 45))),
            note(6, Some((2, 60, 59))),
            note(7, Some((2, 70, 59))),
        ];
        assert_eq!(verdicts(&blocks), [Damaged, Damaged, Damaged, Torn, Torn, Torn, Torn]);
        blocks[6].closed_at = Some(75);
        assert_eq!(verdicts(&blocks), [Damaged, Damaged, Damaged, Torn, Torn, Damaged, Damaged]);
        assert_eq!(verdicts(&[note(1, None)]), [Torn]);
    }

    #[test]
    fn a_close_vouches_for_nothing_behind_it() {
        use Verdict::{Damaged, Torn};
        let mut blocks = vec![note(1, None), note(2, Some((1, 1, 0))), note(3, None), note(4, None)];
        blocks[1].closed_at = Some(9);
        assert_eq!(verdicts(&blocks), [Damaged, Damaged, Torn, Torn]);
        assert_eq!(next_run(&blocks), 3);
        blocks.push(note(5, Some((2, 30, 29))));
        assert_eq!(verdicts(&blocks), [Damaged, Damaged, Damaged, Damaged, Torn]);
        assert_eq!(next_run(&blocks), 3);
        blocks[4].header = Some((3, 30, 29));
        assert_eq!(verdicts(&blocks), [Damaged, Damaged, Torn, Torn, Torn]);
    }
}
