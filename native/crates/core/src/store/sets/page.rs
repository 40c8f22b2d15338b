//! One page of the sets of a namespace: found by a part of their name, in an order, from a place on.
//!
//! A page looks at every set, and describes those alone that it shows. It holds at most twice the page, whatever the number of sets.

use super::list::SetInfo;
use crate::sets::SetEntry;
use crate::store::RecordStore;
use std::cmp::Ordering;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence, thread_guard};

/// Most sets of one page.
const MOST: usize = 5000;

/// What sets are ordered by; sets of equal size come by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetOrder {
    #[default]
    Name,
    Records,
    Bytes,
}

/// A place between two sets of an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetPlace {
    /// Records or bytes; 0 if the order is that of the names.
    pub size: u64,
    pub name: String,
}

/// Which sets, and in which order.
#[derive(Clone, Debug, Default)]
pub struct SetQuery {
    /// A part of the name, in either case. Empty: every set.
    pub part: String,
    /// What the name begins with. Empty: every set.
    pub start: String,
    /// Beginnings of names, one of which a set must have. `None`: every set.
    pub within: Option<Vec<String>>,
    pub order: SetOrder,
    pub descending: bool,
    /// Only sets behind this place.
    pub after: Option<SetPlace>,
    /// 1 to 5,000.
    pub limit: usize,
}

/// One page of sets.
#[derive(Clone, Debug)]
pub struct SetPage {
    pub sets: Vec<SetInfo>,
    /// Sets that were searched for, on all pages.
    pub matching: u64,
    /// What all of those hold together.
    pub records: u64,
    pub bytes: u64,
    /// Behind the last set; `None` on the last page.
    pub next: Option<SetPlace>,
}

/// A set, with the size that it had when it was met.
struct Met {
    size: u64,
    set: Arc<SetEntry>,
}

impl SetQuery {
    fn wants(&self, name: &str) -> bool {
        let within = |starts: &Vec<String>| starts.iter().any(|start| name.starts_with(&**start));
        name.starts_with(&*self.start) && self.within.as_ref().is_none_or(within) && has_part(name.as_bytes(), self.part.as_bytes())
    }

    fn size(&self, set: &SetEntry) -> u64 {
        match self.order {
            SetOrder::Name => 0,
            SetOrder::Records => set.records(),
            SetOrder::Bytes => set.bytes(),
        }
    }

    fn compare(&self, (size, name): (u64, &str), other: (u64, &str)) -> Ordering {
        let turned = |order: Ordering| if self.descending { order.reverse() } else { order };
        match self.order {
            SetOrder::Name => turned(name.cmp(other.1)),
            _ => turned(size.cmp(&other.0)).then_with(|| name.cmp(other.1)),
        }
    }

    fn compare_met(&self, a: &Met, b: &Met) -> Ordering {
        self.compare((a.size, &a.set.name), (b.size, &b.set.name))
    }
}

impl RecordStore {
    /// # Errors
    /// `config_invalid` for the limit.
    pub fn set_page(&self, query: &SetQuery) -> Result<SetPage> {
        thread_guard::may_wait("walks all sets");
        if !(1..=MOST).contains(&query.limit) {
            return Err(Error::said(
                ErrorCode::ConfigInvalid,
                sentence!("limit must be 1 to {most}, got {given}", most = MOST, given = query.limit),
            )
            .in_field("limit"));
        }
        self.learn_sets();
        let wanted = query.limit + 1;
        let mut met: Vec<Met> = Vec::new();
        let (mut matching, mut records, mut bytes) = (0, 0, 0);
        self.sets.visit(|set| {
            if !self.is_listed(set) || !query.wants(&set.name) {
                return;
            }
            matching += 1;
            records += set.records();
            bytes += set.bytes();
            let size = query.size(set);
            let behind = |place: &SetPlace| query.compare((size, &set.name), (place.size, &place.name)) == Ordering::Greater;
            if query.after.as_ref().is_none_or(behind) {
                met.push(Met { size, set: set.clone() });
            }
            if met.len() >= 2 * wanted {
                met.select_nth_unstable_by(wanted - 1, |a, b| query.compare_met(a, b));
                met.truncate(wanted);
            }
        });
        met.sort_unstable_by(|a, b| query.compare_met(a, b));
        let more = met.len() > query.limit;
        met.truncate(query.limit);
        let next = met.last().filter(|_| more).map(|Met { size, set }| SetPlace { size: *size, name: set.name.to_string() });
        Ok(SetPage { sets: met.iter().map(|met| self.describe_set(&met.set)).collect(), matching, records, bytes, next })
    }

    /// One set.
    ///
    /// # Errors
    /// `set_not_found`.
    pub fn set(&self, name: &str) -> Result<SetInfo> {
        self.find_set(name).map(|set| self.describe_set(&set))
    }
}

/// Whether a name, of ASCII alone, has a part, in either case.
fn has_part(name: &[u8], part: &[u8]) -> bool {
    let Some((first, rest)) = part.split_first() else { return true };
    let Some(last) = name.len().checked_sub(part.len()) else { return false };
    (0..=last).any(|at| name[at].eq_ignore_ascii_case(first) && name[at + 1..at + part.len()].eq_ignore_ascii_case(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_in_either_case() {
        assert!(has_part(b"Events_2026", b"events"));
        assert!(has_part(b"events", b"TS"));
        assert!(has_part(b"events", b""));
        assert!(has_part(b"", b""));
        for (name, part) in [("events", "eventss"), ("", "e"), ("events", "ne")] {
            assert!(!has_part(name.as_bytes(), part.as_bytes()), "{name} {part}");
        }
    }
}
