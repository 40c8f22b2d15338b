//! A slow operation as the payload of a frame: a row of numbers and texts. `docs/on-disk-format.md` has the order.

use super::{Operation, SlowOperation};
use crate::metrics::row::{Reader, list, text};
use std::sync::Arc;
use std::time::Duration;
use tessera_base::latency::split::{Part, Split};
use tessera_base::names::NamespaceId;
use tessera_base::{ErrorCode, varint};

const PARTS: [Part; Split::PARTS] = [Part::Queue, Part::Index, Part::Device, Part::Decode, Part::Reply];
/// JavaScript counts so far, and there is room to count on.
const ID_MOST: u64 = 1 << 52;
/// The last moment that JavaScript can name.
const TIME_MOST_MS: u64 = 8_640_000_000_000_000;
const KEY_TYPES: [&str; 4] = ["string", "integer", "bytes", "digest"];

/// Appends an operation, and whether it was beyond its threshold.
pub(super) fn encode(entry: &SlowOperation, slow: bool, out: &mut Vec<u8>) {
    let SlowOperation { id, operation, namespace, set, key, key_type, filter, filter_shape, .. } = entry;
    let SlowOperation { namespace_id, records, ended_at_ms, took, engine, split, threads, plan, job, failure, .. } = entry;
    let [nanos, engine] = [took, engine].map(|took| u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    let [queue, index, device, decode, reply] = PARTS.map(|part| split.of(part));
    let numbers =
        [*id, u64::from(slow), *operation as u64, *ended_at_ms, nanos, engine, queue, index, device, decode, reply, u64::from(*threads)];
    numbers.iter().for_each(|&number| varint::push(out, number));
    text(out, namespace);
    list(out, records.as_slice(), |out, &records| varint::push(out, records));
    let kind = *key_type;
    for choice in [set.as_deref(), key.as_deref(), kind, filter.as_deref(), filter_shape.as_deref(), plan.as_deref(), job.as_deref()] {
        list(out, choice.as_slice(), |out, choice| text(out, choice));
    }
    list(out, failure.as_slice(), |out, failure| text(out, failure.as_str()));
    // Behind all else: a frame of before there were ids ends here.
    namespace_id.iter().for_each(|id| text(out, &id.to_string()));
}

/// What `encode` wrote; `None` if `bytes` are not exactly that.
pub(super) fn decode(bytes: &[u8]) -> Option<(SlowOperation, bool)> {
    let mut from = Reader(bytes);
    let [id, slow, operation, ended_at_ms, nanos, engine] = from.numbers()?;
    let mut split = Split::default();
    for (part, nanos) in PARTS.into_iter().zip(from.numbers::<{ Split::PARTS }>()?) {
        split.add(part, nanos);
    }
    let [threads] = from.numbers()?;
    let namespace = from.text().map(Arc::from)?;
    let records = from.choice(|from| from.numbers().map(|[records]| records))?;
    let mut choice = || from.choice(|from| from.text().map(Box::<str>::from));
    let (set, key, key_type, filter, filter_shape, plan, job) =
        (choice()?, choice()?, choice()?, choice()?, choice()?, choice()?, choice()?);
    let failure = choice()?;
    let namespace_id = if from.0.is_empty() { None } else { Some(from.text().and_then(NamespaceId::parse)?) };
    let known = |name: Box<str>| KEY_TYPES.into_iter().find(|&known| *known == *name);
    let code = |name: Box<str>| ErrorCode::ALL.iter().copied().find(|code| code.as_str() == &*name).unwrap_or(ErrorCode::Internal);
    let entry = SlowOperation {
        id,
        operation: *Operation::ALL.get(usize::try_from(operation).ok()?)?,
        namespace,
        namespace_id,
        set,
        key,
        key_type: key_type.and_then(known),
        filter,
        filter_shape,
        records,
        ended_at_ms,
        took: Duration::from_nanos(nanos),
        engine: Duration::from_nanos(engine),
        split,
        threads: u32::try_from(threads).ok()?,
        plan,
        job,
        failure: failure.map(code),
    };
    let sound = id <= ID_MOST && ended_at_ms <= TIME_MOST_MS && slow <= 1 && split.total() == nanos;
    (sound && from.0.is_empty()).then_some((entry, slow == 1))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(super) use tests::samples;
