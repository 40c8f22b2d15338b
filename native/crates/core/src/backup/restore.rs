//! The job that checks the files of a chain, and brings the records back once all of them are whole.

use super::folder::Folder;
use super::format::{PartSegment, Word};
use super::in_use::Use;
use super::manifest::{BackupManifest, MANIFEST, Part};
use super::place::Place;
use super::{damaged, folder, log};
use crate::store::{Reason, RecordStore, WriteOptions};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, clock, sentence};
use tessera_jobs::{Job, Work};
use tessera_record::{Digest, Meta, Ttl};

/// Backups that build on each other; more are not restored together.
const CHAIN_MOST: usize = 256;
/// Records of bases that one worker looks for at once: it has about 50 bytes for each.
const WANTED_MOST: u64 = 1 << 19;
/// It waits so long for a store that cannot keep up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Backups that build on each other, the newest first.
pub(crate) struct Chain {
    links: Vec<Link>,
}

struct Link {
    folder: Folder,
    manifest: BackupManifest,
    /// By cell: which part, and which segment of it.
    places: Vec<(usize, usize)>,
}

/// Where the records go.
pub(crate) trait RestoreTarget: Send + Sync + 'static {
    /// Called once, when every file of the chain is whole, before the first record.
    ///
    /// # Errors
    /// Any; nothing is restored then.
    fn open(&self) -> Result<Arc<RecordStore>>;

    /// Called once, at the end: lists what was restored, or takes it back.
    ///
    /// # Errors
    /// Those of `outcome`, and its own.
    fn settle(&self, outcome: Result<()>) -> Result<()>;

    fn writer(&self) -> Writer;
}

/// How a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// With its generation, expiry and time of last update, into a store that nobody else writes.
    Exact,
    /// As a caller's write: its generation and its time of last update are new.
    Merge,
}

pub(crate) struct Restore {
    chain: Chain,
    /// Unset: the chain is verified, and nothing else.
    target: Option<Box<dyn RestoreTarget>>,
    store: OnceLock<Result<Arc<RecordStore>>>,
    /// What the last stage brings.
    moved: OnceLock<Result<HashSet<Digest>>>,
    restored: AtomicU64,
    expired: AtomicU64,
    uses: Mutex<Vec<Use>>,
    job: Arc<Job>,
}

impl Chain {
    /// Reads the manifests of a backup and of all that it builds on.
    ///
    /// # Errors
    /// `backup_not_found`, `backup_unfinished`, `backup_damaged`, `storage_failed`.
    pub(crate) fn read(place: &Place, id: &str) -> Result<Self> {
        let (mut links, mut next, mut expected) = (Vec::<Link>::new(), Some(id.to_owned()), None);
        while let Some(id) = next {
            let of_chain = |error: Error| match links.is_empty() {
                _ if error.is_of_backup_target() => error,
                true => error,
                false => damaged(sentence!("the base {id}", id = &id), &error),
            };
            let (manifest, xxh3) = folder::manifest(place, &id).map_err(of_chain)?;
            if expected.as_ref().is_some_and(|expected| *expected != xxh3) {
                return Err(damaged(
                    sentence!("{file} of the base {id}", file = MANIFEST, id = id),
                    sentence!("it is not the one that was built on"),
                ));
            }
            if folder::plan(place, &id)? != manifest.plan {
                return Err(damaged(super::manifest::PLAN, sentence!("it is not that of the manifest")));
            }
            let mut places = vec![(0, 0); manifest.plan.cells as usize];
            for (part, file) in manifest.parts.iter().enumerate() {
                for (at, segment) in file.segments.iter().enumerate() {
                    places[usize::from(segment.cell)] = (part, at);
                }
            }
            if links.first().is_some_and(|first| first.places.len() != places.len()) || links.len() >= CHAIN_MOST {
                return Err(damaged(MANIFEST, sentence!("the backups of the chain do not belong together")));
            }
            next = manifest.plan.base.as_ref().map(|base| base.id.clone());
            expected = manifest.plan.base.as_ref().map(|base| base.xxh3.clone());
            links.push(Link { folder: folder::of(place, &id)?, manifest, places });
        }
        Ok(Self { links })
    }

    /// Ids, the newest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|link| link.manifest.plan.id.as_str())
    }

    pub(crate) fn manifest(&self) -> Option<&BackupManifest> {
        self.links.first().map(|link| &link.manifest)
    }

    fn files(&self) -> impl Iterator<Item = (&Link, u32, &Part)> {
        self.links.iter().flat_map(|link| link.manifest.files().map(move |(number, part)| (link, number, part)))
    }

    /// Bytes that a job goes through: each file as a whole, and then each segment of each backup.
    pub(crate) fn work(&self) -> u64 {
        let segments = self.links.iter().flat_map(|link| link.manifest.segments()).map(|segment| segment.bytes);
        self.files().map(|(_, _, part)| part.bytes).chain(segments).sum()
    }
}

