//! Every kind of damage to every file of a namespace on devices, after an orderly stop and after a kill: what is gone is told, and
//! nothing older is served in its place.

use crate::config::{DeviceConfig, DeviceFile};
use crate::manifest::NamespaceRecord;
use crate::namespace::rig::host_in;
use crate::namespace::{Host, Progress};
use crate::query::QuerySpec;
use crate::{Durability, Namespace, NamespaceConfig, WriteOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tessera_base::dice::Dice;
use tessera_base::pool::Pool;
use tessera_base::{Error, ErrorCode, wait_until};
use tessera_index::{IndexKind, IndexSpec};
use tessera_io::Backend;
use tessera_io::faulty::FaultyDisk;
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, BodyRef, KeyRef, Value};
use tessera_storage::Storage;
use tessera_storage::device::{DeviceOptions, DeviceStorage, SNAPSHOT_FILE};

/// Rounds over all cases; `TESSERA_DAMAGE_ROUNDS` asks for more.
const ROUNDS: u64 = 1;
pub(super) const BLOCK: usize = 16 * 1024;
const SETS: [&str; 3] = ["", "events", "people"];
const KEYS: u64 = 40;
const STEPS: u64 = 700;
/// What documents are about.
const TOPICS: i64 = 7;

pub(super) type Key = (&'static str, i64);
pub(super) type Images = Vec<Vec<u8>>;

/// A namespace that was stopped or killed, what its files were at some moments before, and every version that was acknowledged.
struct Stopped {
    record: NamespaceRecord,
    images: Images,
    /// In the run before, and in this one.
    earlier: [Images; 2],
    snapshot: Option<Vec<u8>>,
    earlier_snapshot: Option<Vec<u8>>,
    /// Oldest first; `None`: deleted.
    versions: BTreeMap<Key, Vec<Option<i64>>>,
    orderly: bool,
}

/// A namespace that is open, with what it is in.
pub(super) struct Opened {
    directory: TempDir,
    host: Arc<Host>,
    storage: Arc<DeviceStorage>,
    pub(super) namespace: Arc<Namespace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bit,
    Zeros,
    ZeroedPage,
    Cut,
    CutLast,
    Swapped,
    OlderBlock,
    OlderFile,
    OlderRun,
    HeaderBit,
}

const KINDS: [Kind; 10] = [
    Kind::Bit,
    Kind::Zeros,
    Kind::ZeroedPage,
    Kind::Cut,
    Kind::CutLast,
    Kind::Swapped,
    Kind::OlderBlock,
    Kind::OlderFile,
    Kind::OlderRun,
    Kind::HeaderBit,
];

pub(super) fn record(disks: usize) -> NamespaceRecord {
    let devices = (0..disks).map(|disk| DeviceFile { path: format!("/dev/none{disk}"), capacity_bytes: 0 });
    let device = DeviceConfig { write_block_bytes: BLOCK as u32, devices: devices.collect(), ..DeviceConfig::default() };
    let by_document =
        IndexSpec { name: "doc".into(), set: None, bin: Some("doc".into()), kind: IndexKind::Document, path: None, created_at_ms: 0 };
    let by_value = IndexSpec { name: "v".into(), bin: Some("v".into()), kind: IndexKind::Range, ..by_document.clone() };
    let indexes = vec![by_document, by_value];
    let config = NamespaceConfig {
        indexes,
        segments: 4,
        max_record_bytes: 4096,
        durability: Durability::Commit,
        ..NamespaceConfig::device("n", device)
    };
    NamespaceRecord::new(1, [1; 16], 1, config)
}

pub(super) fn open(record: &NamespaceRecord, images: Images, snapshot: Option<&[u8]>, create: bool, accept: bool) -> Result<Opened, Error> {
    open_in(with_snapshot(snapshot), record, &FaultyDisk::several(images), create, accept)
}

/// A directory with a snapshot, if there is one.
fn with_snapshot(snapshot: Option<&[u8]>) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    if let Some(snapshot) = snapshot {
        std::fs::write(directory.path().join(SNAPSHOT_FILE), snapshot).unwrap();
    }
    directory
}

