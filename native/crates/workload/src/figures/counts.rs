//! What was counted in some stretch of a run.

use super::Latencies;
use crate::client::Failure;
use crate::operation::{Kind, Operation};
use std::collections::BTreeMap;
use std::time::Duration;
use tessera_base::latency::Histogram;

/// Different error codes that are told apart; the rest is counted under `other`.
const CODES: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// By kind, in the order of `Kind::ALL`: from when an operation was due to its end, and from when it began.
    latency: [Latencies; Kind::ALL.len()],
    service: [Latencies; Kind::ALL.len()],
    /// Of writes and of reads, from when an operation was due: as the metrics of the engine count.
    histograms: [Histogram; 2],
    /// Failed operations by code; they are in no latency.
    pub errors: BTreeMap<String, u64>,
    /// One of their messages.
    pub message: Option<String>,
    /// Operations that took longer than the timeout, failed ones too.
    pub timeouts: u64,
    /// Operations that were due and never began; known at the end of a run.
    pub missed: u64,
}

impl Counts {
    pub fn record(&mut self, operation: Operation, latency: Duration, service: Duration, late: bool, outcome: Result<(), Failure>) {
        self.timeouts += u64::from(late);
        match outcome {
            Ok(()) => {
                let kind = operation.kind() as usize;
                self.latency[kind].record(latency);
                self.histograms[usize::from(operation.kind().reads())].record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
                self.service[kind].record(service);
            }
            Err(failure) => {
                self.count_errors(&failure.code, 1);
                self.message.get_or_insert(failure.message);
            }
        }
    }

    /// What operations of a kind took from when they were due.
    pub fn latency(&self, kind: Kind) -> &Latencies {
        &self.latency[kind as usize]
    }

    /// The same of all that change nothing, or of all others.
    pub fn latency_of(&self, reads: bool) -> Latencies {
        sum_of(&self.latency, reads)
    }

    /// As `latency_of`, in the buckets of the metrics.
    pub fn histogram(&self, reads: bool) -> &Histogram {
        &self.histograms[usize::from(reads)]
    }

    /// As `latency_of`, from when they began.
    pub fn service_of(&self, reads: bool) -> Latencies {
        sum_of(&self.service, reads)
    }

    fn count_errors(&mut self, code: &str, errors: u64) {
        let code = if self.errors.len() < CODES || self.errors.contains_key(code) { code } else { "other" };
        *self.errors.entry(code.to_owned()).or_default() += errors;
    }

    pub fn add(&mut self, other: &Self) {
        self.latency.iter_mut().zip(&other.latency).for_each(|(sum, part)| sum.add(part));
        self.service.iter_mut().zip(&other.service).for_each(|(sum, part)| sum.add(part));
        self.histograms.iter_mut().zip(&other.histograms).for_each(|(sum, part)| sum.add(part));
        other.errors.iter().for_each(|(code, &errors)| self.count_errors(code, errors));
        self.message = self.message.take().or_else(|| other.message.clone());
        self.timeouts += other.timeouts;
    }

    /// Operations that ended well.
    pub fn done(&self) -> u64 {
        self.latency.iter().map(Latencies::count).sum()
    }

    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

fn sum_of(kinds: &[Latencies; Kind::ALL.len()], reads: bool) -> Latencies {
    let mut sum = Latencies::default();
    Kind::ALL.iter().filter(|kind| kind.reads() == reads).for_each(|&kind| sum.add(&kinds[kind as usize]));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Iterate;

    #[test]
    fn kinds_are_counted_apart_and_as_reads_and_writes() {
        let mut counts = Counts::default();
        let operations = [
            Operation::Read,
            Operation::Write,
            Operation::Insert,
            Operation::Update { bin: 1 },
            Operation::Scan { records: 2 },
            Operation::ReadModifyWrite { bin: 3 },
            Operation::Size,
            Operation::Iterate(Iterate { batch: 1, keys: true }),
        ];
        for (times, operation) in (1..).zip(operations) {
            for _ in 0..times {
                counts.record(operation, Duration::from_micros(times), Duration::ZERO, false, Ok(()));
            }
        }
        assert_eq!(Kind::ALL.map(|kind| counts.latency(kind).count()), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((counts.done(), counts.latency_of(true).count(), counts.service_of(false).count()), (36, 21, 15));
        assert_eq!((counts.latency_of(true).min_us(), counts.latency_of(false).min_us()), (1.0, 2.0));
        counts.add(&counts.clone());
        let histograms = [true, false].map(|reads| (counts.histogram(reads).count(), counts.histogram(reads).max()));
        assert_eq!(histograms, [(42, 8000), (30, 6000)]);
    }

    #[test]
    fn errors_are_counted_by_code_and_bounded() {
        let mut counts = Counts::default();
        for n in 0..100 {
            let failure = Failure { code: format!("code_{n}"), message: format!("message {n}") };
            counts.record(Operation::Read, Duration::ZERO, Duration::ZERO, n % 2 == 0, Err(failure));
        }
        assert_eq!((counts.failed(), counts.done(), counts.timeouts), (100, 0, 50));
        assert_eq!((counts.errors.len(), counts.errors["other"]), (CODES + 1, 100 - CODES as u64));
        assert_eq!(counts.message.as_deref(), Some("message 0"));
        let mut sum = Counts::default();
        sum.add(&counts);
        sum.add(&counts);
        assert_eq!((sum.failed(), sum.message.as_deref()), (200, Some("message 0")));
    }
}
