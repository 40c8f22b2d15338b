//! Frames in, points of all tiers out. It knows no clock and no files.

use super::tiers::TIERS;
use crate::metrics::frame::Frame;
use std::sync::Arc;

/// What waits until its slot closes: for each tier but the first, points of the finer one in the slot that is open.
#[derive(Default)]
pub(super) struct RollUp {
    open: [Vec<Arc<Frame>>; TIERS.len()],
}

impl RollUp {
    /// Takes the next frame. `made` gets it as a point of the finest tier, and the points of the slots that it closes, finer ones
    /// first.
    pub(super) fn add(&mut self, frame: Arc<Frame>, mut made: impl FnMut(usize, Arc<Frame>)) {
        for tier in 1..TIERS.len() {
            self.close_unless_in(tier, frame.time_ms, &mut made);
        }
        made(0, Arc::clone(&frame));
        self.open[1].push(frame);
    }

    /// Goes on where an earlier process ended. `finer` are the points of the tier below that `tier` has none of, in ascending order:
    /// those of closed slots are made now, the others wait. Tiers are resumed in ascending order.
    pub(super) fn resume(&mut self, tier: usize, finer: impl Iterator<Item = Arc<Frame>>, mut made: impl FnMut(usize, Arc<Frame>)) {
        for point in finer {
            let slot = |time_ms: u64| TIERS[tier].slot_of(time_ms);
            if self.open[tier].last().is_some_and(|last| slot(last.time_ms) != slot(point.time_ms)) {
                made(tier, self.close(tier));
            }
            self.open[tier].push(point);
        }
    }

    fn close_unless_in(&mut self, tier: usize, time_ms: u64, made: &mut impl FnMut(usize, Arc<Frame>)) {
        let slot = |time_ms: u64| TIERS[tier].slot_of(time_ms);
        if self.open[tier].last().is_none_or(|last| slot(last.time_ms) == slot(time_ms)) {
            return;
        }
        let point = self.close(tier);
        made(tier, Arc::clone(&point));
        if let Some(coarser) = self.open.get_mut(tier + 1) {
            coarser.push(point);
        }
    }

    fn close(&mut self, tier: usize) -> Arc<Frame> {
        Arc::new(Frame::sum(&std::mem::take(&mut self.open[tier]), |_| true))
    }
}

#[cfg(test)]
mod tests;
