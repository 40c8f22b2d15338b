//! A store of two segments on disks in memory, and what ought to be in it.

use super::super::verify::verify;
use super::super::*;
use crate::paged::cache::ledger::Ledger;
use crate::paged::page::PageSize;
use crate::paged::pages::{Pages, PagesOptions};
use crate::paged::rebuild::Rebuild;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use tessera_base::ErrorCode;
use tessera_io::faulty::FaultyDisk;
use tessera_record::{KeyRef, Meta};

pub const SEGMENTS: u16 = 2;
pub const SIZES: [u32; 5] = [4096, 8192, 16_384, 32_768, 65_536];
pub const SETS: [&str; 4] = ["", "one", "two", "three"];

/// By segment and key: name of the set, meta, body.
pub type Model = BTreeMap<(u16, i64), (usize, Meta, Vec<u8>)>;

pub struct Rig {
    pub disks: Vec<FaultyDisk>,
    pub options: PagesOptions,
    pub store: Arc<Store>,
    pub segments: Vec<PagedSegment>,
    pub model: Model,
    /// What the last rebuild has found.
    pub report: Option<Error>,
    /// Starts so far: sets have other ids after each.
    starts: u16,
    clock: u64,
}

pub fn digest(n: i64) -> Digest {
    Digest::of("s", KeyRef::Integer(n))
}

pub fn body(length: usize, byte: u8) -> Vec<u8> {
    (0..length).map(|at| byte ^ (at / 7) as u8).collect()
}

impl Rig {
    /// With pages of so many bytes, and so many pages at most.
    pub fn new(page_bytes: u32, pages: u32) -> Self {
        let page_size = PageSize::new(page_bytes).unwrap();
        let cache_bytes = 2048 * u64::from(page_bytes);
        let options = PagesOptions {
            namespace_id: [1; 16],
            page_size,
            cache_bytes,
            log_bytes: 128 << 20,
            pages,
            backend: tessera_io::Backend::Threads,
            witness: crate::paged::pages::loss::Witness::default(),
            accept_loss: false,
        };
        let disks = FaultyDisk::several([vec![], vec![]]);
        let pages = Pages::create(&options, Arc::new(disks[0].clone()), Arc::new(disks[1].clone()), Ledger::default()).unwrap();
        let store = Arc::new(Store::create(pages, SEGMENTS.into(), options.pages).unwrap());
        let segments = (0..SEGMENTS).map(|id| PagedSegment::new(Arc::clone(&store), id)).collect();
        Self { disks, options, store, segments, model: Model::new(), report: None, starts: 0, clock: 1_700_000_000_000 }
    }

    pub fn id_of(&self, set: usize) -> u16 {
        if set == 0 { 0 } else { (set as u16 + self.starts) % 4 * 100 + 1 }
    }

    /// Starts anew on these disks; the model stays.
    pub fn open(&mut self, disks: Vec<FaultyDisk>) -> Result<()> {
        self.segments.clear();
        self.starts += 1;
        self.disks = disks;
        let (mut pages, redone) =
            Pages::open(&self.options, Arc::new(self.disks[0].clone()), Arc::new(self.disks[1].clone()), Ledger::default())?;
        if self.options.accept_loss {
            let PagesOptions { namespace_id, pages: end, .. } = self.options;
            let rebuild = Rebuild { namespace_id, segments: SEGMENTS.into(), end, written: &redone.written };
            (pages, self.report) = rebuild.run(pages)?;
        }
        self.store = Arc::new(Store::open(pages, SEGMENTS.into(), self.options.pages)?);
        // A damaged page may have names of other sets: a namespace makes them.
        let others = Cell::new(500);
        self.store.bind(&|name| {
            Ok(SETS.iter().position(|set| *set == name).map_or_else(|| others.replace(others.get() + 1), |set| self.id_of(set)))
        })?;
        for id in 0..SEGMENTS {
            let mut segment = PagedSegment::new(Arc::clone(&self.store), id);
            let last = Cell::new(None);
            segment.load(&mut |slot, _, _| {
                assert!(last.replace(Some(slot)).is_none_or(|last| last < slot), "not in the order of slots");
                Ok(())
            })?;
            self.segments.push(segment);
        }
        Ok(())
    }

    /// As `open`, where a loss is accepted.
    pub fn accept(&mut self, disks: Vec<FaultyDisk>) -> Result<()> {
        self.options.accept_loss = true;
        let opened = self.open(disks);
        self.options.accept_loss = false;
        opened
    }

    pub fn reopen(&mut self) {
        self.sync();
        let disks = FaultyDisk::several(self.disks.iter().map(FaultyDisk::image));
        self.open(disks).unwrap();
    }

    pub fn sync(&self) {
        self.store.pages().log().sync(self.store.pages().log().end()).unwrap();
    }

    pub fn checkpoint(&self) {
        assert!(self.store.pages().checkpoint(&mut || true).unwrap());
    }

