//! A stand-in for a cluster in this process, and a namespace whose records it keeps.

mod indexes;

pub use indexes::Indexes;

use crate::bodies::body;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, clock};
use tessera_core::config::CassandraConfig;
use tessera_core::store::remote::{
    Ask, Asked, Asks, ClusterView, Covers, Estimates, FoundRecord, Health, Limits, Marks, MetSet, Origin, Outcomes, Part, Remote,
    RemoteIndex, RemoteIndexState, RemoteIndexes, RemotePages, RemoteReads, RemoteRecord, RemoteSet, RemoteWrite, Remotes, WriteOf,
};
use tessera_core::store::rules::{Rules, check_generation};
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions, Written};
use tessera_record::filter::Whole;
use tessera_record::{BodyRef, Digest, KeyRef, Meta, Value};

type Kept = Mutex<HashMap<Digest, (String, Meta, Vec<u8>)>>;

/// A cluster that may be away.
#[derive(Debug, Default)]
pub struct StandIn {
    pub kept: Arc<Kept>,
    pub away: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
    pub taken_back: Arc<AtomicBool>,
    /// Whether no other server may write.
    pub reserved: Arc<AtomicBool>,
    /// Whether the records are a copy that is being filled.
    pub filled: Arc<AtomicBool>,
    /// Whether the place of the records is missing.
    pub gone: AtomicBool,
    /// Whether a write is answered as uncertain, and comes into force when it catches up.
    pub late: Arc<AtomicBool>,
    waiting: Arc<Kept>,
    pub paging: Arc<Paging>,
    pub sets: Arc<Sets>,
    pub indexes: Arc<Indexes>,
}

struct Records {
    kept: Arc<Kept>,
    away: Arc<AtomicBool>,
    taken_back: Arc<AtomicBool>,
    reserved: Arc<AtomicBool>,
    filled: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
    waiting: Arc<Kept>,
    paging: Arc<Paging>,
    sets: Arc<Sets>,
    indexes: Arc<Indexes>,
}

impl StandIn {
    /// Lets the writes come into force that are late.
    pub fn catch_up(&self) {
        self.kept.lock().unwrap().extend(self.waiting.lock().unwrap().drain());
    }

    /// Whether a write is late.
    pub fn is_waited_for(&self) -> bool {
        !self.waiting.lock().unwrap().is_empty()
    }
}

/// What it knows of sets.
#[derive(Debug, Default)]
pub struct Sets {
    named: Mutex<BTreeSet<String>>,
    /// By how many records an estimate is wrong.
    pub wrong: Mutex<BTreeMap<String, i64>>,
    /// What walks have met.
    pub met: Mutex<Vec<Vec<MetSet>>>,
    /// What truncations have hidden and nobody has removed.
    pub hidden: Mutex<Vec<Digest>>,
    pub closed: AtomicBool,
    /// Batches of writes.
    pub batches: AtomicUsize,
    /// Writes to a copy.
    pub fills: AtomicUsize,
}

/// How pages come.
#[derive(Default)]
pub struct Paging {
    /// Rows of a page at most; 0: as many as are asked for.
    pub rows: AtomicUsize,
    /// Most rows that were asked for at once.
    pub asked: AtomicUsize,
    /// Walks that have begun.
    pub begun: AtomicUsize,
    /// Pages that were read while there was a `before`.
    pub read: AtomicUsize,
    /// Records that were read in turn.
    pub in_turn: AtomicUsize,
    /// Records that were read one by one.
    pub single: AtomicUsize,
    /// Called before each page with its number.
    pub before: Mutex<Option<Arc<Before>>>,
    /// Records that cannot be read.
    pub damaged: Mutex<HashSet<Digest>>,
}

type Before = dyn Fn(usize) -> Result<()> + Send + Sync;

impl std::fmt::Debug for Paging {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paging").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Paging {
    pub fn before(&self, before: impl Fn(usize) -> Result<()> + Send + Sync + 'static) {
        *self.before.lock().unwrap() = Some(Arc::new(before));
    }
}

const RANGES: usize = 8;

struct Pages<'a> {
    records: &'a Records,
    part: Part,
    bodies: bool,
    asks: Option<Arc<Asks>>,
    behind: Option<(u8, Digest)>,
    over: bool,
}

struct Reads<'a>(&'a Records, VecDeque<(u64, Result<FoundRecord>)>);

fn answers(away: &AtomicBool) -> Result<()> {
    if away.load(Ordering::SeqCst) { Err(Error::new(ErrorCode::ClusterUnavailable, "no node answers")) } else { Ok(()) }
}

