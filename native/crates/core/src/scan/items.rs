//! A walk in items, for workers that take them in turn: runs of blocks first, where a device is read by the block, and then
//! segments.

use super::marks::Marks;
use super::plan::Selection;
use super::sequential::Sequential;
use super::visit::{Damaged, End, Found, Scratch, Walk};
use crate::error::Result;
use crate::namespace::{Following, Namespace};
#[cfg(test)]
use crate::storage::Run;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What is made of the records that a worker meets.
pub(super) trait Visitor {
    /// Records that the next step is to meet, or a few more.
    fn most(&self) -> usize;

    /// Whether others are to find the device free: no more than one run is then in flight.
    fn gives_way(&self) -> bool {
        false
    }

    /// May be called with a segment locked for reading: it must be quick, and must not write.
    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End>;

    /// After each step, with no lock held.
    ///
    /// # Errors
    /// Any error ends the walk with it.
    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()>;
}

/// What the walk through all of a selection keeps from its beginning to its end.
#[derive(Default)]
pub(crate) struct Course {
    following: Option<Following>,
    sequential: Option<Sequential>,
}

impl Course {
    pub(crate) fn begin(namespace: &Namespace, selection: &Selection) -> Self {
        let marks = selection.sequential.then(|| Arc::new(Marks::new(namespace.cells().len())));
        let following = selection.follow_moves(namespace, marks.clone());
        Self { following, sequential: marks.map(|marks| Sequential::begin(namespace, marks)) }
    }

    pub(crate) fn walk<'a>(&'a self, namespace: &'a Namespace, selection: &'a Selection, bodies: bool) -> Walk<'a> {
        let follower = self.following.as_ref().map(Following::follower);
        Walk { namespace, selection, bodies, follower, sequential: self.sequential.as_ref() }
    }

    /// The first items, which are runs. Segments are to be taken when these are through: what a run would have brought is
    /// read by the record otherwise.
    pub(crate) fn runs(&self) -> usize {
        self.sequential.as_ref().map_or(0, |sequential| sequential.runs.len())
    }
}

#[cfg(test)]
impl Course {
    /// One block a run, so that there are many of few records.
    pub(super) fn split_runs(&mut self) {
        let Some(sequential) = &mut self.sequential else { return };
        let blocks = |run: &Run| (run.first..run.first + u64::from(run.blocks)).map(|first| Run { first, blocks: 1 });
        sequential.runs = sequential.runs.iter().flat_map(blocks).collect();
    }
}

impl Walk<'_> {
    /// Does one item. Runs are still in flight when their item is done; `drain` meets what they bring.
    ///
    /// # Errors
    /// As `step`, and those of the visitor.
    pub(super) fn item(&self, item: usize, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        let runs = self.sequential.map_or(&[][..], |sequential| &sequential.runs);
        if let Some(run) = runs.get(item) {
            scratch.runs.start(self.namespace, *run)?;
            let left = if visitor.gives_way() { 0 } else { scratch.runs.most_left() };
            return self.drain(left, scratch, visitor);
        }
        if self.drain(0, scratch, visitor)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let mut from = Some(0);
        while let Some(slot) = from {
            let step = self.step(item - runs.len(), slot, visitor.most(), scratch, &mut |found| visitor.meet(found))?;
            visitor.stepped(step.met, &step.damaged)?;
            if step.broken {
                return Ok(ControlFlow::Break(()));
            }
            from = step.next;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Meets what the runs in flight bring, until at most `left` are.
    ///
    /// # Errors
    /// Those of the visitor.
    pub(super) fn drain(&self, left: usize, scratch: &mut Scratch, visitor: &mut dyn Visitor) -> Result<ControlFlow<()>> {
        while scratch.runs.has_more_than(left) {
            let (met, end) = self.run_step(visitor.most(), &mut scratch.runs, &mut |found| visitor.meet(found));
            visitor.stepped(met, &[])?;
            if end.is_break() {
                return Ok(end);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
