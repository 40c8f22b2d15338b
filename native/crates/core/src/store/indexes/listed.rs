//! The indexes of a namespace on a cluster, as the cluster lists them: what each makes of a record, and what it is asked.
//!
//! A cluster can ask one column well, and two together badly. So all that is asked by equality is a number in one set of each
//! row, its terms, whichever index it is of; and each range index has a column of its own, whose numbers have the order of the
//! values. Both may bring records that do not pass, as every index may: a walk checks each.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_index::range::RangeBounds;
use tessera_index::{Index, IndexKind, IndexSpec, IndexState, MergeQueue, RangeKey};
use tessera_record::{BodyRef, ValueRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Columns of a row for range indexes, so that many of them a namespace can have.
pub const COLUMNS: usize = 8;

/// An index as the cluster lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteIndex {
    /// The version of the list that it came with. No other index of the namespace ever has it.
    pub id: u32,
    pub covers: Covers,
    pub state: RemoteIndexState,
    /// The version of the list that the state came with.
    pub since: u32,
    /// Of a range index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u8>,
    /// The process that builds it.
    pub builder: String,
    /// Records that have entries, when its build ended.
    #[serde(default)]
    pub records: u64,
}

/// What an index is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Covers {
    /// The records of a set.
    Set(String),
    /// What is in them.
    Values(IndexSpec),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemoteIndexState {
    /// Writes keep it, and nobody asks it.
    Building,
    Ready,
    /// Nobody begins to ask it. It goes from the list when nobody asks it any more.
    Dropped,
}

/// The list as this process knows it. Who writes goes by one list from the decision to the outcome.
#[derive(Debug, Default)]
pub struct RemoteIndexes {
    /// Grows with each change; 0: there never was an index.
    pub version: u32,
    list: Vec<Listed>,
    asked: Arc<()>,
}

#[derive(Clone, Debug)]
pub struct Listed {
    pub index: RemoteIndex,
    /// That of values, as queries know it.
    pub known: Option<Arc<Index>>,
}

/// What the indexes make of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Ascending, each once.
    pub terms: Vec<i32>,
    /// By column: `None` if no index has it, `Some(None)` if its index has nothing of the record.
    pub values: [Option<Option<i64>>; COLUMNS],
}

/// What a cluster is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// Rows that have this term.
    Term(i32),
    /// Rows whose column has a number from `low` to `high`.
    Values { column: u8, low: i64, high: i64 },
}

/// What a walk asks for: rows that any of these brings. While it is there, the indexes that it asks stay.
#[derive(Clone, Debug)]
pub struct Asks {
    pub any_of: Vec<Ask>,
    /// Rows, about.
    pub estimate: u64,
    _held: Arc<()>,
}

impl Covers {
    /// Whether it takes a column of its own.
    pub fn takes_column(&self) -> bool {
        matches!(self, Self::Values(spec) if spec.kind == IndexKind::Range)
    }
}

impl RemoteIndex {
    /// The name that the API gives it; that of a set for the index of a set.
    pub fn name(&self) -> &str {
        match &self.covers {
            Covers::Set(set) => set,
            Covers::Values(spec) => &spec.name,
        }
    }

    /// Whether it is over the records of a set.
    pub fn is_of_set(&self, set: &str) -> bool {
        matches!(&self.covers, Covers::Set(name) if name == set)
    }

    /// Whether its name is this, among those of values.
    pub fn is_named(&self, name: &str) -> bool {
        matches!(&self.covers, Covers::Values(spec) if spec.name == name)
    }

    fn term(&self, kept: u32) -> i32 {
        let hash = xxh3_64_with_seed(&kept.to_le_bytes(), self.id.into());
        ((hash >> 32) as u32).cast_signed()
    }
}

impl RemoteIndexes {
    /// `before`: what this process knew, whose indexes are kept.
    ///
    /// # Errors
    /// What `Index::new` returns of a definition that no index can have.
    pub fn new(version: u32, all: Vec<RemoteIndex>, before: &Self) -> Result<Self> {
        let list = all.into_iter().map(|index| {
            let old = before.list.iter().find(|listed| listed.index.id == index.id).and_then(|listed| listed.known.clone());
            let known = match (&index.covers, old) {
                (Covers::Set(_), _) => None,
                (Covers::Values(_), Some(old)) => Some(old),
                // What a cluster keeps is merged by nobody here.
                (Covers::Values(spec), None) => {
                    Some(Arc::new(Index::new(spec.clone(), IndexState::Building, 0, &Arc::new(MergeQueue::new(1)))?))
                }
            };
            match (&known, index.state) {
                (Some(known), RemoteIndexState::Ready) => known.set_state(IndexState::Ready),
                (Some(known), RemoteIndexState::Dropped) => known.set_state(IndexState::Failed),
                // A build that has failed is not taken for one that goes on.
                (Some(_), RemoteIndexState::Building) | (None, _) => {}
            }
            Ok(Listed { index, known })
        });
        Ok(Self { version, list: list.collect::<Result<_>>()?, asked: Arc::default() })
    }