impl Remotes for StandIn {
    fn open(&self, asked: &Asked<'_>) -> Result<Arc<dyn Remote>> {
        assert_eq!((asked.namespace, asked.cassandra.cluster.as_str()), ("far", "prod"));
        self.asked.fetch_add(1, Ordering::SeqCst);
        answers(&self.away)?;
        let Self { kept, away, taken_back, reserved, paging, sets, indexes, .. } = self;
        let (kept, away, taken_back, reserved) = (kept.clone(), away.clone(), taken_back.clone(), reserved.clone());
        let (paging, sets, indexes) = (paging.clone(), sets.clone(), indexes.clone());
        let (filled, late, waiting) = (self.filled.clone(), self.late.clone(), self.waiting.clone());
        if asked.origin == Origin::There && self.gone.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorCode::DataFileMissing, "there is no keyspace"));
        }
        if asked.origin == Origin::Copy {
            self.gone.store(false, Ordering::SeqCst);
            filled.store(true, Ordering::SeqCst);
            reserved.store(true, Ordering::SeqCst);
        }
        Ok(Arc::new(Records { kept, away, taken_back, reserved, filled, late, waiting, paging, sets, indexes }))
    }
}

impl Remote for Records {
    fn reads(&self) -> Box<dyn RemoteReads + '_> {
        Box::new(Reads(self, VecDeque::new()))
    }

    fn change(&self, set: &str, digest: &Digest, rules: &Rules<'_>, limits: Limits) -> Result<Written> {
        answers(&self.away)?;
        assert!(!self.fills(), "a copy decides nothing");
        let mut kept = self.kept.lock().unwrap();
        let old = kept.get(digest).filter(|(_, meta, _)| !meta.expired(clock::unix_seconds()));
        let meta = old.map(|(_, meta, _)| meta);
        rules.allow(meta)?;
        let whole = old.map(|(set, meta, body)| Whole {
            set,
            digest: *digest,
            meta: *meta,
            size: self.size_of(set, body.len()),
            body: BodyRef::new(body),
        });
        let made = rules.body(whole.as_ref(), limits.max_record_bytes)?.map(|body| body.into_owned());
        self.create_set(set)?;
        let next = rules.next_meta(meta, clock::unix_millis(), limits.default_ttl);
        let written = Written { digest: *digest, meta: next, created: old.is_none() && made.is_some(), removed: made.is_none() };
        if self.late.load(Ordering::SeqCst) {
            self.waiting.lock().unwrap().extend(made.map(|body| (*digest, (set.to_owned(), next, body))));
            return Err(Error::new(ErrorCode::WriteUncertain, "no answer came"));
        }
        self.indexes.write(set, digest, made.as_deref());
        match made {
            Some(body) => drop(kept.insert(*digest, (set.to_owned(), next, body))),
            None => drop(kept.remove(digest)),
        }
        Ok(written)
    }

    fn delete(&self, _set: &str, digest: &Digest, allow: &dyn Fn(&Meta) -> Result<()>) -> Result<bool> {
        answers(&self.away)?;
        assert!(!self.fills(), "a copy decides nothing");
        let mut kept = self.kept.lock().unwrap();
        let Some((_, meta, _)) = kept.get(digest) else { return Ok(false) };
        allow(meta)?;
        kept.remove(digest);
        self.indexes.write("", digest, None);
        Ok(true)
    }

    fn read_in_turn(&self, digest: &Digest) -> Result<FoundRecord> {
        answers(&self.away)?;
        self.paging.in_turn.fetch_add(1, Ordering::SeqCst);
        let found = self.kept.lock().unwrap().get(digest).map(|(_, meta, body)| (*meta, body.clone()));
        Ok(found.filter(|(meta, _)| !meta.expired(clock::unix_seconds())))
    }

    fn reserve(&self, wait: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        answers(&self.away)?;
        self.reserved.store(true, Ordering::SeqCst);
        wait()
    }

    fn release(&self) -> Result<()> {
        answers(&self.away)?;
        self.reserved.store(false, Ordering::SeqCst);
        self.filled.store(false, Ordering::SeqCst);
        Ok(())
    }

    fn fills(&self) -> bool {
        self.filled.load(Ordering::SeqCst)
    }

    fn fill(&self, set: &str, digest: &Digest, record: Option<(Meta, &[u8])>) -> Result<()> {
        answers(&self.away)?;
        assert!(self.fills() && self.reserved.load(Ordering::SeqCst), "others may write");
        if self.late.load(Ordering::SeqCst) {
            self.waiting.lock().unwrap().extend(record.map(|(meta, body)| (*digest, (set.to_owned(), meta, body.to_vec()))));
            return Err(Error::new(ErrorCode::ClusterUnavailable, "no answer came"));
        }
        // A later write of the record counts.
        self.waiting.lock().unwrap().remove(digest);
        self.sets.fills.fetch_add(1, Ordering::SeqCst);
        self.indexes.write(set, digest, record.map(|(_, body)| body));
        match record {
            Some((meta, body)) => {
                self.create_set(set)?;
                self.kept.lock().unwrap().insert(*digest, (set.to_owned(), meta, body.to_vec()));
            }
            None => drop(self.kept.lock().unwrap().remove(digest)),
        }
        Ok(())
    }

    fn lead(&self, held: &[MetSet]) -> Result<()> {
        answers(&self.away)?;
        assert!(self.filled.swap(false, Ordering::SeqCst));
        self.sets.met.lock().unwrap().push(held.to_vec());
        Ok(())
    }

    fn write_many(&self, set: &str, writes: &[RemoteWrite<'_>], limits: Limits, each: &mut Outcomes<'_>) -> Result<()> {
        self.sets.batches.fetch_add(1, Ordering::SeqCst);
        let mut of: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
        writes.iter().enumerate().for_each(|(at, write)| of.entry(write.digest).or_default().push(at));
        // Records in any order; the writes of one in theirs.
        for at in of.into_values().flatten() {
            let digest = writes[at].digest;
            each(
                at,
                match &writes[at].what {
                    WriteOf::Change(rules) => self.change(set, &digest, rules, limits),
                    WriteOf::Delete(options) => self
                        .delete(set, &digest, &|meta| check_generation(meta.generation, options))
                        .map(|removed| Written { digest, meta: Meta::default(), created: false, removed }),
                },
            )?;
        }
        Ok(())
    }

    fn ranges(&self) -> usize {
        RANGES
    }

    fn begin_walk(&self) -> Result<()> {
        self.paging.begun.fetch_add(1, Ordering::SeqCst);
        answers(&self.away)
    }

    fn pages(&self, part: Part, bodies: bool, asks: Option<Arc<Asks>>) -> Box<dyn RemotePages + '_> {
        Box::new(Pages { records: self, part, bodies, asks, behind: None, over: false })
    }

    fn walk(&self, range: usize, bodies: bool) -> Box<dyn RemotePages + '_> {
        self.pages(Part::Range { at: range, of: RANGES }, bodies, None)
    }

    fn probe(&self, asks: &[Ask]) -> Result<Vec<u64>> {
        answers(&self.away)?;
        Ok(self.indexes.probe(asks))
    }

    fn indexes(&self) -> Arc<RemoteIndexes> {
        self.indexes.known()
    }

    fn list_index(&self, covers: &Covers) -> Result<RemoteIndex> {
        answers(&self.away)?;
        self.indexes.add(covers)
    }

    fn take_over_build(&self) -> Result<Option<RemoteIndex>> {
        answers(&self.away)?;
        if self.indexes.builder_is_there.load(Ordering::SeqCst) {
            return Ok(None);
        }
        self.indexes.take_over()
    }

    fn await_writers(&self, id: u32, wait: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        assert!(self.indexes.known().listed().any(|index| index.id == id));
        while self.indexes.other_is_late.load(Ordering::SeqCst) {
            wait()?;
        }
        answers(&self.away)
    }

    fn build_index(&self, id: u32, range: usize, met: &mut dyn FnMut(&RemoteRecord<'_>, bool) -> Result<()>) -> Result<()> {
        let before = self.paging.before.lock().unwrap().clone();
        before.map_or(Ok(()), |before| before(self.paging.read.fetch_add(1, Ordering::SeqCst)))?;
        answers(&self.away)?;
        let kept = self.kept.lock().unwrap().clone();
        for (digest, (set, meta, body)) in kept.iter().filter(|(digest, _)| range_of(token(digest), RANGES) == range) {
            let has_entries = self.indexes.build(id, set, digest, body);
            met(&RemoteRecord { digest: *digest, set, meta: Ok(*meta), body: &[] }, has_entries)?;
        }
        Ok(())
    }

    fn note_built(&self, id: u32, records: u64) -> Result<()> {
        answers(&self.away)?;
        let built = self.indexes.set_state(id, RemoteIndexState::Ready, records)?;
        if built { Ok(()) } else { Err(Error::new(ErrorCode::IndexNotFound, "it was dropped")) }
    }

    fn drop_index(&self, id: u32) -> Result<bool> {
        answers(&self.away)?;
        self.indexes.set_state(id, RemoteIndexState::Dropped, 0)
    }

    fn sets(&self) -> Vec<RemoteSet> {
        let of = |name: &String| RemoteSet { name: name.clone(), records: 0, bytes: 0 };
        let mut sets: BTreeMap<String, RemoteSet> = self.sets.named.lock().unwrap().iter().map(|name| (name.clone(), of(name))).collect();
        for (set, _, body) in self.kept.lock().unwrap().values() {
            let known = sets.entry(set.clone()).or_insert_with(|| of(set));
            known.records += 1;
            known.bytes += self.size_of(set, body.len());
        }
        for (name, wrong) in &*self.sets.wrong.lock().unwrap() {
            let known = sets.entry(name.clone()).or_insert_with(|| of(name));
            known.records = known.records.saturating_add_signed(*wrong);
        }
        sets.into_values().collect()
    }

    fn set(&self, name: &str) -> Option<RemoteSet> {
        self.sets().into_iter().find(|set| set.name == name)
    }

    fn held(&self) -> (u64, u64) {
        self.sets().iter().fold((0, 0), |(records, bytes), set| (records + set.records, bytes + set.bytes))
    }

    fn create_set(&self, name: &str) -> Result<()> {
        answers(&self.away)?;
        if !name.is_empty() {
            self.sets.named.lock().unwrap().insert(name.to_owned());
        }
        Ok(())
    }

    fn estimates(&self) -> Estimates {
        let of = |set: RemoteSet| (set.name, (set.records as i64, set.bytes as i64));
        Estimates { sets: self.sets().into_iter().map(of).collect(), corrections: 0 }
    }

    fn correct(&self, before: &Estimates, met: &[MetSet]) -> Result<()> {
        assert!(before.sets.len() <= self.sets().len());
        self.sets.wrong.lock().unwrap().clear();
        let mut met = met.to_vec();
        met.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        self.sets.met.lock().unwrap().push(met);
        Ok(())
    }

    fn truncate(&self, set: Option<&str>, before: Option<u64>) -> Result<u64> {
        answers(&self.away)?;
        let gone = |name: &str, meta: &Meta| set.is_none_or(|set| set == name) && before.is_none_or(|before| meta.updated_at < before);
        let mut kept = self.kept.lock().unwrap();
        let hidden = kept.extract_if(|_, (name, meta, _)| gone(name, meta)).map(|(digest, _)| digest);
        self.sets.hidden.lock().unwrap().extend(hidden);
        Ok(before.unwrap_or_else(|| clock::unix_millis() + 1))
    }

    fn has_to_sweep(&self) -> bool {
        !self.fills() && !self.sets.hidden.lock().unwrap().is_empty()
    }

    fn unswept(&self) -> Marks {
        Marks::from([("*".to_owned(), 1)])
    }

    fn sweep(&self, range: usize, removed: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let before = self.paging.before.lock().unwrap().clone();
        before.map_or(Ok(()), |before| before(self.paging.read.fetch_add(1, Ordering::SeqCst)))?;
        answers(&self.away)?;
        let swept = self.sets.hidden.lock().unwrap().extract_if(.., |digest| range_of(token(digest), RANGES) == range).count();
        (0..swept).try_for_each(|_| removed())
    }

    fn note_swept(&self, marks: &Marks) -> Result<()> {
        assert_eq!(marks, &self.unswept());
        Ok(())
    }

    fn close(&self) {
        self.sets.closed.store(true, Ordering::SeqCst);
    }

    fn size_of(&self, set: &str, body: usize) -> u64 {
        (set.len() + body) as u64
    }

    fn health(&self) -> Health {
        Health { name: "Stand-in".into(), keyspace: "ts_far".into(), nodes: vec![] }
    }

    fn view(&self) -> ClusterView {
        ClusterView { name: "Stand-in".into(), keyspace: "ts_far".into(), nodes: vec![], ranges: vec![], exact: true }
    }

    fn trouble(&self) -> Option<Error> {
        answers(&self.away).err()
    }

    fn take_back(&self) {
        self.taken_back.store(true, Ordering::SeqCst);
    }

    fn remove(&self) -> Result<()> {
        answers(&self.away)?;
        self.kept.lock().unwrap().clear();
        // What is on its way finds no place.
        self.waiting.lock().unwrap().clear();
        Ok(())
    }
}

