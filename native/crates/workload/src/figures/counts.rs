//! What was counted in some stretch of a run.

use super::Latencies;
use crate::client::{Failure, Operation};
use std::collections::BTreeMap;
use std::time::Duration;

/// Different error codes that are told apart; the rest is counted under `other`.
const CODES: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// From when an operation was due to its end.
    pub reads: Latencies,
    pub writes: Latencies,
    /// From when it began.
    pub read_service: Latencies,
    pub write_service: Latencies,
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
        match (outcome, operation) {
            (Ok(()), Operation::Read) => {
                self.reads.record(latency);
                self.read_service.record(service);
            }
            (Ok(()), Operation::Write) => {
                self.writes.record(latency);
                self.write_service.record(service);
            }
            (Err(failure), _) => {
                self.count_errors(&failure.code, 1);
                self.message.get_or_insert(failure.message);
            }
        }
    }

    fn count_errors(&mut self, code: &str, errors: u64) {
        let code = if self.errors.len() < CODES || self.errors.contains_key(code) { code } else { "other" };
        *self.errors.entry(code.to_owned()).or_default() += errors;
    }

    pub fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.read_service.add(&other.read_service);
        self.write_service.add(&other.write_service);
        other.errors.iter().for_each(|(code, &errors)| self.count_errors(code, errors));
        self.message = self.message.take().or_else(|| other.message.clone());
        self.timeouts += other.timeouts;
    }

    /// Operations that ended well.
    pub fn done(&self) -> u64 {
        self.reads.count() + self.writes.count()
    }

    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
