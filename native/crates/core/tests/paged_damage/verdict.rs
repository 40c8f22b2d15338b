//! What a data directory serves after damage, against all that was acknowledged.

use crate::bodies::bin;
use crate::script::{Key, SETS, State, bins, keys, record};
use crate::{LONG, NAMESPACE, open};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_core::engine::NamespaceState;
use tessera_core::query::{IndexUse, QuerySpec};
use tessera_core::scan::ScanSpec;
use tessera_core::stream_summary::ChunkStream;
use tessera_core::{Namespace, WriteOptions};
use tessera_index::IndexState;
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef, Value};

/// A key that nobody has written before.
const NEW: i64 = 1 << 40;

pub struct Expected {
    pub page_bytes: u32,
    /// What may be there: one state, or a few where the last writes may be torn.
    pub states: Vec<State>,
    /// Every operation that ever wrote a key.
    pub ever: BTreeMap<Key, BTreeSet<u64>>,
}

/// What came of a record: the operation that wrote it, nothing, or damage that is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Served {
    Written(u64),
    Absent,
    Damaged,
}

/// What was accepted as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lossy {
    No,
    /// Records whose pages were damaged, and no others.
    Pages,
    /// Changes, so that older records may be there.
    Older,
}

/// A fault is what is wrong; otherwise a word for how the damage was told.
type Verdict = Result<String, String>;

macro_rules! ensure {
    ($holds:expr, $($text:tt)*) => { if !$holds { return Err(format!($($text)*)); } };
}

pub fn check(directory: &Path, expected: &Expected) -> Verdict {
    let engine = match open(directory) {
        Ok(engine) => engine,
        Err(error) if error.code == ErrorCode::ManifestDamaged => return Ok("refused".into()),
        Err(error) => return Err(format!("the engine does not open: {error}")),
    };
    let mut told = String::new();
    if engine.member(NAMESPACE).is_err() {
        ensure!(engine.orphan_names() == ["1"], "the namespace is gone, and is no orphan: {:?}", engine.orphan_names());
        if let Err(error) = engine.adopt_orphan("1", None) {
            return Ok(format!("orphan that is {}", error.code.as_str()));
        }
        engine.settle();
        told = "orphan, then ".into();
    }
    let member = engine.member(NAMESPACE).map_err(|error| error.to_string())?;
    let mut lossy = Lossy::No;
    let namespace = match member.state() {
        (NamespaceState::Ready, _) => engine.namespace(NAMESPACE).map_err(|error| error.to_string())?,
        (NamespaceState::Failed, Some(error)) => {
            told += error.code.as_str();
            told += if error.message.contains("is an older copy") { " of a page" } else { "" };
            if matches!(error.code, ErrorCode::DataFileDamaged | ErrorCode::DataFileMissing) {
                return Ok(told);
            }
            ensure!(error.is_loss(), "failed, and not for damage: {error}");
            let namespace = engine.reopen_namespace(NAMESPACE, true).map_err(|error| format!("{told} was accepted, and then: {error}"))?;
            let all = namespace.losses();
            lossy = if all.iter().all(|loss| loss.code == "record_damaged") { Lossy::Pages } else { Lossy::Older };
            ensure!(!all.is_empty(), "{told} was accepted, and no loss is listed");
            namespace
        }
        (state, error) => return Err(format!("the namespace is {state:?}: {error:?}")),
    };
    drop(member);
    let mut served = contents(&namespace, expected, lossy)?;
    let damaged = served.values().filter(|served| **served == Served::Damaged).count();
    if lossy == Lossy::No {
        told += if damaged > 0 { "named" } else { "nothing lost" };
    }
    go_on(&namespace, expected, &mut served)?;
    if lossy != Lossy::No {
        remove(&namespace, &mut served)?;
        counted(&namespace, &served)?;
    }
    drop(namespace);
    engine.close().map_err(|error| format!("does not close: {error}"))?;
    engine.close().unwrap();
    again(directory, expected, &served, lossy)?;
    Ok(told)
}

/// What is deleted or truncated after a loss was accepted is gone.
fn remove(namespace: &Arc<Namespace>, served: &mut BTreeMap<Key, Served>) -> Result<(), String> {
    for key in keys().filter(|key| key.1 % 5 == 2) {
        match namespace.delete(SETS[key.0], KeyRef::Integer(key.1), None) {
            Err(error) if error.code != ErrorCode::SetNotFound => return Err(format!("{key:?} cannot be deleted: {error}")),
            _ => drop(served.insert(key, Served::Absent)),
        }
    }
    match namespace.truncate(Some(SETS[1]), None) {
        Ok(truncation) => drop(truncation.wait_blocking(LONG)),
        Err(error) if error.code == ErrorCode::SetNotFound => {}
        Err(error) => return Err(format!("the set cannot be truncated: {error}")),
    }
    served.iter_mut().filter(|(key, _)| key.0 == 1).for_each(|(_, served)| *served = Served::Absent);
    Ok(())
}

