//! The job that makes a backup, or goes on with one that was cut off.

use super::folder::Folder;
use super::format::Word;
use super::in_use::Use;
use super::manifest::{self, BackupManifest, Base, MANIFEST, Part, Plan};
use super::part::PartWriter;
use super::place::Place;
use super::{BackupSpec, folder, hex, log};
use crate::config::Feature;
use crate::manifest::Loss;
use crate::store::{CaptureSink, Captured, Following, RecordStore};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tessera_base::{Error, ErrorCode, Result, Sentence, clock, sentence};
use tessera_jobs::{Job, JobKind, JobRegistry, JobSpec, Unit, Work};
use tessera_record::{Digest, Meta};

/// A part ends with the segment in which it is expected to have this many bytes.
const PART_BYTES: u64 = 64 << 20;
/// Of an entry, beside its body.
const ENTRY_BYTES: u64 = 41;

/// What a backup is made of.
pub(crate) struct Source {
    pub(crate) store: Arc<RecordStore>,
    /// The namespace's own.
    pub(crate) id: [u8; 16],
    pub(crate) losses: Vec<Loss>,
}

pub(crate) struct Create {
    store: Arc<RecordStore>,
    folder: Folder,
    plan: Plan,
    /// By cell: what was last updated before is in the base.
    since: Option<Vec<u64>>,
    /// Whether parts that are there may be whole.
    resumes: bool,
    /// Records that go to another segment since this began.
    moves: Following,
    parts: Mutex<Vec<Option<Part>>>,
    damaged: AtomicU64,
    uses: Mutex<Vec<Use>>,
    job: Arc<Job>,
}

impl Source {
    /// 0 if a restart brings the records back.
    fn process(&self) -> u64 {
        if self.store.bodies_resident() { self.store.incarnation() } else { 0 }
    }

    /// # Errors
    /// `unsupported` for what the engine cannot do, `migration_active`.
    fn check(&self) -> Result<()> {
        self.store.require(Feature::Segments)?;
        if self.store.migrates() {
            let message = sentence!("\"{name}\" migrates: finish the migration or abandon it first", name = self.store.name());
            return Err(Error::said(ErrorCode::MigrationActive, message));
        }
        Ok(())
    }

    /// Plans a new backup.
    ///
    /// # Errors
    /// As `check`; `backup_not_found`, `backup_unfinished`, `backup_damaged`, `backup_base_invalid`.
    pub(crate) fn plan(&self, place: &Place, spec: &BackupSpec) -> Result<Plan> {
        self.check()?;
        let config = self.store.config();
        let mut plan = Plan {
            version: Plan::VERSION,
            id: spec.id.clone(),
            namespace: self.store.name().to_owned(),
            namespace_id: hex(&self.id),
            owner: Some(self.store.id().to_string()).filter(|owner| *owner != hex(&self.id)),
            process: self.process(),
            created_at_ms: clock::unix_millis(),
            base: None,
            cells: config.cells(),
            config,
            parts: self.parts(),
        };
        if let Some(base) = &spec.base {
            let (found, xxh3) = folder::manifest(place, base)?;
            plan.base = Some(Base { id: base.clone(), xxh3 });
            self.check_base(&found, &plan)?;
        }
        Ok(plan)
    }

    /// Whether times of last update tell what has changed since a backup.
    fn check_base(&self, base: &BackupManifest, plan: &Plan) -> Result<()> {
        let of = &base.plan;
        let refused = |why: Sentence| {
            let message = sentence!("the backup {id} cannot be built on: {why}; make a full one", id = &of.id, why = why);
            Err(Error::said(ErrorCode::BackupBaseInvalid, message).in_field("base"))
        };
        if of.namespace_id != plan.namespace_id {
            return refused(sentence!("it is of another namespace, or of this one before it was restored or migrated"));
        }
        if of.process != plan.process {
            return refused(sentence!("the namespace is in memory, and the process has been restarted since"));
        }
        if of.cells != plan.cells {
            return refused(sentence!("the namespace had another number of segments"));
        }
        if self.losses.iter().any(|loss| loss.at_ms >= of.created_at_ms) {
            return refused(sentence!("a loss was accepted since"));
        }
        if base.moments().0 <= self.store.undone_at_ms() {
            return refused(sentence!("a truncation was undone since, and it may lack what came back"));
        }
        if base.damaged > 0 {
            return refused(sentence!("it lacks records that were damaged"));
        }
        // By the time that a write would have, as the moments are: it can be ahead of the clock, and never goes back.
        if base.moments().1 > self.store.stamp() {
            return refused(sentence!("the clock is behind it"));
        }
        Ok(())
    }

