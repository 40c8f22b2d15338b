//! Many records by key, as lines.

use super::read::{Form, append, read_record};
use crate::store::{Lookup, RecordName, RecordStore};
use crate::stream_summary::StreamSummary;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use tessera_base::latency::{Clock, Tick};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_record::{Key, KeyRef, json};

/// Most keys of one batch of reads.
pub const BATCH_KEYS: usize = 10_000;
/// Keys that are asked for together.
const GROUP: usize = 256;
/// A group's records beyond this many bytes are read one by one when it is their turn.
const HELD_BYTES: usize = 1024 * 1024;

/// What a caller asks of a batch of reads.
#[derive(Clone, Debug)]
pub struct ReadBatch {
    pub set: String,
    /// A JSON array of keys, or one a line.
    pub keys: Vec<u8>,
    /// `None`: all bins; empty: none.
    pub bins: Option<Vec<String>>,
}

/// Where a key's record is.
#[derive(Clone)]
enum Place {
    Nowhere,
    Held(Range<usize>),
    /// There was no room for it.
    Later,
}

/// A batch of reads under way. It works only while it is asked for the next chunk: a slow reader holds no thread.
pub struct BatchReader {
    store: Arc<RecordStore>,
    batch: ReadBatch,
    /// Parsed with the first chunk.
    keys: Option<Vec<Key>>,
    /// Keys that have been asked for.
    asked: usize,
    /// Of the keys asked for last, those that are not written yet.
    places: VecDeque<Place>,
    held: Vec<u8>,
    started: Tick,
    summary: StreamSummary,
}

impl BatchReader {
    pub fn new(store: Arc<RecordStore>, batch: ReadBatch) -> Self {
        let summary = StreamSummary { threads: 1, method: "keys", ..StreamSummary::default() };
        let (places, held) = (VecDeque::new(), Vec::new());
        Self { store, batch, keys: None, asked: 0, places, held, started: Clock::now(), summary }
    }

    /// The next lines, about 256 KiB of them; `None` at the end. A line for each key, in their order: the record,
    /// `{"key":..,"missing":true}`, or for one that cannot be read `{"key":..,"error":{"code","message"}}`.
    ///
    /// # Errors
    /// With the first chunk what `json::parse_keys` refuses, and `config_invalid` past 10,000 keys; `storage_failed`.
    pub fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        let keys = match self.keys.take() {
            Some(keys) => keys,
            None => self.parse()?,
        };
        let written = self.write_lines(&keys);
        self.keys = Some(keys);
        self.summary.elapsed_ms = Clock::nanos_since(self.started) as f64 / 1e6;
        written.map(|out| Some(out).filter(|out| !out.is_empty()))
    }

    /// What has been done so far.
    pub fn summary(&self) -> StreamSummary {
        self.summary.clone()
    }

    fn parse(&mut self) -> Result<Vec<Key>> {
        let keys = json::parse_keys(&std::mem::take(&mut self.batch.keys), self.store.key_limit())?;
        if keys.len() > BATCH_KEYS {
            let message = sentence!("a batch must have at most {most} keys, got {given}", most = BATCH_KEYS, given = keys.len());
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("keys"));
        }
        Ok(keys)
    }

    fn write_lines(&mut self, keys: &[Key]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        while out.len() < CHUNK_BYTES {
            let Some(place) = self.places.pop_front() else {
                let group: Vec<KeyRef<'_>> = keys[self.asked..].iter().take(GROUP).map(Key::as_ref).collect();
                if group.is_empty() {
                    break;
                }
                self.asked += group.len();
                self.read_group(&group)?;
                continue;
            };
            let key = keys[self.asked - self.places.len() - 1].as_ref();
            let found = match place {
                Place::Nowhere => false,
                Place::Held(range) => {
                    out.extend_from_slice(&self.held[range]);
                    true
                }
                Place::Later => {
                    let form = Form { bins: self.batch.bins.as_deref(), ..Form::default() };
                    let start = out.len();
                    match read_record(&self.store, &self.batch.set, RecordName::Key(key), &form, &mut out) {
                        Err(error) if of_one_key(&error) => {
                            out.truncate(start);
                            self.write_failed(key, &error, &mut out);
                            continue;
                        }
                        read => read?,
                    }
                }
            };
            if !found {
                out.extend_from_slice(b"{\"key\":");
                json::write_key(&mut out, key);
                out.extend_from_slice(b",\"missing\":true}");
            }
            out.push(b'\n');
            self.summary.scanned += 1;
            self.summary.returned += u64::from(found);
        }
        Ok(out)
    }

    fn write_failed(&mut self, key: KeyRef<'_>, error: &Error, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"key\":");
        json::write_key(out, key);
        out.push(b',');
        json::write_error(out, error);
        out.extend_from_slice(b"}\n");
        self.summary.scanned += 1;
        self.summary.damaged += u64::from(error.code == ErrorCode::RecordDamaged);
    }

    /// Writes the records of `keys` to `held`, in the order of memory, and notes where each is.
    fn read_group(&mut self, keys: &[KeyRef<'_>]) -> Result<()> {
        let Self { store, batch: ReadBatch { set, bins, .. }, held, places, .. } = self;
        let form = Form { bins: bins.as_deref(), ..Form::default() };
        let digests = keys.iter().map(|&key| Lookup::from(key).digest(set, store.key_limit())).collect::<Result<Vec<_>>>()?;
        held.clear();
        places.resize(keys.len(), Place::Nowhere);
        let read = store.get_many(set, keys, &mut |position, record| {
            let Some((meta, body)) = record else { return };
            places[position] = if held.len() < HELD_BYTES {
                let start = held.len();
                append(held, set, digests[position], meta, body, &form);
                Place::Held(start..held.len())
            } else {
                Place::Later
            };
        });
        match read {
            // One of them: each is read alone when it is its turn.
            Err(error) if of_one_key(&error) => {
                places.iter_mut().for_each(|place| *place = Place::Later);
                Ok(())
            }
            read => read,
        }
    }
}
/// Whether an error says something of its key alone: the others are read all the same.
const fn of_one_key(error: &Error) -> bool {
    matches!(error.code, ErrorCode::RecordDamaged | ErrorCode::WriteUncertain)
}