pub(super) fn open_in(
    directory: TempDir,
    record: &NamespaceRecord,
    disks: &[FaultyDisk],
    create: bool,
    accept: bool,
) -> Result<Opened, Error> {
    let host = host_in(directory.path(), record.clone(), Pool::new());
    let options = DeviceOptions {
        write_block_bytes: BLOCK as u32,
        capacity_bytes: 24 * BLOCK as u64,
        post_write_cache_bytes: 0,
        mark_after: Duration::from_millis(1),
        backend: Backend::Threads,
        stamp: record.stamp,
        create,
        accept_loss: accept,
        ..DeviceOptions::new(record.id)
    };
    let storage = Arc::new(DeviceStorage::on_faulty(disks, options)?.with_snapshots_in(directory.path()));
    let progress = if accept { Progress::default().accepting_loss() } else { Progress::default() };
    let namespace = Namespace::on(record, directory.path(), host.clone(), storage.clone() as Arc<dyn Storage>, create, &progress)?;
    Ok(Opened { directory, host, storage, namespace })
}

impl Opened {
    pub(super) fn record(&self) -> NamespaceRecord {
        self.host.manifest.read().namespaces.remove(0)
    }

    fn put(&self, (set, key): Key, value: i64, bytes: usize) {
        let (mut body, key) = (vec![], KeyRef::Integer(key));
        let mut builder = BodyBuilder::new(&mut body, key);
        let doc = Value::Map(vec![("t".into(), Value::List(vec![Value::Int(value.rem_euclid(TOPICS))]))]);
        for (name, value) in [("v", Value::Int(value)), ("doc", doc), ("pad", Value::String("p".repeat(bytes)))] {
            let bin = builder.bin(name, |out| {
                out.value(&value);
                Ok(())
            });
            bin.unwrap();
        }
        builder.finish();
        self.namespace.put(set, key, &body, &WriteOptions::default()).unwrap();
    }

    pub(super) fn value(&self, (set, key): Key) -> Result<Option<i64>, ErrorCode> {
        let mut out = vec![];
        match self.namespace.get(set, KeyRef::Integer(key), &mut out) {
            Ok(None) => Ok(None),
            Ok(Some(_)) => match BodyRef::new(&out).bin("v").map(|value| value.to_value()) {
                Some(Value::Int(value)) => Ok(Some(value)),
                other => panic!("the bin holds {other:?}"),
            },
            Err(error) => Err(error.code),
        }
    }

