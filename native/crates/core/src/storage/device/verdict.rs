//! Telling damage from writes that a crash cut short.
//!
//! A run's blocks say, each when it was begun, up to which sequence everything was on stable storage; an orderly close says
//! it for the whole run. A doubtful place in a block that ends before the highest such number is damage. Any other was
//! written after the run's last known sync: it is torn, was never acknowledged, and an older copy of its record counts.

use super::survey::BlockNote;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Damaged,
    Torn,
}

#[derive(Default)]
struct Run {
    durable: u64,
    closed: bool,
}

/// One verdict for all doubts of each block, in the order of `blocks` (by number).
pub fn verdicts(blocks: &[BlockNote]) -> Vec<Verdict> {
    let mut runs: HashMap<u32, Run> = HashMap::new();
    // A block without a sound header belongs to the run of the one before it.
    let mut run_of = Vec::with_capacity(blocks.len());
    let mut current = blocks.iter().find_map(|b| b.header).map_or(0, |(run, ..)| run);
    for block in blocks {
        if let Some((run, _, durable)) = block.header {
            current = run;
            let run = runs.entry(run).or_default();
            run.durable = run.durable.max(durable);
        }
        if block.closed_at.is_some() {
            runs.entry(current).or_default().closed = true;
        }
        run_of.push(current);
    }
    let mut verdicts = vec![Verdict::Torn; blocks.len()];
    // The first sequence of the next sound block of the same run bounds a block's own.
    let mut next: Option<(u32, u64)> = None;
    for (at, block) in blocks.iter().enumerate().rev() {
        let number = run_of.get(at).copied().unwrap_or_default();
        let bound = next.filter(|(run, _)| *run == number).map(|(_, first)| first);
        let certain = runs.get(&number).is_some_and(|run| run.closed || bound.is_some_and(|first| first <= run.durable.saturating_add(1)));
        if certain && let Some(verdict) = verdicts.get_mut(at) {
            *verdict = Verdict::Damaged;
        }
        next = block.header.map(|(run, first, _)| (run, first)).or(next);
    }
    verdicts
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
}
