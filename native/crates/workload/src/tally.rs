//! What workers count, in as many shares as keep them out of each other's way, merged once a second.

use crate::client::Failure;
use crate::figures::Counts;
use crate::operation::Operation;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Shares there are at most: more workers than this share them.
const SHARES: usize = 16;

pub struct Tally {
    shares: Vec<Mutex<Counts>>,
    timeout: Option<Duration>,
}

/// When an operation was to begin, began and ended.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub due: Instant,
    pub started: Instant,
    pub ended: Instant,
}

impl Tally {
    pub fn new(threads: u32, timeout_ms: u32) -> Self {
        let shares = (threads as usize).clamp(1, SHARES);
        Self {
            shares: (0..shares).map(|_| Mutex::default()).collect(),
            timeout: (timeout_ms > 0).then(|| Duration::from_millis(timeout_ms.into())),
        }
    }

    /// Counts an operation: what it took from when it was due, and from when it began.
    pub fn record(&self, worker: u32, operation: Operation, times: Times, outcome: Result<(), Failure>) {
        let latency = times.ended.saturating_duration_since(times.due);
        let service = times.ended.saturating_duration_since(times.started);
        let late = self.timeout.is_some_and(|timeout| service > timeout);
        self.share(worker).lock().record(operation, latency, service, late, outcome);
    }

    fn share(&self, worker: u32) -> &Mutex<Counts> {
        &self.shares[worker as usize % self.shares.len()]
    }

    /// Everything since the last call.
    pub fn take(&self) -> Counts {
        let mut sum = Counts::default();
        for share in &self.shares {
            let counts = std::mem::take(&mut *share.lock());
            sum.add(&counts);
        }
        sum
    }
}