    /// As the cluster lists them.
    pub fn listed(&self) -> impl Iterator<Item = &RemoteIndex> {
        self.list.iter().map(|listed| &listed.index)
    }

    /// Those of values that are not dropped, oldest first.
    pub(crate) fn of_values(&self) -> impl Iterator<Item = (&RemoteIndex, &Arc<Index>)> {
        let there = self.list.iter().filter(|listed| listed.index.state != RemoteIndexState::Dropped);
        there.filter_map(|listed| Some((&listed.index, listed.known.as_ref()?)))
    }

    /// That of a set, if it is not dropped.
    pub(crate) fn of_set(&self, set: &str) -> Option<&RemoteIndex> {
        self.listed().find(|index| index.state != RemoteIndexState::Dropped && index.is_of_set(set))
    }

    /// Something that is there as long as a walk asks by this list.
    pub fn asked(&self) -> &Arc<()> {
        &self.asked
    }

    pub(crate) fn asks(&self, any_of: Vec<Ask>, estimate: u64) -> Arc<Asks> {
        Arc::new(Asks { any_of, estimate, _held: self.asked.clone() })
    }

    /// What all indexes make of a record.
    pub fn entries(&self, set: &str, body: &[u8]) -> Entries {
        let (mut entries, body) = (Entries::default(), BodyRef::new(body));
        for listed in &self.list {
            listed.add_entries(set, body, &mut entries);
        }
        entries.tidy()
    }

    /// What is kept of a record that is not there.
    pub fn nothing(&self) -> Entries {
        let mut entries = Entries::default();
        for column in self.listed().filter_map(|index| index.column) {
            entries.values.get_mut(usize::from(column)).into_iter().for_each(|value| *value = Some(None));
        }
        entries
    }

    /// What one of them keeps of a record.
    pub fn entries_of(&self, id: u32, set: &str, body: &[u8]) -> Entries {
        let mut entries = Entries::default();
        let listed = self.list.iter().find(|listed| listed.index.id == id);
        listed.into_iter().for_each(|listed| listed.add_entries(set, BodyRef::new(body), &mut entries));
        entries.tidy()
    }
}

impl Entries {
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.values.iter().all(|value| value.flatten().is_none())
    }

    fn tidy(mut self) -> Self {
        self.terms.sort_unstable();
        self.terms.dedup();
        self
    }
}

impl Listed {
    fn add_entries(&self, set: &str, body: BodyRef<'_>, entries: &mut Entries) {
        let Self { index, known } = self;
        let Some(known) = known else {
            entries.terms.extend(index.is_of_set(set).then(|| index.term(0)));
            return;
        };
        let covered = known.covers(set);
        match known.spec().kind {
            IndexKind::Document if covered => known.each_term(body, &mut |kept| entries.terms.push(index.term(kept))),
            IndexKind::Document => {}
            IndexKind::Range => {
                let value = if covered { known.value(body).and_then(|value| number_of(&value)) } else { None };
                if let Some(place) = index.column.and_then(|column| entries.values.get_mut(usize::from(column))) {
                    *place = Some(value);
                }
            }
        }
    }
}

impl RemoteIndex {
    /// The rows of its set.
    pub(crate) fn ask_set(&self) -> Ask {
        Ask::Term(self.term(0))
    }

    /// The rows that have a term.
    pub(crate) fn ask_term(&self, kept: u32) -> Ask {
        Ask::Term(self.term(kept))
    }

    /// The rows that may have a value within bounds.
    ///
    /// # Errors
    /// `internal` for an index without a column.
    pub(crate) fn ask_bounds(&self, bounds: &RangeBounds) -> Result<Ask> {
        let missing = || Error::new(ErrorCode::Internal, format!("the range index {:?} has no column", self.name()));
        let keys = bounds.keys();
        Ok(Ask::Values { column: self.column.ok_or_else(missing)?, low: coarse(*keys.start()), high: coarse(*keys.end()) })
    }
}

/// What a column keeps of a value; `None` for what no range is of.
fn number_of(value: &ValueRef<'_>) -> Option<i64> {
    let only = RangeBounds::of(&[std::cmp::Ordering::Equal], value)?;
    Some(coarse(*RangeInclusive::start(&only.keys())))
}