impl Link {
    fn segment(&self, cell: u16) -> Option<(&Part, &PartSegment)> {
        let (part, at) = *self.places.get(usize::from(cell))?;
        let part = self.manifest.parts.get(part)?;
        Some((part, part.segments.get(at)?))
    }

    fn read(&self, cell: u16, each: &mut log::Each<'_>) -> Result<u64> {
        let (part, segment) = self.segment(cell).ok_or_else(|| damaged(MANIFEST, sentence!("it lacks a segment")))?;
        log::read_segment(&self.folder, part, segment, each)?;
        Ok(segment.bytes)
    }
}

impl Restore {
    pub(crate) fn new(mut chain: Chain, target: Option<Box<dyn RestoreTarget>>, uses: Vec<Use>, job: Arc<Job>) -> Self {
        chain.links.iter_mut().for_each(|link| link.folder.set_job(&job));
        let count = AtomicU64::default;
        let (store, moved, uses) = (OnceLock::new(), OnceLock::new(), Mutex::new(uses));
        Self { chain, target, store, moved, restored: count(), expired: count(), uses, job }
    }

    /// Files, then parts of the newest backup, then its records that moved.
    pub(crate) fn items(&self) -> usize {
        self.stages()[1] + 1
    }

    /// The first items of the second and the third stage.
    fn stages(&self) -> [usize; 2] {
        let files = self.chain.files().count();
        [files, files + self.chain.manifest().map_or(0, |manifest| manifest.parts.len())]
    }

    /// `None` if nothing is restored.
    fn store(&self) -> Result<Option<&Arc<RecordStore>>> {
        let Some(target) = &self.target else { return Ok(None) };
        self.store.get_or_init(|| target.open()).as_ref().map(Some).map_err(Clone::clone)
    }

    fn check_file(&self, item: usize) -> Result<()> {
        let Some((link, number, part)) = self.chain.files().nth(item) else { return Ok(()) };
        let id = &link.manifest.plan.id;
        let mut pace = |bytes| {
            self.job.advance(bytes);
            self.job.checkpoint()
        };
        log::check(&link.folder, &link.manifest.plan.key(), number, part, &mut pace)
            .map_err(|error| error.within(|why| sentence!("backup {id}: {why}", id = id, why = why)))
    }

    fn restore_part(&self, number: usize) -> Result<()> {
        let cells = self.chain.manifest().and_then(|manifest| manifest.parts.get(number)).map(|part| &part.segments);
        cells.into_iter().flatten().try_for_each(|segment| self.restore_cell(segment.cell))
    }

    /// Restores a cell: what the newest backup has, and from its bases what it says that it has kept.
    fn restore_cell(&self, cell: u16) -> Result<()> {
        let store = self.store()?;
        let Some((newest, bases)) = self.chain.links.split_first() else { return Ok(()) };
        let kept = newest.segment(cell).map_or(0, |(_, segment)| segment.kept);
        let passes = kept.div_ceil(WANTED_MOST).max(1);
        for pass in 0..passes {
            let (moved, gone) = (self.moved()?, self.gone(newest, cell)?);
            let mine = |digest: &Digest| digest.hash64() % passes == pass && !moved.contains(digest) && !gone.contains(digest);
            let mut wanted = HashMap::<Digest, Meta>::new();
            let mut read = newest.read(cell, &mut |set, digest, word| {
                if !mine(&digest) {
                    return Ok(());
                }
                if let Word::Kept(meta) = word {
                    wanted.insert(digest, meta);
                    return Ok(());
                }
                wanted.remove(&digest);
                self.bring(store, set, digest, word)
            })?;
            for base in bases {
                read += base.read(cell, &mut |set, digest, word| match word {
                    Word::Body(meta, _) if wanted.get(&digest) == Some(&meta) => {
                        wanted.remove(&digest);
                        self.bring(store, set, digest, word)
                    }
                    _ => Ok(()),
                })?;
            }
            if let Some(digest) = wanted.keys().next() {
                let message = sentence!(
                    "the chain lacks {wanted} records of segment {cell}, such as {digest}",
                    wanted = wanted.len(),
                    cell = cell,
                    digest = digest.to_string()
                );
                return Err(Error::said(ErrorCode::BackupDamaged, message));
            }
            if pass == 0 {
                self.job.advance(read);
            }
        }
        Ok(())
    }

