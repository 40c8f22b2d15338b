//! The slots that an index proposes to a query, segment by segment.

use super::lookup::Lookup;
use crate::index::document::Candidates;
use crate::namespace::Namespace;
use crate::segment::Segment;

/// Lookups are made ahead of the walk until they have proposed this many slots: a selective query then knows all of its
/// candidates before it decides how to run.
const AHEAD: usize = 4096;

#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) lookup: Lookup,
    /// By segment: what was looked up ahead.
    ahead: Vec<Option<Box<[u32]>>>,
}

/// What one walk has looked up itself: the slots of one segment.
#[derive(Debug, Default)]
pub(crate) struct LookedUp {
    segment: Option<u16>,
    slots: Vec<u32>,
}

impl Proposal {
    /// Looks up ahead, in one segment or in all.
    pub(crate) fn new(namespace: &Namespace, lookup: Lookup, only: Option<u16>) -> Self {
        let mut ahead = Vec::new();
        ahead.resize_with(namespace.cells().len(), || None);
        let (mut slots, mut total) = (Vec::new(), 0);
        for (id, known) in ahead.iter_mut().enumerate() {
            if only.is_some_and(|only| usize::from(only) != id) {
                *known = Some(Box::default());
                continue;
            }
            if total > AHEAD || lookup.candidates(&namespace.cells()[id].read(), &mut slots) == Candidates::All {
                continue;
            }
            total += slots.len();
            *known = Some(slots.as_slice().into());
        }
        Self { lookup, ahead }
    }

    /// How many slots are proposed, if all was looked up ahead.
    pub(crate) fn total(&self) -> Option<u64> {
        self.ahead.iter().map(|known| known.as_ref().map(|slots| slots.len() as u64)).sum()
    }

    /// Whether nothing is proposed in a segment.
    pub(crate) fn skips(&self, segment: usize) -> bool {
        self.ahead.get(segment).is_some_and(|known| known.as_ref().is_some_and(|slots| slots.is_empty()))
    }

    /// The proposed slots of a segment, ascending; `None` when the index cannot say.
    pub(crate) fn slots<'a>(&'a self, segment: &Segment, from: u32, own: &'a mut LookedUp) -> Option<&'a [u32]> {
        if let Some(Some(known)) = self.ahead.get(usize::from(segment.id())) {
            return Some(known);
        }
        if own.segment != Some(segment.id()) || from == 0 {
            own.segment = None;
            if self.lookup.candidates(segment, &mut own.slots) == Candidates::All {
                return None;
            }
            own.segment = Some(segment.id());
        }
        Some(&own.slots)
    }
}