/// 64 bits of a key, in its order: numbers without their last bit, then strings by their first 63 bits.
fn coarse(key: RangeKey) -> i64 {
    let ordered = match key {
        RangeKey::Number(bits) => bits >> 1,
        RangeKey::String(bytes) => {
            let first = bytes.first_chunk::<8>().map_or(0, |first| u64::from_be_bytes(*first));
            1 << 63 | first >> 1
        }
        RangeKey::Bytes | RangeKey::False | RangeKey::True => u64::MAX,
    };
    (ordered ^ 1 << 63).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;
    use tessera_record::sample;
    use tessera_record::{BodyBuilder, KeyRef};

    fn listed(id: u32, covers: Covers, column: Option<u8>) -> RemoteIndex {
        RemoteIndex { id, covers, state: RemoteIndexState::Building, since: id, column, builder: String::new(), records: 0 }
    }

    fn values(name: &str, set: Option<&str>, bin: &str, kind: IndexKind) -> Covers {
        let (name, set, bin) = (name.to_owned(), set.map(str::to_owned), Some(bin.to_owned()));
        Covers::Values(IndexSpec { name, set, bin, kind, path: None, created_at_ms: 0 })
    }

    fn body(json: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
        body.encoded_bin("b", &sample::encode(json)).unwrap();
        body.finish();
        bytes
    }

    #[test]
    fn each_index_has_terms_of_its_own_and_those_that_it_is_asked_for() {
        let all = vec![
            listed(1, Covers::Set("s".into()), None),
            listed(2, values("all", None, "b", IndexKind::Document), None),
            listed(3, values("of-t", Some("t"), "b", IndexKind::Document), None),
            listed(4, values("n", Some("s"), "b", IndexKind::Range), Some(5)),
        ];
        let indexes = RemoteIndexes::new(4, all, &RemoteIndexes::default()).unwrap();
        let (document, number) = (body(r#"{"a":1}"#), body("7"));
        let of = |set, body: &[u8]| indexes.entries(set, body);
        // The key and the value, of each index.
        let [s, t, other] = ["s", "t", "u"].map(|set| of(set, &document).terms);
        assert_eq!([s.len(), t.len(), other.len()], [3, 4, 2]);
        assert!(other.iter().all(|term| s.contains(term) && t.contains(term)));
        assert!(s.contains(&match indexes.of_set("s").unwrap().ask_set() {
            Ask::Term(term) => term,
            Ask::Values { .. } => 0,
        }));
        assert_eq!(of("s", &number).values[5], Some(number_of(&ValueRef::Int(7))));
        assert_eq!((of("t", &number).values[5], of("s", &document).values[5], of("s", &number).values[4]), (Some(None), Some(None), None));
        assert_eq!([1, 2, 3, 4].map(|id| !indexes.entries_of(id, "s", &number).is_empty()), [true, true, false, true]);
        assert_eq!([1, 2, 3, 4].map(|id| !indexes.entries_of(id, "t", &document).is_empty()), [false, true, true, false]);
    }

    #[test]
    fn a_list_keeps_what_this_process_knows_of_its_indexes() {
        let index = listed(2, values("a", None, "b", IndexKind::Document), None);
        let first = RemoteIndexes::new(2, vec![index.clone()], &RemoteIndexes::default()).unwrap();
        let known = |indexes: &RemoteIndexes| indexes.of_values().map(|(_, known)| known.clone()).next();
        known(&first).unwrap().set_job("7");
        let ready = RemoteIndex { state: RemoteIndexState::Ready, ..index.clone() };
        let second = RemoteIndexes::new(3, vec![ready], &first).unwrap();
        let found = known(&second).unwrap();
        assert_eq!((found.job().as_deref(), found.state()), (Some("7"), IndexState::Ready));
        let dropped = RemoteIndex { state: RemoteIndexState::Dropped, ..index };
        let third = RemoteIndexes::new(4, vec![dropped], &second).unwrap();
        assert!(known(&third).is_none() && found.state() == IndexState::Failed);
        // Writes keep it until nobody asks it any more.
        assert_eq!(third.entries("", &body("1")).terms.len(), 1);
    }

    fn scalar() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<i64>().prop_map(|n| n.to_string()),
            (-1e300..1e300f64).prop_map(|n| format!("{n:?}")),
            "[a-c]{0,12}".prop_map(|text| format!("{text:?}")),
        ]
    }

    proptest! {
        #[test]
        fn what_a_column_keeps_has_the_order_of_the_values(one in scalar(), other in scalar()) {
            let (one, other) = (sample::encode(&one), sample::encode(&other));
            let (one, other) = (ValueRef::of(&one), ValueRef::of(&other));
            let (Some(a), Some(b)) = (number_of(&one), number_of(&other)) else { panic!("every scalar here has a number") };
            let index = listed(1, values("n", None, "b", IndexKind::Range), Some(0));
            for (orders, holds) in [([Ordering::Less, Ordering::Equal], a <= b), ([Ordering::Greater, Ordering::Equal], a >= b)] {
                let bounds = RangeBounds::of(&orders, &other).unwrap();
                let Ask::Values { low, high, .. } = index.ask_bounds(&bounds).unwrap() else { panic!("a range is asked for values") };
                // A value of another kind is in no range of this one.
                let same = matches!((&one, &other), (ValueRef::String(_), ValueRef::String(_)))
                    || !matches!(&one, ValueRef::String(_)) && !matches!(&other, ValueRef::String(_));
                // Beside those within there may be others close to the bounds.
                prop_assert!(!holds || !same || (low..=high).contains(&a));
                prop_assert!(same || !(low..=high).contains(&a));
            }
        }
    }
}