impl RemoteReads for Reads<'_> {
    fn in_flight(&self) -> usize {
        self.1.len()
    }

    fn start(&mut self, digest: Digest, tag: u64) {
        self.0.paging.single.fetch_add(1, Ordering::SeqCst);
        let found = self.0.kept.lock().unwrap().get(&digest).map(|(_, meta, body)| (*meta, body.clone()));
        let found = found.filter(|(meta, _)| !meta.expired(clock::unix_seconds()));
        // Answers come in any order.
        self.1.push_front((tag, answers(&self.0.away).map(|()| found)));
    }

    fn wait_until(&mut self, _until: Instant) -> bool {
        !self.1.is_empty()
    }

    fn next(&mut self) -> Option<(u64, Result<FoundRecord>)> {
        self.1.pop_front()
    }
}

impl RemotePages for Pages<'_> {
    fn next(&mut self, most: usize, each: &mut dyn FnMut(&RemoteRecord<'_>) -> Result<ControlFlow<()>>) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        self.over = true;
        let Paging { rows, read, asked, before, damaged, .. } = &*self.records.paging;
        asked.fetch_max(most, Ordering::SeqCst);
        let before = before.lock().unwrap().clone();
        before.map_or(Ok(()), |before| before(read.fetch_add(1, Ordering::SeqCst)))?;
        answers(&self.records.away)?;
        let most = Some(rows.load(Ordering::SeqCst)).filter(|&rows| rows > 0).map_or(most, |rows| rows.min(most));
        let kept = self.records.kept.lock().unwrap();
        let mut page: Vec<_> = kept.iter().map(|(digest, record)| (token(digest), *digest, record.clone())).collect();
        drop(kept);
        let wanted = |token: u8, at: &Digest| match self.part {
            Part::All => true,
            Part::Range { at, of } => range_of(token, of) == at,
            Part::From(from) => (token, *at) >= (self::token(&from), from),
        };
        page.retain(|(token, digest, _)| wanted(*token, digest) && self.behind.is_none_or(|behind| (*token, *digest) > behind));
        let brings =
            |digest: &Digest| self.asks.as_ref().is_none_or(|asks| asks.any_of.iter().any(|ask| self.records.indexes.brings(ask, digest)));
        page.retain(|(_, digest, _)| brings(digest));
        page.sort_unstable_by_key(|(token, digest, _)| (*token, *digest));
        let more = page.len() > most;
        page.truncate(most);
        for (token, digest, (set, meta, body)) in page {
            self.behind = Some((token, digest));
            if meta.expired(clock::unix_seconds()) {
                continue;
            }
            let lost = damaged.lock().unwrap().contains(&digest);
            let meta = if lost { Err(Error::new(ErrorCode::RecordDamaged, "a column is missing")) } else { Ok(meta) };
            if each(&RemoteRecord { digest, set: &set, meta, body: if self.bodies { &body } else { &[] } })?.is_break() {
                return Ok(false);
            }
        }
        self.over = !more;
        Ok(more)
    }
}

