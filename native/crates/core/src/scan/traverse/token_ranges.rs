//! The records of a cluster in ranges of tokens, which workers take in turn as they take the segments of others.
//!
//! Ranges are side by side, and a record keeps its token, so one that is there throughout is met exactly once. A walk through all
//! of them meets every record, whichever it is after: it tells the cluster what the sets hold. One that asks by indexes meets a part, and
//! does not.

use crate::scan::walk::{SetsMet, Visitor, Walk};
use crate::store::RecordStore;
use crate::store::remote::{Asks, Estimates, MetSet, Part, Remote};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use tessera_base::Result;

/// A walk that asks for about so many rows takes one range of them.
const ASKED_ROWS: u64 = 2000;
/// A walk through all of about so many rows takes one range of them: each range is a request at least.
const ROWS: u64 = 128;
/// But no fewer ranges: the number of rows is an estimate.
const LEAST: usize = 32;

pub(crate) struct TokenRanges {
    remote: Arc<dyn Remote>,
    /// `None`: every row is read.
    asks: Option<Arc<Asks>>,
    count: usize,
    /// What came of beginning the walk, which the first worker does.
    begun: OnceLock<Result<Estimates>>,
    met: Mutex<AllMet>,
}

/// Of all ranges that were gone through to their end.
#[derive(Default)]
struct AllMet {
    ranges: usize,
    /// Records, and their bytes if bodies were read.
    sets: HashMap<String, (u64, Option<u64>)>,
}

impl TokenRanges {
    /// `None` if the records are here.
    pub(in crate::scan) fn of(store: &RecordStore, asks: Option<Arc<Asks>>) -> Option<Self> {
        let remote = store.shared_remote()?;
        let all = remote.ranges();
        // Each range that is asked for takes a request to every node that may have rows.
        let count = match &asks {
            Some(asks) => all.min((asks.estimate / ASKED_ROWS) as usize).max(1),
            None => ranges_of(remote.held().0, all),
        };
        Some(Self { count, asks, remote, begun: OnceLock::new(), met: Mutex::default() })
    }

    pub(in crate::scan) const fn count(&self) -> usize {
        self.count
    }

    /// # Errors
    /// As `Walk::meet_pages`.
    pub(in crate::scan) fn item(
        &self,
        walk: &Walk<'_>,
        range: usize,
        sets: &mut SetsMet,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        let begin = || self.remote.begin_walk().map(|()| self.remote.estimates());
        self.begun.get_or_init(begin).as_ref().map_err(Clone::clone)?;
        let bodies = walk.bodies || walk.selection.sizes;
        let part = Part::Range { at: range, of: self.count };
        let end = walk.meet_pages(&mut *self.remote.pages(part, bodies, self.asks.clone()), sets, visitor)?;
        let met = sets.take();
        if end.is_continue() && self.asks.is_none() {
            self.met.lock().add(met, bodies);
        }
        Ok(end)
    }

    /// The walk has ended. If it went through all ranges, the estimates of what sets hold are corrected.
    pub(super) fn settle(&self) {
        let AllMet { ranges, sets } = std::mem::take(&mut *self.met.lock());
        if let (true, Some(Ok(before))) = (ranges == self.count, self.begun.get()) {
            let met: Vec<MetSet> = sets.into_iter().map(|(name, (records, bytes))| MetSet { name, records, bytes }).collect();
            // Without it they stay as they are.
            let _ = self.remote.correct(before, &met);
        }
    }
}

/// Into how many of `most` ranges about so many records are divided.
fn ranges_of(records: u64, most: usize) -> usize {
    usize::try_from(records / ROWS).unwrap_or(most).clamp(LEAST.min(most), most)
}

impl AllMet {
    fn add(&mut self, met: Vec<MetSet>, bodies: bool) {
        self.ranges += 1;
        for MetSet { name, records, bytes } in met {
            let (all, all_bytes) = self.sets.entry(name).or_insert((0, Some(0)));
            *all += records;
            *all_bytes = all_bytes.zip(bytes.filter(|_| bodies)).map(|(all, more)| all + more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_records_take_few_ranges_and_many_take_all() {
        let ranges = [0, 5_000, 10_000, 65_536, u64::MAX].map(|records| ranges_of(records, 512));
        assert_eq!((ranges, ranges_of(1_000_000, 8), ranges_of(0, 8)), ([32, 39, 78, 512, 512], 8, 8));
    }
}
