//! The records that a scan visits.

use super::prefilter::Prefilter;
use super::scan_plan::ScanMethod;
use super::spec::UseIndex;
use crate::access::{Proposal, RangeOrder};
use crate::ownership::SegmentSet;
use crate::segment::Marks;
use crate::sets::{SetEntry, SetIndexState};
use crate::store::remote::Asks;
use crate::store::{Following, RecordStore};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::Digest;

/// The records that a scan visits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// `None`: every set.
    pub(crate) set: Option<Arc<SetEntry>>,
    pub(crate) use_index: bool,
    /// The one segment that is visited, if not all are.
    pub(crate) only: Option<u16>,
    /// The segments whose records are visited; `None`: all.
    pub(crate) segments: Option<Arc<SegmentSet>>,
    /// Whether one cell holds the records of all segments, so that each record is to be asked for its own.
    pub(crate) flat: bool,
    /// The slots that a document or range index proposes, if one is used.
    pub(crate) proposal: Option<Arc<Proposal>>,
    /// What a cluster is asked for, if not for all rows.
    pub(crate) asks: Option<Arc<Asks>>,
    /// The range index whose order is walked first, if one is.
    pub(crate) order: Option<Arc<RangeOrder>>,
    /// Whether the stored blocks are read one behind the other.
    pub(crate) sequential: bool,
    /// What passes over records before their bodies are read, if anything does.
    pub(crate) prefilter: Option<Arc<Prefilter>>,
    /// Whether the sizes of records are asked for.
    pub(crate) sizes: bool,
    /// Whether bodies in memory are copied: what is made of them takes longer than a lock may be held.
    pub(crate) copies: bool,
    /// Whether no more than the beginnings of large bodies is likely to be looked at where they are in memory.
    pub(crate) glances: bool,
}

impl Selection {
    /// Whether an index finds the records.
    pub(in crate::scan) fn finds(&self) -> bool {
        self.use_index || self.proposal.is_some() || self.asks.is_some()
    }

    /// Whether a segment has nothing to visit; false when that takes a look to know.
    pub(crate) fn skips(&self, segment: usize) -> bool {
        let wanted = self.segments.as_ref().is_none_or(|segments| self.flat || segments.has(segment as u16));
        let elsewhere = !wanted || self.only.is_some_and(|only| usize::from(only) != segment);
        let nothing = self.use_index && self.set.as_ref().is_some_and(|set| !set.presence().has(segment));
        elsewhere || nothing || self.proposal.as_ref().is_some_and(|proposal| proposal.skips(segment))
    }

    /// Whether a record that is in a cell that is not skipped may be of another segment.
    pub(crate) fn asks_records(&self) -> bool {
        self.flat && self.segments.is_some()
    }

    /// Whether a record of a cell is of the segments wanted, of so many.
    #[inline]
    pub(in crate::scan) fn wants(&self, cell: u16, digest: &Digest, segments: u32) -> bool {
        let Some(wanted) = &self.segments else { return true };
        wanted.has(if self.flat { digest.segment(segments) } else { cell })
    }

    /// About how many of so many records are in the segments wanted, of so many.
    pub(crate) fn part_of(&self, records: u64, segments: u32) -> u64 {
        let Some(wanted) = &self.segments else { return records };
        (records as f64 * f64::from(wanted.len()) / f64::from(segments)).round() as u64
    }

    /// Whether what a walk meets may go from segment to segment.
    pub(in crate::scan) fn may_move(&self, store: &RecordStore) -> bool {
        let move_about = self.set.as_ref().map_or_else(|| store.any_distributed(), |set| set.distribution.is_some());
        move_about && self.only.is_none()
    }

    /// For a walk through all of the selection, if what it meets may move from segment to segment.
    pub(in crate::scan) fn follow_moves(&self, store: &RecordStore, marks: Option<Arc<Marks>>) -> Option<Following> {
        self.may_move(store).then(|| store.follow_moves(marks))
    }

    pub(super) fn method(&self) -> ScanMethod {
        match &self.set {
            _ if self.sequential => ScanMethod::DeviceSequential,
            None => ScanMethod::All,
            Some(_) if self.use_index => ScanMethod::SetIndex,
            Some(_) => ScanMethod::SetColumn,
        }
    }
}

/// # Errors
/// `set_not_found`; `index_not_found` when an index is forced that is off.
pub(crate) fn select(store: &RecordStore, set: Option<&str>, use_index: UseIndex) -> Result<Selection> {
    let Some(name) = set else { return Ok(Selection { flat: store.is_flat(), ..Selection::default() }) };
    let set = store.find_set(name)?;
    let state = store.set_index_state(&set);
    let ready = state == SetIndexState::On;
    if use_index == UseIndex::Force && !ready {
        let why = if state == SetIndexState::Off {
            sentence!("the index of the set \"{name}\" is off", name = name)
        } else {
            sentence!("the index of the set \"{name}\" is still being built", name = name)
        };
        return Err(Error::said(ErrorCode::IndexNotFound, why).in_field("useIndex"));
    }
    Ok(Selection { use_index: ready && use_index != UseIndex::Never, set: Some(set), flat: store.is_flat(), ..Selection::default() })
}
