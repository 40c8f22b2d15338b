//! Writes of a batch, several at once.

use super::Records;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::HashMap;
use tessera_base::Result;
use tessera_core::store::Written;
use tessera_core::store::remote::{Limits, Outcomes, RemoteWrite, WriteOf};
use tessera_core::store::rules::check_generation;
use tessera_record::{Digest, Meta};

/// Records of one batch that are being written at most.
const AT_ONCE: usize = 32;
/// No further record begins while the bodies of those under way take so much.
const BYTES: usize = 8 * 1024 * 1024;

impl Records {
    /// As `Remote::write_many`. The writes of one record are one piece of work, so that they keep their order; the pieces go side by
    /// side. Each holds the turn of its own record alone, and waits for nothing but answers then, so no two batches wait for each other.
    pub(crate) fn write_many(&self, set: &str, writes: &[RemoteWrite<'_>], limits: Limits, each: &mut Outcomes<'_>) -> Result<()> {
        let at_once = AT_ONCE.min(self.cluster.config().in_flight as usize);
        let mut waiting = by_record(writes).into_iter();
        self.cluster.wait(async {
            let (mut under_way, mut bytes, mut outcome) = (FuturesUnordered::new(), 0, Ok(()));
            loop {
                while outcome.is_ok()
                    && under_way.len() < at_once
                    && bytes < BYTES
                    && let Some(record) = waiting.next()
                {
                    let size: usize = record.iter().map(|&at| writes[at].body_bytes()).sum();
                    bytes += size;
                    under_way.push(async move {
                        let mut written = Vec::with_capacity(record.len());
                        for at in record {
                            written.push((at, self.write_one(set, &writes[at], limits).await));
                        }
                        (size, written)
                    });
                }
                let Some((size, written)) = under_way.next().await else { return outcome };
                bytes -= size;
                for (at, result) in written {
                    outcome = outcome.and(each(at, result));
                }
            }
        })
    }

    async fn write_one(&self, set: &str, write: &RemoteWrite<'_>, limits: Limits) -> Result<Written> {
        let digest = write.digest;
        match &write.what {
            WriteOf::Change(rules) => self.change(set, &digest, rules, limits).await,
            WriteOf::Delete(options) => {
                let removed = self.delete(set, &digest, &|meta| check_generation(meta.generation, options)).await?;
                Ok(Written { digest, meta: Meta::default(), created: false, removed })
            }
        }
    }
}

/// Positions of the writes, by record; records in the order of their first write.
fn by_record(writes: &[RemoteWrite<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::with_capacity(writes.len());
    let mut known: HashMap<&Digest, usize> = HashMap::with_capacity(writes.len());
    for (at, write) in writes.iter().enumerate() {
        let group = *known.entry(&write.digest).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}
