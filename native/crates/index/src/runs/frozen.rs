//! Merging what was frozen, with no lock held.

use super::{Frozen, Pair, Run, Ticket, is_current};

impl<P: Pair> Frozen<P> {
    /// Every pair that counts, sorted: those of `older`, the sorted base if the owner keeps it, and of the runs.
    pub fn merge(&self, mut older: Vec<P>) -> Vec<P> {
        older.retain(|pair| is_current(&self.written, pair.slot(), self.since));
        let current = |run: &Run<P>| -> Vec<P> {
            run.pairs.iter().filter(|pair| is_current(&self.written, pair.slot(), run.newest)).copied().collect()
        };
        let mut runs = self.runs.iter();
        if older.is_empty() {
            older = runs.next().map(current).unwrap_or_default();
        }
        let mut parts: Vec<Vec<P>> = runs.map(current).collect();
        // Neighbours first, so that each pair is moved as often as the number of runs has bits, and the longest part once.
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|two| if let [a, b] = two { merge(a, b) } else { two.concat() }).collect();
        }
        match parts.pop() {
            Some(newer) if !older.is_empty() => merge(&older, &newer),
            Some(newer) => newer,
            None => older,
        }
    }

    pub const fn ticket(&self) -> Ticket {
        self.ticket
    }
}

/// Merges two sorted slices. Which comes next is not predictable, so it is selected, not branched on; and as many steps are
/// taken at once as neither side can end in, so that nothing else is asked in between.
pub(super) fn merge<P: Pair>(mut older: &[P], mut newer: &[P]) -> Vec<P> {
    let mut merged = Vec::with_capacity(older.len() + newer.len());
    loop {
        let steps = older.len().min(newer.len());
        if steps == 0 {
            break;
        }
        let (mut left, mut right) = (0, 0);
        merged.extend((0..steps).map(|_| {
            let (a, b) = (older[left], newer[right]);
            let first = a < b;
            left += usize::from(first);
            right += usize::from(!first);
            if first { a } else { b }
        }));
        (older, newer) = (&older[left..], &newer[right..]);
    }
    merged.extend_from_slice(older);
    merged.extend_from_slice(newer);
    merged
}
