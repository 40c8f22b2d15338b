//! Many records by key, as a stream of lines.

use super::read::{Form, append, read_record};
use crate::chunk_stream::{CHUNK_BYTES, ChunkSink, ChunkStream, StreamSummary, chunk_stream};
use crate::error::{Error, ErrorCode, Result};
use crate::metrics::Clock;
use crate::namespace::{Lookup, Namespace, RecordName};
use crate::pool::caught;
use crate::record::KeyRef;
use crate::record::json;
use std::ops::Range;
use std::sync::Arc;

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

/// Streams a line for each key, in their order: the record, or `{"key":..,"missing":true}`. A key that is not legal fails
/// the stream before its first line.
///
/// The stream fails with what `json::parse_keys` refuses; `config_invalid` past 10,000 keys; `record_damaged`,
/// `storage_failed`.
pub fn read_records(namespace: &Arc<Namespace>, batch: ReadBatch) -> ChunkStream {
    // Workers find out that nobody reads any more with their next chunk.
    let (sink, stream) = chunk_stream(|| {});
    let reading = namespace.clone();
    namespace.pool().spawn(move || {
        let started = Clock::now();
        let mut summary = StreamSummary { threads: 1, method: "keys", ..StreamSummary::default() };
        let outcome = caught(|| write_lines(&reading, &batch, &sink, &mut summary));
        summary.elapsed_ms = Clock::nanos_since(started) as f64 / 1e6;
        sink.finish(outcome, summary);
    });
    stream
}

fn write_lines(namespace: &Namespace, batch: &ReadBatch, sink: &ChunkSink, summary: &mut StreamSummary) -> Result<()> {
    let keys = json::parse_keys(&batch.keys)?;
    if keys.len() > BATCH_KEYS {
        let message = format!("a batch reads at most {BATCH_KEYS} keys, not {}", keys.len());
        return Err(Error::new(ErrorCode::ConfigInvalid, message).in_field("keys"));
    }
    let form = Form { bins: batch.bins.as_deref(), ..Form::default() };
    let refs: Vec<KeyRef<'_>> = keys.iter().map(|key| key.as_ref()).collect();
    let (mut held, mut out) = (Vec::new(), Vec::new());
    for group in refs.chunks(GROUP) {
        let places = read_group(namespace, &batch.set, group, &form, &mut held)?;
        for (&key, place) in group.iter().zip(places) {
            let found = match place {
                Place::Nowhere => false,
                Place::Held(range) => {
                    out.extend_from_slice(&held[range]);
                    true
                }
                Place::Later => read_record(namespace, &batch.set, RecordName::Key(key), &form, &mut out)?,
            };
            if !found {
                out.extend_from_slice(b"{\"key\":");
                json::write_key(&mut out, key);
                out.extend_from_slice(b",\"missing\":true}");
            }
            out.push(b'\n');
            summary.returned += u64::from(found);
            if out.len() >= CHUNK_BYTES {
                sink.send(std::mem::take(&mut out))?;
            }
        }
        summary.scanned += group.len() as u64;
    }
    sink.send(out)
}

/// Writes the records of `keys` to `held` (cleared first), in the order of memory, and says where each is.
fn read_group(namespace: &Namespace, set: &str, keys: &[KeyRef<'_>], form: &Form<'_>, held: &mut Vec<u8>) -> Result<Vec<Place>> {
    held.clear();
    let digests = keys.iter().map(|&key| Lookup::from(key).digest(set)).collect::<Result<Vec<_>>>()?;
    let mut places = vec![Place::Nowhere; keys.len()];
    namespace.get_many(set, keys, &mut |position, record| {
        let Some((meta, body)) = record else { return };
        places[position] = if held.len() < HELD_BYTES {
            let start = held.len();
            append(held, set, digests[position], meta, body, form);
            Place::Held(start..held.len())
        } else {
            Place::Later
        };
    })?;
    Ok(places)
}
