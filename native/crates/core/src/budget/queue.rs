//! Who is next: requests that wait for room, in the order in which they first needed some.
//!
//! - Who holds nothing yet waits behind all that wait already, so that no request is overtaken for ever, however large.
//! - Who holds something goes on if there is room: it gives its bytes back only when it ends.
//! - If all that hold something wait for each other, the youngest of them gives up at once.
//! - When somebody's patience is over, the youngest that holds something and waits gives up in its place, if that helps.

use super::{BudgetUse, Kind, STEP, Share};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering::Relaxed;

#[derive(Debug)]
pub(super) struct Queue {
    total: u64,
    used: u64,
    /// What those that hold something have taken, or are likely to come to.
    expected: u64,
    /// By number: the oldest first.
    shares: BTreeMap<u64, Taken>,
    /// Those that wait.
    waiting: BTreeSet<u64>,
    last: u64,
    refused: u64,
}

#[derive(Clone, Debug, Default)]
struct Taken {
    bytes: u64,
    claim: u64,
    /// What it lacked when it last looked.
    lacks: u64,
    /// Threads that wait, and threads at work or waiting.
    waiting: u32,
    threads: u32,
    given_up: bool,
}

impl Taken {
    const fn holds(&self) -> bool {
        self.bytes > 0
    }

    const fn is_idle(&self) -> bool {
        self.waiting > 0 && self.waiting >= self.threads
    }

    fn expected(&self) -> u64 {
        if self.holds() { self.bytes.max(self.claim) } else { 0 }
    }
}

impl Queue {
    pub(super) fn new(total: u64) -> Self {
        Self { total, used: 0, expected: 0, shares: BTreeMap::new(), waiting: BTreeSet::new(), last: 0, refused: 0 }
    }

    pub(super) fn usage(&self) -> BudgetUse {
        let Self { total, used, refused, .. } = *self;
        BudgetUse { total_bytes: total, used_bytes: used, waiting: self.waiting.len() as u64, refused }
    }

    pub(super) fn room(&self) -> u64 {
        self.total.saturating_sub(self.used)
    }

    pub(super) fn is_given_up(&self, share: &Share) -> bool {
        self.shares.get(&share.number.load(Relaxed)).is_some_and(|taken| taken.given_up)
    }

    /// Takes what `share` lacks, if it is its turn and there is room. `late`: it has waited for long enough.
    pub(super) fn take(&mut self, share: &Share, late: bool) -> bool {
        let lacks = share.lacks();
        if lacks == 0 {
            return true;
        }
        let number = self.note(share);
        if !self.is_turn(number, share.kind, late) {
            return false;
        }
        let bytes = match share.kind {
            Kind::Query => lacks.next_multiple_of(STEP).min(self.room()),
            Kind::Body => lacks,
        };
        self.used += bytes;
        self.update(number, |taken| {
            taken.bytes += bytes;
            taken.lacks = 0;
        });
        share.granted.fetch_add(bytes, Relaxed);
        true
    }

    pub(super) fn begin_wait(&mut self, share: &Share) {
        let number = self.note(share);
        self.waiting.insert(number);
        self.update(number, |taken| taken.waiting += 1);
    }

    pub(super) fn end_wait(&mut self, share: &Share) {
        let number = self.note(share);
        self.update(number, |taken| taken.waiting -= 1);
        if self.shares.get(&number).is_none_or(|taken| taken.waiting == 0) {
            self.waiting.remove(&number);
        }
    }

    pub(super) fn leave(&mut self, share: &Share) {
        let Some(taken) = self.shares.remove(&share.number.load(Relaxed)) else { return };
        self.used -= taken.bytes;
        self.expected -= taken.expected();
    }

    /// Whether a request that has found no room gives up. `late`: its patience is over; `overdue`: for as long again.
    pub(super) fn gives_up(&mut self, share: &Share, late: bool, overdue: bool) -> bool {
        let number = share.number.load(Relaxed);
        let Some(own) = self.shares.get(&number).cloned() else { return false };
        if own.given_up {
            return true;
        }
        // If somebody has given up, its bytes are about to come back.
        let gives_up = if self.shares.values().any(|taken| taken.given_up && taken.holds()) {
            overdue
        } else {
            let younger: Vec<(u64, u64)> = self.holders_behind(number).collect();
            let room = self.room() + younger.iter().map(|(_, bytes)| bytes).sum::<u64>();
            match younger.last() {
                Some(&(youngest, _)) if late && own.lacks <= room => {
                    self.give_up(youngest);
                    false
                }
                Some(_) => late,
                None => late || own.holds() && self.is_stuck(number),
            }
        };
        if gives_up {
            self.give_up(number);
        }
        gives_up
    }

    /// Younger ones that hold something and wait: their numbers, and the bytes of each.
    fn holders_behind(&self, number: u64) -> impl Iterator<Item = (u64, u64)> {
        let taken = self.waiting.range(number + 1..).filter_map(|&at| Some((at, self.shares.get(&at)?.bytes)));
        taken.filter(|&(_, bytes)| bytes > 0)
    }

    fn give_up(&mut self, number: u64) {
        self.refused += 1;
        self.update(number, |taken| taken.given_up = true);
    }

    /// Whether others hold something, too, and nobody who does is at work, or will be.
    fn is_stuck(&self, number: u64) -> bool {
        let mut holders = self.shares.iter().filter(|(_, taken)| taken.holds()).peekable();
        let others = holders.clone().any(|(&other, _)| other != number);
        others && holders.all(|(_, taken)| taken.is_idle() && taken.lacks > self.room())
    }

    /// Whether it is the turn of a request, and there is room for what it lacks.
    fn is_turn(&self, number: u64, kind: Kind, late: bool) -> bool {
        let Some(own) = self.shares.get(&number) else { return false };
        let (mut room, mut alone) = (self.room(), kind == Kind::Body && self.used == own.bytes);
        for older in self.waiting.range(..number).filter_map(|older| self.shares.get(older)) {
            // Who waits for others to end is in nobody's way.
            if older.given_up || !self.may_begin(older) {
                continue;
            }
            alone = false;
            if older.lacks <= room {
                room -= older.lacks;
            } else if !own.holds() {
                return false;
            }
        }
        (own.lacks <= room || alone) && (late || self.may_begin(own))
    }

    /// Whether what a request is likely to come to fits beside the others.
    fn may_begin(&self, taken: &Taken) -> bool {
        let begun = taken.holds() || taken.claim == 0 || self.expected == 0;
        begun || self.expected.saturating_add(taken.claim.max(taken.lacks)) <= self.total
    }

    /// Notes how a request stands.
    fn note(&mut self, share: &Share) -> u64 {
        let mut number = share.number.load(Relaxed);
        if number == 0 {
            self.last += 1;
            number = self.last;
            share.number.store(number, Relaxed);
            self.shares.insert(number, Taken::default());
        }
        self.update(number, |taken| {
            taken.lacks = share.lacks();
            taken.claim = share.claim.load(Relaxed);
            taken.threads = share.threads.load(Relaxed);
        });
        number
    }

    fn update(&mut self, number: u64, change: impl FnOnce(&mut Taken)) {
        let Some(taken) = self.shares.get_mut(&number) else { return };
        self.expected -= taken.expected();
        change(taken);
        self.expected += taken.expected();
    }
}
