//! The indexes of a stand-in: a list, and what each record has of them since it was written, or indexed by a build.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tessera_base::{Error, ErrorCode, Result};
use tessera_core::store::remote::{Ask, COLUMNS, Covers, Entries, RemoteIndex, RemoteIndexState, RemoteIndexes};
use tessera_record::Digest;

#[derive(Debug, Default)]
pub struct Indexes {
    known: Mutex<Arc<RemoteIndexes>>,
    entries: Mutex<HashMap<Digest, (u32, Entries)>>,
    /// Process that builds, for the others.
    pub me: AtomicUsize,
    /// What was probed since.
    pub probed: Mutex<Vec<Ask>>,
    /// Whether the server that builds an index is not taken for gone yet.
    pub builder_is_there: AtomicBool,
    /// Whether another server has not learned of an index yet.
    pub other_is_late: AtomicBool,
}

impl Indexes {
    pub fn known(&self) -> Arc<RemoteIndexes> {
        self.known.lock().unwrap().clone()
    }

    fn me(&self) -> String {
        self.me.load(Ordering::SeqCst).to_string()
    }

    fn change<T>(&self, change: impl FnOnce(u32, &mut Vec<RemoteIndex>) -> Result<T>) -> Result<T> {
        let mut known = self.known.lock().unwrap();
        let (version, mut all) = (known.version + 1, known.listed().cloned().collect::<Vec<_>>());
        let outcome = change(version, &mut all)?;
        *known = Arc::new(RemoteIndexes::new(version, all, &known)?);
        Ok(outcome)
    }

    /// Another process has the namespace now; it knows nothing of what this one did.
    pub fn restart(&self) {
        self.me.fetch_add(1, Ordering::SeqCst);
        let known = self.known();
        let all = known.listed().cloned().collect();
        *self.known.lock().unwrap() = Arc::new(RemoteIndexes::new(known.version, all, &RemoteIndexes::default()).unwrap());
    }

    pub fn add(&self, covers: &Covers) -> Result<RemoteIndex> {
        let builder = self.me();
        self.change(|id, all| {
            let index =
                RemoteIndex { id, covers: covers.clone(), state: RemoteIndexState::Building, since: id, column: None, builder, records: 0 };
            if all.iter().any(|other| other.state != RemoteIndexState::Dropped && other.name() == index.name()) {
                return Err(Error::new(ErrorCode::IndexExists, "it is there").in_field("name"));
            }
            let taken = |column: u8| all.iter().any(|other| other.column == Some(column));
            let column = covers.takes_column().then(|| (0..COLUMNS as u8).find(|column| !taken(*column)).unwrap());
            let index = RemoteIndex { column, ..index };
            all.push(index.clone());
            Ok(index)
        })
    }

    pub fn take_over(&self) -> Result<Option<RemoteIndex>> {
        let me = self.me();
        self.change(|_, all| {
            let left = all.iter_mut().find(|index| index.state == RemoteIndexState::Building && index.builder != me);
            Ok(left.map(|index| {
                index.builder.clone_from(&me);
                index.clone()
            }))
        })
    }

    pub fn set_state(&self, id: u32, state: RemoteIndexState, records: u64) -> Result<bool> {
        self.change(|since, all| {
            let found = all.iter_mut().find(|index| index.id == id && index.state != RemoteIndexState::Dropped);
            let Some(index) = found else { return Ok(false) };
            *index = RemoteIndex { state, since, records, ..index.clone() };
            Ok(true)
        })
    }

    /// A record is written.
    pub fn write(&self, set: &str, digest: &Digest, body: Option<&[u8]>) {
        let (list, mut entries) = (self.known(), self.entries.lock().unwrap());
        match body {
            Some(body) => drop(entries.insert(*digest, (list.version, list.entries(set, body)))),
            None => drop(entries.remove(digest)),
        }
    }

    /// A build has come to a record. Whether it has entries of the index.
    pub fn build(&self, id: u32, set: &str, digest: &Digest, body: &[u8]) -> bool {
        let listed = self.entries.lock().unwrap().get(digest).map_or(0, |(listed, _)| *listed);
        if listed < id {
            self.write(set, digest, Some(body));
        }
        !self.known().entries_of(id, set, body).is_empty()
    }

    pub fn brings(&self, ask: &Ask, digest: &Digest) -> bool {
        let entries = self.entries.lock().unwrap();
        let Some((_, Entries { terms, values })) = entries.get(digest) else { return false };
        match ask {
            Ask::Term(term) => terms.contains(term),
            Ask::Values { column, low, high } => {
                values[usize::from(*column)].flatten().is_some_and(|value| (*low..=*high).contains(&value))
            }
        }
    }

    pub fn probe(&self, asks: &[Ask]) -> Vec<u64> {
        self.probed.lock().unwrap().extend(asks);
        let digests: Vec<Digest> = self.entries.lock().unwrap().keys().copied().collect();
        asks.iter().map(|ask| digests.iter().filter(|digest| self.brings(ask, digest)).count() as u64).collect()
    }
}
