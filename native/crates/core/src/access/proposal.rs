//! The slots that indexes propose to a query, segment by segment.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::Access;
use crate::segment::Segment;
use crate::store::RecordStore;
use tessera_index::document::Candidates;

/// Lookups are made ahead of the walk until they have proposed this many slots: a selective query then knows all of its
/// candidates before it decides how to run. The others are made by the workers, each for the segments that it takes.
const AHEAD: usize = 4096;
/// And for no longer than this: they are made on the thread of a caller.
const AHEAD_TIME: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub(crate) struct Proposal {
    access: Arc<Access>,
    /// By segment: what was looked up ahead.
    ahead: Vec<Option<Box<[u32]>>>,
    /// Where one segment holds all: what the first worker that came to it has looked up, for the others too; `None` when the indexes cannot say.
    whole: OnceLock<Option<Box<[u32]>>>,
    /// Whether segments were left to workers before there were slots enough: as one was locked for a change, as an index could not
    /// say, or as it took too long.
    left: bool,
}

/// What one walk has looked up itself: the slots of one segment.
#[derive(Debug, Default)]
pub(crate) struct LookedUp {
    segment: Option<u16>,
    slots: Vec<u32>,
}

impl Proposal {
    /// Looks up ahead in all segments but those that `skips` names, and waits for none: a segment
    /// that is locked for a change is left to a worker, and so are all where each may have many, as
    /// the one cell of a flat container has.
    pub(crate) fn new(store: &RecordStore, access: Arc<Access>, skips: impl Fn(usize) -> bool) -> Self {
        let many = access.estimate.slots / store.cells().len() as u64 > AHEAD as u64;
        let mut ahead = Vec::new();
        ahead.resize_with(store.cells().len(), || None);
        let (mut slots, mut total, mut left, begun) = (Vec::new(), 0, false, Instant::now());
        for (id, known) in ahead.iter_mut().enumerate() {
            if skips(id) {
                *known = Some(Box::default());
                continue;
            }
            if total > AHEAD {
                continue;
            }
            let segment = if !many && begun.elapsed() < AHEAD_TIME { store.cells()[id].try_read() } else { None };
            let found = segment.is_some_and(|segment| access.candidates(&segment, &mut slots) == Candidates::Slots);
            if found {
                total += slots.len();
                *known = Some(slots.as_slice().into());
            } else {
                left = true;
            }
        }
        Self { access, ahead, whole: OnceLock::new(), left }
    }

    /// As `new`, with nothing looked up ahead: for what may never be walked.
    pub(crate) fn later(store: &RecordStore, access: Arc<Access>) -> Self {
        let mut ahead = Vec::new();
        ahead.resize_with(store.cells().len(), || None);
        Self { access, ahead, whole: OnceLock::new(), left: true }
    }

    /// How many slots are proposed, if all was looked up ahead.
    pub(crate) fn total(&self) -> Option<u64> {
        self.ahead.iter().map(|known| known.as_ref().map(|slots| slots.len() as u64)).sum()
    }

    /// How many slots are proposed by what was looked up ahead.
    pub(crate) fn known(&self) -> u64 {
        self.ahead.iter().flatten().map(|slots| slots.len() as u64).sum()
    }

    /// Whether a walk may take longer than it looks, or has to wait: not on the thread of a caller.
    pub(crate) const fn may_wait(&self) -> bool {
        self.left
    }

    /// Whether nothing is proposed in a segment.
    pub(crate) fn skips(&self, segment: usize) -> bool {
        self.ahead.get(segment).is_some_and(|known| known.as_ref().is_some_and(|slots| slots.is_empty()))
    }

    /// The proposed slots of a segment, ascending; `None` when the indexes cannot say.
    pub(crate) fn slots<'a>(&'a self, segment: &Segment, from: u32, own: &'a mut LookedUp) -> Option<&'a [u32]> {
        if let Some(Some(known)) = self.ahead.get(usize::from(segment.id())) {
            return Some(known);
        }
        if self.ahead.len() == 1 {
            let look_up = || {
                let mut slots = Vec::new();
                (self.access.candidates(segment, &mut slots) != Candidates::All).then(|| slots.into_boxed_slice())
            };
            return self.whole.get_or_init(look_up).as_deref();
        }
        if own.segment != Some(segment.id()) || from == 0 {
            own.segment = None;
            if self.access.candidates(segment, &mut own.slots) == Candidates::All {
                return None;
            }
            own.segment = Some(segment.id());
        }
        Some(&own.slots)
    }
}
