//! The steps of a stream as they are run. A sort ends a phase: what comes after it takes the sorted elements, in order and on one
//! thread; the first phase is run by all workers at once.

use super::distinct::{Room, Seen};
use super::pipeline::{Pipeline, PipelineStep, Placed};
use crate::budget::Share;
use crate::output::{Contest, Ranking, Rows};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::Result;
use tessera_record::filter::Filter;

pub(super) struct Phase {
    pub(super) steps: Vec<Placed<Stage>>,
    /// What the elements are sorted by at its end; the last phase has none.
    pub(super) sort: Option<Placed<Contest>>,
}

/// A step, with what all workers share of it.
pub(super) enum Stage {
    Filter(Arc<Filter>),
    Map(Arc<Rows>),
    FlatMap(Arc<Rows>),
    Distinct(Seen),
    Limit(Left),
}

/// How many elements are still wanted.
pub(super) struct Left(AtomicU64);

impl Left {
    pub(super) const fn new(most: u64) -> Self {
        Self(AtomicU64::new(most))
    }

    /// Takes one.
    pub(super) fn claim(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn is_none(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

impl Phase {
    /// # Errors
    /// `order_needs_limit`.
    pub(super) fn all(pipeline: &Pipeline, share: &Arc<Share>) -> Result<Vec<Self>> {
        let (mut phases, mut steps, room) = (Vec::new(), Vec::new(), Arc::new(Room::new(share.clone())));
        for Placed { at, it } in &pipeline.steps {
            let stage = match it {
                PipelineStep::Filter(filter) => Stage::Filter(filter.clone()),
                PipelineStep::Map(rows) => Stage::Map(rows.clone()),
                PipelineStep::FlatMap(rows) => Stage::FlatMap(rows.clone()),
                PipelineStep::Distinct => Stage::Distinct(Seen::new(room.clone())),
                PipelineStep::Limit(most) => Stage::Limit(Left::new(*most)),
                PipelineStep::Sort(order, limit) => {
                    let contest = Contest::new(Ranking::new(order.clone(), Some(*limit), None, b"")?, u64::MAX, share.clone());
                    phases.push(Self { steps: std::mem::take(&mut steps), sort: Some(Placed { at: *at, it: contest }) });
                    continue;
                }
            };
            steps.push(Placed { at: *at, it: stage });
        }
        phases.push(Self { steps, sort: None });
        Ok(phases)
    }

    /// Whether nothing that comes to step `from` is wanted any more.
    pub(super) fn is_sated(&self, from: usize) -> bool {
        self.steps.iter().skip(from).any(|step| matches!(&step.it, Stage::Limit(left) if left.is_none()))
    }
}