    /// Cells in a row, by what they are expected to take.
    fn parts(&self) -> Vec<(u16, u16)> {
        let (records, bytes) = (self.store.records().max(1), self.store.live_bytes());
        let each = bytes / records + ENTRY_BYTES;
        let (mut parts, mut first, mut sum) = (Vec::new(), 0, 0);
        let last = self.store.cells().len().saturating_sub(1) as u16;
        for (cell, at) in self.store.cells().iter().zip(0..) {
            sum += cell.records() * each;
            if sum >= PART_BYTES || at == last {
                parts.push((first, at));
                (first, sum) = (at + 1, 0);
            }
        }
        parts
    }

    /// # Errors
    /// As `check`; `backup_unfinished` if what it began with is not there any more, or its base is not.
    pub(crate) fn check_resumed(&self, place: &Place, plan: &Plan) -> Result<()> {
        self.check()?;
        if plan.namespace_id != hex(&self.id) || plan.process != self.process() || plan.cells != self.store.config().cells() {
            let message = sentence!("the records that the backup {id} began with are gone: remove it", id = &plan.id);
            return Err(Error::said(ErrorCode::BackupUnfinished, message));
        }
        if let Some(base) = &plan.base {
            let (found, xxh3) = folder::manifest(place, &base.id)?;
            if xxh3 != base.xxh3 {
                return Err(super::damaged(MANIFEST, sentence!("it is not that of the base")));
            }
            self.check_base(&found, plan)?;
        }
        Ok(())
    }
}

impl Create {
    /// `resumes`: whether the folder is there, and parts of it may be whole.
    ///
    /// # Errors
    /// `job_limit`, `closed`; what making the folder returns.
    pub(crate) fn new(
        source: &Source,
        place: &Place,
        plan: Plan,
        spec: &BackupSpec,
        uses: Vec<Use>,
        jobs: &JobRegistry,
        resumes: bool,
    ) -> Result<(Self, Arc<Job>)> {
        let since = plan.base.as_ref().map(|base| folder::manifest(place, &base.id)).transpose()?.map(|(base, _)| {
            let mut since = vec![0; base.plan.cells as usize];
            base.segments().for_each(|segment| since[usize::from(segment.cell)] = segment.moment_ms);
            since
        });
        let store = source.store.clone();
        let job = jobs.begin(JobSpec {
            unit: Unit::Records,
            parameters: serde_json::json!({ "backup": plan.id, "base": spec.base, "target": place.target() }).to_string(),
            total: Some(store.records()),
            threads: spec.threads,
            records_per_second: spec.records_per_second,
            ..JobSpec::new(JobKind::Backup, store.named(), format!("Back up {}", store.name()))
        })?;
        let folder = match resumes {
            true => folder::of(place, &plan.id),
            false => folder::begin(place, &plan, &job),
        };
        let mut folder = folder.inspect_err(|error| job.finish(Err(error.clone())))?;
        folder.set_job(&job);
        let moves = store.follow_moves(None);
        let (parts, uses) = (Mutex::new(vec![None; plan.parts.len()]), Mutex::new(uses));
        // Which records have moved since those parts were written nobody knows.
        let resumes = resumes && !store.any_distributed();
        let (damaged, shared) = (AtomicU64::new(0), job.clone());
        Ok((Self { store, folder, plan, since, resumes, moves, parts, damaged, uses, job }, shared))
    }

    pub(crate) fn items(&self) -> usize {
        self.plan.parts.len()
    }

    fn write_part(&self, number: usize) -> Result<Part> {
        let (first, last) = self.plan.parts[number];
        let name = name_of(first, last);
        if self.resumes && self.folder.has(&name)? {
            let mut pace = |_| self.job.checkpoint();
            match log::adopt(&self.folder, &self.plan.key(), number as u32, &name, &mut pace) {
                Ok(part) if part.segments.iter().map(|segment| segment.cell).eq(first..=last) => {
                    self.job.advance(part.segments.iter().map(|segment| segment.records).sum());
                    return Ok(part);
                }
                Err(error) if error.code != ErrorCode::BackupDamaged => return Err(error),
                // It is written again.
                _ => {}
            }
        }
        let mut writer = PartWriter::create(&self.folder, name, &self.plan.key(), number as u32)?;
        for cell in first..=last {
            let since = self.since.as_ref().map(|since| since[usize::from(cell)]);
            loop {
                writer.begin(cell)?;
                match self.store.capture(cell, since, &mut Sink { create: self, part: &mut writer })? {
                    Some(captured) => break writer.end(captured)?,
                    // A truncation came in between.
                    None => writer.take_back()?,
                }
            }
        }
        // What is in a part that has its name no crash takes from the namespace.
        self.store.sync()?;
        writer.finish()
    }