/// So few that many records have the same.
fn token(digest: &Digest) -> u8 {
    digest.0[0] >> 4
}

fn range_of(token: u8, of: usize) -> usize {
    usize::from(token) * of / 16
}

pub fn config() -> NamespaceConfig {
    NamespaceConfig::cassandra("far", CassandraConfig::new("prod"))
}

pub fn options(cluster: &Arc<StandIn>) -> EngineOptions {
    EngineOptions { remotes: Some(cluster.clone()), ..EngineOptions::default() }
}

/// A new namespace, its engine, and what stands in for its cluster.
pub fn with(check: impl FnOnce(&Arc<Engine>, Arc<Namespace>, &Arc<StandIn>)) {
    let (directory, cluster) = (tempfile::tempdir().unwrap(), Arc::default());
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    let namespace = engine.create_namespace(config()).unwrap();
    check(&engine, namespace, &cluster);
    engine.close().unwrap();
}

pub fn n(key: i64, value: i64) -> Vec<u8> {
    body(KeyRef::Integer(key), &[("n", Value::Int(value))])
}

pub fn put(namespace: &Namespace, key: i64, value: i64) -> Result<Written> {
    namespace.put("s", KeyRef::Integer(key), &n(key, value), &WriteOptions::default())
}

pub fn get(namespace: &Namespace, key: i64) -> Option<Vec<u8>> {
    let mut out = b"rest".to_vec();
    namespace.get("s", KeyRef::Integer(key), &mut out).unwrap().map(|_| out)
}
