//! The log of a run in the interval format of HdrHistogram, which its own tools read: a line a second for each kind of operation.

use crate::figures::Counts;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriter, IntervalLogWriterBuilder, Tag};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};
use tessera_base::{Error, ErrorCode, Result};

/// Nanoseconds in a millisecond, the unit of the maximum on each line.
const MAX_DIVISOR: f64 = 1e6;

pub struct HdrLog<'a, 'b> {
    writer: IntervalLogWriter<'a, 'b, BufWriter<File>, V2DeflateSerializer>,
}

/// Makes the file, lets `work` write to it, and closes it. Values in it are nanoseconds from when operations were due.
///
/// # Errors
/// `storage_failed`, `device_full`, and what `work` returns.
pub fn with_log<R>(path: &Path, work: impl FnOnce(&mut HdrLog<'_, '_>) -> Result<R>) -> Result<R> {
    let failed = |error: &std::io::Error| Error::io(&format!("write {}", path.display()), error);
    let mut out = BufWriter::new(File::create(path).map_err(|error| failed(&error))?);
    let mut serializer = V2DeflateSerializer::new();
    let now = SystemTime::now();
    let mut builder = IntervalLogWriterBuilder::new();
    builder.with_start_time(now).with_base_time(now).with_max_value_divisor(MAX_DIVISOR);
    let writer = builder.begin_log_with(&mut out, &mut serializer).map_err(|error| failed(&error))?;
    let done = work(&mut HdrLog { writer })?;
    out.flush().map_err(|error| failed(&error))?;
    Ok(done)
}

impl HdrLog<'_, '_> {
    /// Writes a stretch that began `start_seconds` after the run.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn interval(&mut self, counts: &Counts, start_seconds: f64, seconds: f64) -> Result<()> {
        let failed = |error: &dyn std::fmt::Debug| Error::new(ErrorCode::StorageFailed, format!("write the HDR log: {error:?}"));
        let duration = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        for (tag, latencies) in [("read", counts.latency_of(true)), ("write", counts.latency_of(false))] {
            let Some(histogram) = latencies.hdr() else { continue };
            let written = self.writer.write_histogram(histogram, duration(start_seconds), duration(seconds), Tag::new(tag));
            written.map_err(|error| failed(&error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    #[test]
    fn the_log_is_read_back_by_its_own_reader() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.hlog");
        let mut counts = Counts::default();
        counts.record(Operation::Read, Duration::from_micros(5), Duration::from_micros(5), false, Ok(()));
        counts.record(Operation::Read, Duration::from_millis(5), Duration::from_millis(5), false, Ok(()));
        with_log(&path, |log| log.interval(&counts, 1.0, 1.0)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mut tags = Vec::new();
        for entry in IntervalLogIterator::new(&bytes) {
            let Ok(LogEntry::Interval(interval)) = entry else { continue };
            tags.push(interval.tag().unwrap().as_str().to_owned());
            assert_eq!(interval.start_timestamp(), Duration::from_secs(1));
            let coded = base64_bytes(interval.encoded_histogram());
            let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut &coded[..]).unwrap();
            assert_eq!(histogram.len(), 2);
        }
        assert_eq!(tags, ["read"]);
    }

    fn base64_bytes(text: &str) -> Vec<u8> {
        let place = |byte: u8| b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".iter().position(|&b| b == byte);
        let digits: Vec<u32> = text.bytes().filter_map(place).map(|n| n as u32).collect();
        digits
            .chunks(4)
            .flat_map(|four| {
                let word = four.iter().enumerate().fold(0, |word, (at, &digit)| word | digit << (18 - 6 * at));
                word.to_be_bytes()[1..four.len()].to_vec()
            })
            .collect()
    }
}