    /// Records that went to another segment may be in the parts twice, or not at all. Behind the parts comes what they are now.
    fn write_moved(&self) -> Result<Option<Part>> {
        let moved = self.moves.follower().unmet();
        if moved.is_empty() {
            return Ok(None);
        }
        let mut writer = PartWriter::create(&self.folder, "moved.part".into(), &self.plan.key(), self.plan.parts.len() as u32)?;
        writer.begin(0)?;
        let mut body = Vec::new();
        for (set, digest) in &moved {
            self.job.pace(1, |_| Ok(()))?;
            let Some(entry) = self.store.set_by_id(*set) else { continue };
            let word = match self.store.capture_record(&entry.name, digest, &mut body) {
                Ok(Some(meta)) => Word::Body(meta, &body),
                Ok(None) => Word::Gone,
                Err(error) if error.code == ErrorCode::RecordDamaged => {
                    self.damaged(*set, digest, &error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            writer.push(&self.store, *set, digest, word)?;
        }
        writer.end(Captured { moment_ms: clock::unix_millis(), records: moved.len() as u64 })?;
        self.store.sync()?;
        writer.finish().map(Some)
    }

    fn damaged(&self, set: u16, digest: &Digest, error: &Error) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
        let name = self.store.set_by_id(set).map(|set| set.name.to_string()).unwrap_or_default();
        self.job.damaged(name, digest, error);
    }

    /// Everything is there: the manifest says so.
    fn seal(&self) -> Result<BackupManifest> {
        let base_from = self.since.iter().flatten().filter(|moment| **moment > 0).min();
        if base_from.is_some_and(|moment| *moment <= self.store.undone_at_ms()) {
            let message = sentence!("a truncation was undone meanwhile, and the base may lack what came back; make a full backup");
            return Err(Error::said(ErrorCode::BackupBaseInvalid, message).in_field("base"));
        }
        let moved = self.write_moved()?;
        let parts: Option<Vec<Part>> = self.parts.lock().drain(..).collect();
        let parts = parts.ok_or_else(|| Error::new(ErrorCode::Internal, "a part of the backup was not written"))?;
        let damaged = self.damaged.load(Ordering::Relaxed);
        let manifest = BackupManifest { plan: self.plan.clone(), ended_at_ms: clock::unix_millis(), parts, moved, damaged };
        self.folder.write(MANIFEST, &manifest::seal(&manifest)?.0)?;
        Ok(manifest)
    }
}

fn name_of(first: u16, last: u16) -> String {
    format!("segments-{first:04}-{last:04}.part")
}

impl Work for Create {
    type Worker = ();

    fn item(&self, (): &mut (), item: usize) -> Result<()> {
        let part = self.write_part(item)?;
        self.parts.lock()[item] = Some(part);
        Ok(())
    }

    fn leave(&self, (): ()) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let sealed = outcome.and_then(|()| self.seal());
        self.uses.lock().clear();
        self.job.finish(sealed.map(|manifest| {
            let (records, bodies) = manifest.segments().fold((0, 0), |(r, b), segment| (r + segment.records, b + segment.bodies));
            serde_json::json!({ "backup": self.plan.id, "records": records, "bodies": bodies, "bytes": manifest.bytes() }).to_string()
        }));
    }
}

/// Writes what a capture brings into a part.
struct Sink<'a> {
    create: &'a Create,
    part: &'a mut PartWriter,
}

impl CaptureSink for Sink<'_> {
    fn body(&mut self, set: u16, digest: &Digest, meta: &Meta, body: &[u8]) -> Result<()> {
        self.part.push(&self.create.store, set, digest, Word::Body(*meta, body))
    }

    fn kept(&mut self, set: u16, digest: &Digest, meta: &Meta) -> Result<()> {
        self.part.push(&self.create.store, set, digest, Word::Kept(*meta))
    }

    fn gone(&mut self, set: u16, digest: &Digest) -> Result<()> {
        self.part.push(&self.create.store, set, digest, Word::Gone)
    }

    fn damaged(&mut self, set: u16, digest: &Digest, error: &Error) {
        self.create.damaged(set, digest, error);
    }

    fn pace(&mut self, records: usize) -> Result<()> {
        self.create.job.advance(records as u64);
        self.create.job.pace(records as u64, |_| Ok(()))
    }
}