/// Nothing is damaged any more, and all ways to look find and count the same.
fn counted(namespace: &Arc<Namespace>, served: &BTreeMap<Key, Served>) -> Result<(), String> {
    ensure!(served.values().all(|served| *served != Served::Damaged), "a record is damaged after the loss was accepted");
    let written = served.values().filter(|served| matches!(served, Served::Written(_))).count() as u64;
    let found = scanned(namespace, served)?.len() as u64;
    crate::wait_for(|| namespace.size(None) == written);
    ensure!(found == written, "a scan finds {found} records, and {written} are there");
    queried(namespace, served)
}

/// What is served of files that `damage` changes while they are open; and what is there after a stop.
pub fn check_open(directory: &Path, mut expected: Expected, damage: impl FnOnce()) -> Verdict {
    let engine = open(directory).map_err(|error| format!("the engine does not open: {error}"))?;
    let namespace = engine.namespace(NAMESPACE).map_err(|error| error.to_string())?;
    damage();
    let mut served = contents(&namespace, &expected, Lossy::No)?;
    let damaged = served.values().filter(|served| **served == Served::Damaged).count();
    go_on(&namespace, &expected, &mut served)?;
    drop(namespace);
    engine.close().map_err(|error| format!("does not close: {error}"))?;
    engine.close().unwrap();
    for (key, id) in served.iter().filter_map(|(key, was)| if let Served::Written(id) = was { Some((*key, *id)) } else { None }) {
        expected.states.iter_mut().for_each(|state| state.extend([(key, id)]));
        expected.ever.entry(key).or_default().insert(id);
    }
    Ok(format!("{}, then {}", if damaged > 0 { "named" } else { "nothing lost" }, check(directory, &expected)?))
}

/// Writes go on: of new records at least one in each few, as a damaged page of the index keeps those of its part from being found.
fn go_on(namespace: &Namespace, expected: &Expected, served: &mut BTreeMap<Key, Served>) -> Result<(), String> {
    let (mut taken, all) = (0, keys().step_by(7).chain((0..8).map(|n| (0, NEW + n))));
    for (number, key) in all.enumerate() {
        let id = NEW as u64 + number as u64;
        let body = record(key, id, expected.page_bytes);
        match namespace.put(SETS[key.0], KeyRef::Integer(key.1), &body, &WriteOptions::default()) {
            Ok(_) => {
                taken += 1;
                served.insert(key, Served::Written(id));
            }
            Err(error) if error.code == ErrorCode::RecordDamaged => {
                served.entry(key).or_insert(Served::Damaged);
            }
            Err(error) => return Err(format!("{key:?} cannot be written: {error}")),
        }
    }
    ensure!(taken > 0, "nothing can be written");
    Ok(())
}

/// The start after that finds what was left, and tells of the loss still.
fn again(directory: &Path, expected: &Expected, before: &BTreeMap<Key, Served>, lossy: Lossy) -> Result<(), String> {
    let engine = open(directory).map_err(|error| format!("the engine does not open again: {error}"))?;
    let namespace = engine.namespace(NAMESPACE).map_err(|error| format!("does not open again: {error}"))?;
    ensure!(lossy == Lossy::No || !namespace.losses().is_empty(), "the accepted loss is forgotten");
    for (key, was) in before {
        let now = read(&namespace, *key, expected)?;
        ensure!(now == *was, "{key:?} was {was:?}, and is {now:?} after another start");
    }
    if lossy != Lossy::No {
        counted(&namespace, before)?;
    }
    drop(namespace);
    engine.close().map_err(|error| format!("does not close again: {error}"))
}

fn read(namespace: &Namespace, key: Key, expected: &Expected) -> Result<Served, String> {
    let mut out = vec![];
    match namespace.get(SETS[key.0], KeyRef::Integer(key.1), &mut out) {
        Ok(None) => Ok(Served::Absent),
        Err(error) if error.code == ErrorCode::RecordDamaged => Ok(Served::Damaged),
        Err(error) if error.code == ErrorCode::SetNotFound => Ok(Served::Absent),
        Err(error) => Err(format!("{key:?} cannot be read: {error}")),
        Ok(Some(_)) => {
            let Some(Value::Int(id)) = bin(&out, "id") else { return Err(format!("{key:?} holds what was never written")) };
            let whole = bins(id as u64, expected.page_bytes).iter().all(|(name, value)| bin(&out, name).as_ref() == Some(value));
            ensure!(whole, "{key:?} holds what was never written");
            Ok(Served::Written(id as u64))
        }
    }
}