    /// Checks that indexes find each record that can be read, and nothing else.
    pub(super) fn check_indexes(&self, name: &str, keys: impl Iterator<Item = Key>) {
        let readable: BTreeMap<Key, i64> = keys.filter_map(|key| Some((key, self.value(key).ok()??))).collect();
        for set in SETS {
            let of_set = |wanted: &dyn Fn(i64) -> bool| -> BTreeSet<i64> {
                readable.iter().filter(|((of, _), value)| *of == set && wanted(**value)).map(|((_, key), _)| *key).collect()
            };
            for topic in 0..TOPICS {
                let filter = format!(r#"{{"bin":"doc","op":"contains","value":{{"t":[{topic}]}}}}"#);
                assert_eq!(
                    self.found(set, &filter),
                    of_set(&|value| value.rem_euclid(TOPICS) == topic),
                    "{name}: topic {topic} of {set:?}"
                );
            }
            assert_eq!(self.found(set, r#"{"bin":"v","op":"ge","value":-9}"#), of_set(&|_| true), "{name}: values of {set:?}");
        }
    }

    /// Checks that what is served is the newest, and says how many records are damaged.
    pub(super) fn check_newest(&self, name: &str, versions: &BTreeMap<Key, Vec<Option<i64>>>) -> usize {
        let (mut damaged, report) = (0, self.namespace.recovery().clone());
        for (key, versions) in versions {
            match self.value(*key) {
                Err(ErrorCode::RecordDamaged) => damaged += 1,
                found => assert_eq!(found, Ok(*versions.last().unwrap()), "{name}: {key:?} of {versions:?}, {report:?}"),
            }
        }
        assert!(damaged == 0 || report.damaged > 0 || report.cold.is_none(), "{name}: {damaged} damaged, {report:?}");
        self.check_indexes(name, versions.keys().copied());
        damaged
    }

    /// Checks the starts that may follow: after a kill, and after an orderly stop without its snapshot and with it. Says whether
    /// all of them serve; another one tells a loss, as a cold start can where a warm one has read no block.
    pub(super) fn serves_again(self, name: &str, disks: &[FaultyDisk], versions: &BTreeMap<Key, Vec<Option<i64>>>) -> bool {
        self.settle();
        let (killed, record) = (images(disks), self.record());
        let (snapshot, closed) = self.close();
        let again = [(killed, record, None), (images(disks), closed.clone(), None), (images(disks), closed, snapshot.as_deref())];
        again.into_iter().enumerate().all(|(case, (images, record, snapshot))| {
            let name = format!("{name}, second start {case}");
            match open(&record, images, snapshot, false, false) {
                Ok(second) => {
                    second.check_newest(&name, versions);
                    true
                }
                Err(error) => {
                    assert!(error.is_loss(), "{name}: {error:?}");
                    false
                }
            }
        })
    }

    /// The keys that a query by an index returns.
    fn found(&self, set: &str, filter: &str) -> BTreeSet<i64> {
        let filter = Some(Arc::new(Filter::compile(filter.as_bytes()).unwrap()));
        let spec = QuerySpec { set: Some(set.into()), filter, threads: 2, ..QuerySpec::default() };
        if self.namespace.sets().iter().all(|known| known.name != set) {
            return BTreeSet::new();
        }
        let (query, mut keys) = (self.namespace.query(spec).unwrap(), BTreeSet::new());
        while let Some(chunk) = query.stream.next_blocking().unwrap() {
            for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                let row: serde_json::Value = serde_json::from_slice(line).unwrap();
                if row.get("error").is_none() {
                    assert!(keys.insert(row["key"].as_i64().unwrap()), "{row} came twice");
                }
            }
        }
        keys
    }

    /// Stops in order; what the snapshot is then, and the record.
    pub(super) fn close(self) -> (Option<Vec<u8>>, NamespaceRecord) {
        self.namespace.close().unwrap();
        (std::fs::read(self.directory.path().join(SNAPSHOT_FILE)).ok(), self.record())
    }

    /// Writes and deletes, each acknowledged.
    pub(super) fn work(&self, dice: &mut Dice, steps: u64, versions: &mut BTreeMap<Key, Vec<Option<i64>>>, value: &mut i64) {
        for _ in 0..steps {
            let key = (SETS[dice.roll(3) as usize], dice.roll(KEYS) as i64);
            let there = versions.get(&key).and_then(|versions| versions.last().copied().flatten()).is_some();
            *value += 1;
            let version = if there && dice.roll(4) == 0 {
                assert!(self.namespace.delete(key.0, KeyRef::Integer(key.1), None).unwrap());
                None
            } else {
                self.put(key, *value, dice.roll(900) as usize);
                Some(*value)
            };
            versions.entry(key).or_default().push(version);
        }
    }

    /// Waits until the disks say that all is on stable storage, as they do within a second.
    pub(super) fn settle(&self) {
        wait_until(|| self.storage.is_marked());
    }
}

pub(super) fn images(disks: &[FaultyDisk]) -> Images {
    disks.iter().map(FaultyDisk::image).collect()
}

fn stopped(disks: usize, orderly: bool, seed: u64) -> Stopped {
    let (dice, mut versions, mut value) = (&mut Dice(seed), BTreeMap::new(), 0);
    let files = FaultyDisk::several(vec![vec![]; disks]);
    let first = open_in(tempfile::tempdir().unwrap(), &record(disks), &files, true, false).unwrap();
    first.work(dice, STEPS / 3, &mut versions, &mut value);
    let (earlier_snapshot, record) = first.close();
    let before = images(&files);
    let second = open_in(tempfile::tempdir().unwrap(), &record, &files, false, false).unwrap();
    second.work(dice, STEPS / 3, &mut versions, &mut value);
    let during = images(&files);
    second.work(dice, STEPS / 3, &mut versions, &mut value);
    second.settle();
    assert!(second.storage.usage().moved_bytes > 0, "nothing was moved to make room");
    let killed = (images(&files), second.record());
    let (snapshot, record) = second.close();
    let (images, record) = if orderly { (images(&files), record) } else { killed };
    let snapshot = snapshot.filter(|_| orderly);
    Stopped { record, images, earlier: [before, during], snapshot, earlier_snapshot, versions, orderly }
}

impl Stopped {
    /// The files after a damage to one of them; `None` where nothing has changed.
    fn damaged(&self, kind: Kind, disk: usize, dice: &mut Dice) -> Option<(String, Images)> {
        let mut images = self.images.clone();
        let image = images.get_mut(disk).unwrap();
        let (length, blocks) = (image.len(), image.len() / BLOCK);
        let block = 1 + dice.roll(blocks as u64 - 1) as usize;
        let place = |dice: &mut Dice, unit: usize| dice.roll((length / unit) as u64) as usize * unit;
        let zero = |image: &mut Vec<u8>, at: usize| image[at..(at + 4096).min(length)].fill(0);
        let at = match kind {
            Kind::Bit => {
                let at = place(dice, 1);
                image[at] ^= 1 << dice.roll(8);
                at
            }
            Kind::HeaderBit => {
                image[block * BLOCK + dice.roll(200) as usize] ^= 1 << dice.roll(8);
                block
            }
            Kind::Zeros | Kind::ZeroedPage => {
                let at = place(dice, if kind == Kind::Zeros { 16 } else { 4096 });
                zero(image, at);
                at
            }
            Kind::Cut | Kind::CutLast => {
                let at = if kind == Kind::Cut { place(dice, 1) } else { length - 1 - dice.roll(3 * BLOCK as u64) as usize };
                image.truncate(at);
                at
            }
            Kind::Swapped => {
                let other = 1 + dice.roll(blocks as u64 - 1) as usize;
                for at in 0..BLOCK {
                    image.swap(block * BLOCK + at, other * BLOCK + at);
                }
                block
            }
            Kind::OlderBlock => {
                let older = &self.earlier[dice.roll(2) as usize][disk];
                let older = older.get(block * BLOCK..(block + 1) * BLOCK)?;
                image[block * BLOCK..(block + 1) * BLOCK].copy_from_slice(older);
                block
            }
            Kind::OlderFile | Kind::OlderRun => {
                image.clone_from(&self.earlier[usize::from(kind == Kind::OlderFile)][disk]);
                // Of one file that was killed, the data directory's witness alone can tell: see `engine/rolled_back.rs`.
                if !self.orderly && self.images.len() == 1 && kind == Kind::OlderFile {
                    return None;
                }
                0
            }
        };
        (images != self.images)
            .then(|| (format!("{kind:?} at {at} of disk {disk} of {}, orderly {}", self.images.len(), self.orderly), images))
    }

    /// Opens the files, and checks that what is not the newest is told of. Returns what became of it.
    fn check(&self, name: &str, images: Images, snapshot: Option<&[u8]>) -> &'static str {
        let (directory, disks) = (with_snapshot(snapshot), FaultyDisk::several(images.clone()));
        let opened = match open_in(directory, &self.record, &disks, false, false) {
            Ok(opened) => opened,
            Err(error) if error.is_loss() => {
                self.check_accepted(name, images, snapshot);
                return "loss";
            }
            Err(error) => {
                let refused = [ErrorCode::DataFileDamaged, ErrorCode::DataFileForeign, ErrorCode::DataFileVersionUnknown];
                assert!(refused.contains(&error.code), "{name}: {error:?}");
                return "refused";
            }
        };
        let damaged = opened.check_newest(name, &self.versions) > 0 || opened.namespace.recovery().damaged > 0;
        if !opened.serves_again(name, &disks, &self.versions) {
            return "later loss";
        }
        if damaged { "damage" } else { "whole" }
    }

    /// What is left once the loss is accepted was written some time, and the next start has nothing to accept.
    fn check_accepted(&self, name: &str, images: Images, snapshot: Option<&[u8]>) {
        let disks = FaultyDisk::several(images);
        let opened =
            open_in(with_snapshot(snapshot), &self.record, &disks, false, true).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(!opened.namespace.recovery().losses.is_empty(), "{name}");
        for (key, versions) in &self.versions {
            if let Ok(found) = opened.value(*key) {
                assert!(found.is_none() || versions.contains(&found), "{name}: {key:?} has {found:?} of {versions:?}");
            }
        }
        opened.put(("", 0), -1, 10);
        let killed = disks.iter().map(FaultyDisk::image).collect();
        let again = open(&opened.record(), killed, None, false, false).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(again.value(("", 0)), Ok(Some(-1)), "{name}");
    }
}

#[test]
fn no_damage_is_passed_over() {
    let rounds = std::env::var("TESSERA_DAMAGE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS);
    let (mut cases, mut outcomes) = (0, BTreeMap::<_, u32>::new());
    let each = if tessera_base::one_in() == 1 { 2 } else { 1 };
    for round in 1..=rounds {
        for (disks, orderly) in [(1, false), (1, true), (2, false), (2, true)] {
            let stopped = stopped(disks, orderly, round);
            let dice = &mut Dice(1000 + round);
            let snapshot = stopped.snapshot.as_deref();
            assert_eq!(stopped.check("nothing", stopped.images.clone(), snapshot), "whole");
            for disk in 0..disks {
                for kind in KINDS {
                    for _ in 0..each {
                        let Some((name, images)) = stopped.damaged(kind, disk, dice) else { continue };
                        let name = format!("round {round}: {name}");
                        // With the snapshot, and without it: then every block is read.
                        for snapshot in [snapshot, None].into_iter().skip(usize::from(!orderly)) {
                            let outcome = stopped.check(&format!("{name}, snapshot {}", snapshot.is_some()), images.clone(), snapshot);
                            *outcomes.entry((kind as u8, outcome)).or_default() += 1;
                            cases += 1;
                        }
                    }
                }
            }
            let Some(snapshot) = snapshot else { continue };
            let mut spoiled = vec![snapshot[..dice.roll(snapshot.len() as u64) as usize].to_vec()];
            spoiled.extend(stopped.earlier_snapshot.clone());
            for _ in 0..3 {
                let mut flipped = snapshot.to_vec();
                flipped[dice.roll(snapshot.len() as u64) as usize] ^= 1 << dice.roll(8);
                let mut zeroed = snapshot.to_vec();
                let at = dice.roll(snapshot.len() as u64) as usize;
                zeroed[at..(at + 4096).min(snapshot.len())].fill(0);
                spoiled.extend([flipped, zeroed]);
            }
            for (case, spoiled) in spoiled.iter().enumerate() {
                let outcome =
                    stopped.check(&format!("round {round}: snapshot {case} of {disks} disks"), stopped.images.clone(), Some(spoiled));
                assert_eq!(outcome, "whole", "round {round}: snapshot {case}");
                cases += 1;
            }
        }
    }
    println!("{cases} cases: {outcomes:?}");
    assert!(cases >= 40 * each, "{cases}");
}
