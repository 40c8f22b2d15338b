//! The compiled steps of a stream.

use crate::aggregate::Aggregates;
use crate::output::{Order, Rows};
use std::sync::Arc;
use tessera_record::filter::Filter;

/// Compiled steps, in the order in which elements go through them.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// What the first steps ask of records, where they are filters: indexes help to find these.
    pub(super) filter: Option<Arc<Filter>>,
    pub(super) steps: Vec<Placed<PipelineStep>>,
    pub(super) end: Placed<End>,
}

/// With the place that a caller knows it by: `steps[3]`.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub(super) at: usize,
    pub(super) it: T,
}

#[derive(Clone, Debug)]
pub(super) enum PipelineStep {
    Filter(Arc<Filter>),
    /// Columns, in place of the bins.
    Map(Arc<Rows>),
    /// A row for each item of a list.
    FlatMap(Arc<Rows>),
    Distinct,
    /// The first so many in an order.
    Sort(Order, u64),
    /// Any so many; in order where they have one.
    Limit(u64),
}

/// What becomes of the elements that have gone through all steps.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// They are the answer.
    Elements,
    Count,
    Reduce(Arc<Aggregates>),
    Group(Arc<Aggregates>),
}

impl Pipeline {
    /// The steps by their names, for people.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let first = self.filter.iter().map(|_| "filter");
        first.chain(self.steps.iter().map(|step| step.it.name())).chain(self.end.it.name()).collect()
    }

    /// Whether elements are rows by the end, and not records.
    pub fn makes_rows(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.it, PipelineStep::Map(_) | PipelineStep::FlatMap(_)))
    }

    /// Whether a step says how many elements may come to the end.
    pub fn is_bounded(&self) -> bool {
        let bound = |step: &Placed<PipelineStep>| matches!(step.it, PipelineStep::Limit(_) | PipelineStep::Sort(..));
        let grows = |step: &Placed<PipelineStep>| matches!(step.it, PipelineStep::FlatMap(_));
        let last = self.steps.iter().rposition(bound);
        last.is_some_and(|last| !self.steps[last..].iter().any(grows)) || !matches!(self.end.it, End::Elements)
    }

    /// Whether anything takes the bodies of records.
    pub(super) fn reads_body(&self) -> bool {
        let filtered = self.filter.as_ref().is_some_and(|filter| filter.reads_body());
        filtered || self.steps.iter().any(|step| step.it.reads_body()) || self.end.it.reads_body()
    }

    /// Whether the sizes of records are asked for.
    pub(super) fn reads_size(&self) -> bool {
        let filtered = self.filter.as_ref().is_some_and(|filter| filter.reads_size());
        filtered || self.steps.iter().any(|step| step.it.reads_size()) || self.end.it.reads_size()
    }

    /// Whether an element is only asked of and counted, which is done in less time than its body is copied.
    pub(super) fn is_light(&self) -> bool {
        let light = |step: &Placed<PipelineStep>| matches!(step.it, PipelineStep::Filter(_) | PipelineStep::Limit(_));
        self.steps.iter().all(light) && matches!(self.end.it, End::Count | End::Reduce(_))
    }

    /// Whether the walk may end before all records are met.
    pub(super) fn may_end_early(&self) -> bool {
        self.steps
            .iter()
            .take_while(|step| !matches!(step.it, PipelineStep::Sort(..)))
            .any(|step| matches!(step.it, PipelineStep::Limit(_)))
    }
}

impl PipelineStep {
    const fn name(&self) -> &'static str {
        match self {
            Self::Filter(_) => "filter",
            Self::Map(_) => "map",
            Self::FlatMap(_) => "flatMap",
            Self::Distinct => "distinct",
            Self::Sort(..) => "sort",
            Self::Limit(_) => "limit",
        }
    }

    fn reads_body(&self) -> bool {
        match self {
            Self::Filter(filter) => filter.reads_body(),
            Self::Map(_) | Self::FlatMap(_) | Self::Distinct | Self::Sort(..) => true,
            Self::Limit(_) => false,
        }
    }

    fn reads_size(&self) -> bool {
        match self {
            Self::Filter(filter) => filter.reads_size(),
            Self::Sort(order, _) => order.reads_size(),
            Self::Map(rows) => rows.reads_size(),
            Self::FlatMap(_) | Self::Distinct | Self::Limit(_) => false,
        }
    }
}

impl End {
    const fn name(&self) -> Option<&'static str> {
        match self {
            Self::Elements => None,
            Self::Count => Some("count"),
            Self::Reduce(_) => Some("reduce"),
            Self::Group(_) => Some("groupBy"),
        }
    }

    fn reads_body(&self) -> bool {
        match self {
            Self::Elements => true,
            Self::Count => false,
            Self::Reduce(aggregates) | Self::Group(aggregates) => aggregates.reads_body(),
        }
    }

    fn reads_size(&self) -> bool {
        match self {
            Self::Reduce(aggregates) | Self::Group(aggregates) => aggregates.reads_size(),
            Self::Elements | Self::Count => false,
        }
    }
}
