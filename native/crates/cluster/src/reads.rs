//! Several reads at once, for one thread.

use crate::records::Records;
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::Instant;
use tessera_base::Result;
use tessera_core::store::remote::{FoundRecord, RemoteReads};
use tessera_record::Digest;

type Found = (u64, Result<FoundRecord>);

/// Reads go on while the thread is elsewhere only as far as the driver brings their answers; `next` takes these in.
pub(crate) struct Reads<'a> {
    records: &'a Records,
    under_way: FuturesUnordered<Pin<Box<dyn Future<Output = Found> + Send + 'a>>>,
    ended: VecDeque<Found>,
}

impl<'a> Reads<'a> {
    pub(crate) fn new(records: &'a Records) -> Self {
        Self { records, under_way: FuturesUnordered::new(), ended: VecDeque::new() }
    }
}

impl RemoteReads for Reads<'_> {
    fn in_flight(&self) -> usize {
        self.under_way.len() + self.ended.len()
    }

    fn start(&mut self, digest: Digest, tag: u64) {
        let records = self.records;
        self.under_way.push(Box::pin(async move { (tag, records.fetch(&digest).await) }));
        // The first look at a request sends it.
        let sent = async { self.under_way.next().now_or_never().flatten() };
        self.ended.extend(records.cluster().wait(sent));
    }

    fn wait_until(&mut self, until: Instant) -> bool {
        if self.ended.is_empty() && !self.under_way.is_empty() {
            let next = async { tokio::time::timeout_at(until.into(), self.under_way.next()).await };
            self.ended.extend(self.records.cluster().wait(next).ok().flatten());
        }
        !self.ended.is_empty()
    }

    fn next(&mut self) -> Option<Found> {
        self.ended.pop_front().or_else(|| self.records.cluster().wait(self.under_way.next()))
    }
}