    /// Digests of the records that went to another segment: the last stage brings them.
    fn moved(&self) -> Result<&HashSet<Digest>> {
        let read = || {
            let mut moved = HashSet::new();
            let Some(newest) = self.chain.links.first() else { return Ok(moved) };
            let mut each = |_: &Arc<str>, digest, _: Word<'_>| {
                moved.insert(digest);
                Ok(())
            };
            if let Some(part) = &newest.manifest.moved {
                part.segments.iter().try_for_each(|segment| log::read_segment(&newest.folder, part, segment, &mut each))?;
            }
            Ok(moved)
        };
        self.moved.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// Records that were removed while the segment was written: an earlier version of them may be in it. Only who merges has to
    /// know before, because a record of that key that is there already is to stay.
    fn gone(&self, newest: &Link, cell: u16) -> Result<HashSet<Digest>> {
        let mut gone = HashSet::new();
        if self.writer() == Writer::Merge {
            newest.read(cell, &mut |_, digest, word| {
                match word {
                    Word::Gone => gone.insert(digest),
                    Word::Body(..) | Word::Kept(_) => gone.remove(&digest),
                };
                Ok(())
            })?;
        }
        Ok(gone)
    }

    fn writer(&self) -> Writer {
        self.target.as_ref().map_or(Writer::Exact, |target| target.writer())
    }

    fn restore_moved(&self) -> Result<()> {
        let store = self.store()?;
        let Some(newest) = self.chain.links.first() else { return Ok(()) };
        let Some(part) = &newest.manifest.moved else { return Ok(()) };
        let mut each = |set: &Arc<str>, digest, word: Word<'_>| self.bring(store, set, digest, word);
        part.segments.iter().try_for_each(|segment| log::read_segment(&newest.folder, part, segment, &mut each))
    }

    /// Makes a record what an entry says.
    fn bring(&self, store: Option<&Arc<RecordStore>>, set: &str, digest: Digest, word: Word<'_>) -> Result<()> {
        self.job.pace(1, |_| Ok(()))?;
        let Some(store) = store else { return Ok(()) };
        let writer = self.writer();
        let began = Instant::now();
        loop {
            match write(store, writer, set, digest, word) {
                // It cannot keep up, or waits for its disks.
                Err(error) if error.code == ErrorCode::DeviceOverload && began.elapsed() < PATIENCE => self.job.look_again()?,
                Err(error) => {
                    return Err(error.within(|why| {
                        sentence!("the record {digest} of the set \"{set}\": {why}", digest = digest.to_string(), set = set, why = why)
                    }));
                }
                Ok(done) => {
                    match done {
                        Done::Stored => drop(self.restored.fetch_add(1, Ordering::Relaxed)),
                        Done::Expired => drop(self.expired.fetch_add(1, Ordering::Relaxed)),
                        Done::Removed => {}
                    }
                    return Ok(());
                }
            }
        }
    }
}

enum Done {
    Stored,
    /// It is past its time, and was left out.
    Expired,
    Removed,
}

fn write(store: &RecordStore, writer: Writer, set: &str, digest: Digest, word: Word<'_>) -> Result<Done> {
    let now = clock::unix_seconds();
    match (word, writer) {
        // An earlier version of it may be there.
        (Word::Body(meta, _), Writer::Exact) if meta.expired(now) => store.drop_copy(set, &digest, Reason::Copy).map(|_| Done::Expired),
        (Word::Body(meta, _), Writer::Merge) if meta.expired(now) => Ok(Done::Expired),
        (Word::Body(meta, body), Writer::Exact) => store.take_over(set, digest, meta, body).map(|()| Done::Stored),
        (Word::Body(meta, body), Writer::Merge) => {
            let ttl = if meta.expires_at == 0 { Ttl::Never } else { Ttl::Seconds(meta.expires_at - now) };
            let options = WriteOptions { ttl, defer_sync: true, ..WriteOptions::default() };
            store.put(set, digest, body, &options).map(|_| Done::Stored)
        }
        (Word::Gone, Writer::Exact) => store.drop_copy(set, &digest, Reason::Copy).map(|_| Done::Removed),
        // What the backup lacks stays.
        (Word::Gone | Word::Kept(_), _) => Ok(Done::Removed),
    }
}

impl Work for Restore {
    type Worker = ();

    fn begins_stage(&self, item: usize) -> bool {
        self.stages().contains(&item)
    }

    fn item(&self, (): &mut (), item: usize) -> Result<()> {
        match self.stages() {
            [first, _] if item < first => self.check_file(item),
            [first, second] if item < second => self.restore_part(item - first),
            _ => self.restore_moved(),
        }
    }

    fn leave(&self, (): ()) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let settled = match &self.target {
            Some(target) => target.settle(outcome),
            None => outcome,
        };
        self.uses.lock().clear();
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let id = self.chain.ids().next().unwrap_or_default();
        let result = match &self.target {
            Some(_) => serde_json::json!({ "backup": id, "restored": read(&self.restored), "expired": read(&self.expired) }),
            None => serde_json::json!({ "backup": id, "backups": self.chain.links.len(), "files": self.chain.files().count() }),
        };
        self.job.finish(settled.map(|()| result.to_string()));
    }
}