    /// Inserts a record or replaces it; the model follows where that has worked.
    pub fn put(&mut self, segment: u16, n: i64, set: usize, body: &[u8]) -> Result<()> {
        let (digest, id) = (digest(n), self.id_of(set));
        self.clock += 1;
        let old = self.segments[usize::from(segment)].seek(&digest)?;
        let generation = old.map_or(1, |(_, old)| old.meta.generation + 1);
        let meta = Meta { generation, expires_at: n as u32, updated_at: self.clock };
        let store = &mut self.segments[usize::from(segment)];
        let slot = old.map_or(store.next_slot(), |(slot, _)| slot);
        let image = RecordImage { digest, slot, meta, set: SETS[set], body };
        let location = match old {
            Some((_, old)) => store.update(id, &old, &image)?,
            None => store.insert(id, &image)?,
        };
        assert_eq!(store.seek(&digest)?, Some((slot, SlotRecord { digest, location, meta })));
        assert_eq!(PagedSegment::stored_bytes(location), PagedSegment::put_bytes(body.len()));
        self.model.insert((segment, n), (set, meta, body.to_vec()));
        Ok(())
    }

    /// Removes a record, if it is there.
    pub fn remove(&mut self, segment: u16, n: i64) -> Result<()> {
        let store = &mut self.segments[usize::from(segment)];
        if let Some((slot, old)) = store.seek(&digest(n))? {
            store.remove(slot, &old)?;
            assert_eq!((store.find(&digest(n))?, store.get(slot)?), (None, None));
        }
        self.model.remove(&(segment, n));
        Ok(())
    }

    /// The body of a record, as anybody reads it.
    pub fn read(&self, segment: u16, n: i64) -> Result<Option<Vec<u8>>> {
        let Some((_, record)) = self.segments[usize::from(segment)].seek(&digest(n))? else { return Ok(None) };
        let mut out = vec![9; 3];
        assert!(bodies::read(&self.store, record.location, &record.digest, &record.meta, &mut out)?, "{n} is not in its place");
        Ok(Some(out))
    }

    /// All that is stored, everything around it checked.
    pub fn contents(&self) -> Model {
        let digests: BTreeMap<_, _> = (0..4000).map(|n| (digest(n).0, n)).collect();
        let mut all = Model::new();
        for (segment, store) in (0..).zip(&self.segments) {
            for (digest, found) in verify(store) {
                let set = (0..SETS.len()).find(|set| self.id_of(*set) == found.set).unwrap();
                all.insert((segment, digests[&digest]), (set, found.meta, found.body));
            }
        }
        let (usage, theirs) = (self.store.space().usage(), self.segments.iter().map(|segment| segment.extents.len() as u32).sum::<u32>());
        assert!((0..=1).contains(&(usage.extents - usage.free - theirs)), "extents: {usage:?} and {theirs}");
        all
    }

    pub fn check(&self) {
        let contents = self.contents();
        for (key, record) in &self.model {
            assert_eq!(contents.get(key), Some(record), "{key:?}");
        }
        assert_eq!(contents.len(), self.model.len());
    }
}

#[derive(Clone, Debug)]
pub enum Step {
    /// Segment, key, set, length (in percent of a page where the second is true), byte.
    Put(u16, i64, usize, (usize, bool), u8),
    /// The same length as before, one byte changed.
    Touch(u16, i64, prop::sample::Index),
    Remove(u16, i64),
    RemoveMany(u16, i64),
    Compact(u16),
    Sync,
    Checkpoint,
}

pub fn step(keys: i64) -> impl Strategy<Value = Step> {
    let length = prop_oneof![
        8 => (0..300usize).prop_map(|bytes| (bytes, false)),
        3 => (0..40usize).prop_map(|percent| (percent, true)),
        1 => (0..350usize).prop_map(|percent| (percent, true)),
    ];
    prop_oneof![
        12 => (0..SEGMENTS, 0..keys, 0..SETS.len(), length, any::<u8>())
            .prop_map(|(segment, n, set, length, byte)| Step::Put(segment, n, set, length, byte)),
        3 => (0..SEGMENTS, 0..keys, any::<prop::sample::Index>()).prop_map(|(segment, n, at)| Step::Touch(segment, n, at)),
        4 => (0..SEGMENTS, 0..keys).prop_map(|(segment, n)| Step::Remove(segment, n)),
        1 => (0..SEGMENTS, 0..keys).prop_map(|(segment, n)| Step::RemoveMany(segment, n)),
        2 => (0..SEGMENTS).prop_map(Step::Compact),
        2 => Just(Step::Sync),
        1 => Just(Step::Checkpoint),
    ]
}

impl Rig {
    pub fn play(&mut self, step: &Step) {
        match *step {
            Step::Put(segment, n, set, (length, percent), byte) => {
                let length = if percent { length * self.options.page_size.bytes() / 100 } else { length };
                self.put(segment, n, set, &body(length, byte)).unwrap();
            }
            Step::Touch(segment, n, at) => {
                if let Some((set, _, mut body)) = self.model.get(&(segment, n)).cloned() {
                    if !body.is_empty() {
                        let at = at.index(body.len());
                        body[at] ^= 0x55;
                    }
                    self.put(segment, n, set, &body).unwrap();
                }
            }
            Step::Remove(segment, n) => self.remove(segment, n).unwrap(),
            Step::RemoveMany(segment, from) => {
                let keys: Vec<_> = self.model.range((segment, from)..=(segment, i64::MAX)).map(|((_, n), _)| *n).collect();
                keys.into_iter().for_each(|n| self.remove(segment, n).unwrap());
            }
            Step::Compact(segment) => {
                self.segments[usize::from(segment)].compact().unwrap();
            }
            Step::Sync => self.sync(),
            Step::Checkpoint => self.checkpoint(),
        }
    }
}

/// The code of what has failed.
pub fn code<T>(result: Result<T>) -> Option<ErrorCode> {
    result.err().map(|error| error.code)
}