/// What is served of each key, by every way there is.
fn contents(namespace: &Arc<Namespace>, expected: &Expected, lossy: Lossy) -> Result<BTreeMap<Key, Served>, String> {
    let mut served = BTreeMap::new();
    for key in keys().chain(expected.ever.keys().copied().filter(|key| key.1 >= NEW)) {
        let found = read(namespace, key, expected)?;
        let states = expected.states.iter().map(|state| state.get(&key).map_or(Served::Absent, |id| Served::Written(*id)));
        let right: Vec<Served> = states.collect();
        let ever = match found {
            Served::Written(id) => expected.ever.get(&key).is_some_and(|ids| ids.contains(&id)),
            _ => true,
        };
        ensure!(ever, "{key:?} has {found:?}, which was never written");
        let holds = match lossy {
            Lossy::No => found == Served::Damaged || right.contains(&found),
            Lossy::Pages => found == Served::Absent || right.contains(&found),
            Lossy::Older => found != Served::Damaged,
        };
        ensure!(holds, "{key:?} is {found:?}, and should be {right:?}");
        served.insert(key, found);
    }
    let found = scanned(namespace, &served)?;
    ensure!(found.keys().all(|key| served.contains_key(key)), "a scan finds keys that were never written");
    queried(namespace, &served)?;
    if served.values().all(|served| *served != Served::Damaged) {
        let written = served.values().filter(|served| matches!(served, Served::Written(_))).count() as u64;
        ensure!(namespace.size(None) == written, "{} records are counted, and {written} are there", namespace.size(None));
    }
    Ok(served)
}

/// Rows of a stream by set and key, and digests of records that it calls damaged.
fn rows(stream: &ChunkStream) -> Result<(BTreeMap<Key, u64>, BTreeSet<String>), String> {
    let (mut found, mut damaged) = (BTreeMap::new(), BTreeSet::new());
    while let Some(chunk) = stream.next_blocking().map_err(|error| format!("a stream ends with {error}"))? {
        for line in chunk.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let row: serde_json::Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
            if let Some(error) = row.get("error") {
                damaged.insert(error["digest"].as_str().unwrap_or_default().to_owned());
                continue;
            }
            let set = SETS.iter().position(|set| row["set"] == **set).ok_or("a set that there is not")?;
            let key = (set, row["key"].as_i64().ok_or("a key that is no number")?);
            let id = row["bins"]["id"].as_u64().ok_or_else(|| format!("{key:?} has no id"))?;
            ensure!(found.insert(key, id).is_none(), "{key:?} came twice");
        }
    }
    Ok((found, damaged))
}

fn digest(key: Key) -> String {
    Digest::of(SETS[key.0], KeyRef::Integer(key.1)).to_string()
}

/// A scan has what reads have, and names what they call damaged.
fn scanned(namespace: &Arc<Namespace>, served: &BTreeMap<Key, Served>) -> Result<BTreeMap<Key, u64>, String> {
    let scan = namespace.scan(ScanSpec { threads: 2, ..ScanSpec::default() }).map_err(|error| format!("no scan begins: {error}"))?;
    let (found, damaged) = rows(&scan.stream)?;
    for (key, was) in served {
        let row = found.get(key).copied();
        let holds = match was {
            Served::Written(id) => row == Some(*id),
            Served::Absent => row.is_none() && !damaged.contains(&digest(*key)),
            Served::Damaged => true,
        };
        ensure!(holds, "{key:?} is {was:?}, and a scan finds {row:?}");
    }
    Ok(found)
}

/// What indexes answer is what a scan finds, but for what is damaged.
fn queried(namespace: &Arc<Namespace>, served: &BTreeMap<Key, Served>) -> Result<(), String> {
    crate::wait_for(|| namespace.indexes().iter().all(|index| index.state != IndexState::Building));
    ensure!(namespace.indexes().len() == 2, "an index is gone");
    let sizes = [3, 11].map(|size| (format!(r#"{{"bin":"doc","path":"size","op":"eq","value":{size}}}"#), "sizes"));
    let items = [4, 17].map(|id| (format!(r#"{{"bin":"doc","op":"contains","value":{{"items":[{{"id":{id}}}]}}}}"#), "documents"));
    for (text, index) in sizes.into_iter().chain(items) {
        let filter = Arc::new(Filter::compile(text.as_bytes()).map_err(|error| error.to_string())?);
        let ask = |use_index| {
            let spec = QuerySpec { filter: Some(filter.clone()), use_index, threads: 1, ..QuerySpec::default() };
            let query = namespace.query(spec).map_err(|error| format!("no query begins: {error}"))?;
            rows(&query.stream)
        };
        let (by_index, by_scan) = (ask(IndexUse::Named(index.into()))?.0, ask(IndexUse::Never)?.0);
        let sound = |rows: BTreeMap<Key, u64>| -> BTreeMap<Key, u64> {
            rows.into_iter().filter(|(key, _)| served.get(key) != Some(&Served::Damaged)).collect()
        };
        let (by_index, by_scan) = (sound(by_index), sound(by_scan));
        ensure!(by_index == by_scan, "{text}: {by_index:?} by index {index}, {by_scan:?} by scan");
        ensure!(by_scan.iter().all(|(key, id)| served.get(key) == Some(&Served::Written(*id))), "{text}: not what reads find");
    }
    Ok(())
}

/// Runs `work` on a thread of its own; a fault if it does not come to an end, or panics.
pub fn within_time(work: impl FnOnce() -> Verdict + Send + 'static) -> Verdict {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let _ = send.send(outcome.unwrap_or_else(|_| Err("it panics".into())));
    });
    receive.recv_timeout(2 * LONG).unwrap_or_else(|_| Err("it does not come to an end".into()))
}
