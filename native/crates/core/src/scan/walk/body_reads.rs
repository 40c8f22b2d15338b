//! BodyReads that a step of a scan has to read from a device: several at once, in the order of the device.

use crate::segment::Fetches;
use crate::store::{Guard, RecordStore, WINDOW};
use std::ops::Range;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::Meta;
use tessera_storage::{DeviceReads, SlotRecord};

/// A record whose body has to be read, as it was met.
#[derive(Clone, Copy)]
pub(in crate::scan) struct PendingRead {
    pub(in crate::scan) segment: u16,
    pub(in crate::scan) slot: u32,
    pub(in crate::scan) set: u16,
    pub(in crate::scan) record: SlotRecord,
}

/// Metadata, and the bytes that the record takes where it is stored.
type Version = (Meta, u64);

/// What reading them came to; kept from step to step for its memory and its reads.
#[derive(Default)]
pub(in crate::scan) struct BodyReads {
    /// By place in the pending ones: the version that was read, if the record is still in its slot, and where its body is.
    read: Vec<(Result<Option<Version>>, Range<usize>)>,
    /// The bodies of one step, one behind the other: a large one leaves no room of its own behind.
    bytes: Vec<u8>,
    order: Vec<usize>,
    fetches: Option<Fetches<usize>>,
}

impl BodyReads {
    /// Reads the bodies of `pending`; `guard` notes their changes in flight.
    ///
    /// # Errors
    /// `storage_failed`.
    pub(in crate::scan) fn read(&mut self, store: &RecordStore, guard: Option<&Guard>, pending: &[PendingRead]) -> Result<()> {
        self.order.clear();
        self.order.extend(0..pending.len());
        self.order.sort_unstable_by_key(|&at| pending[at].record.location);
        self.read.resize_with(pending.len(), || (Ok(None), 0..0));
        // After an error nothing is left in flight that the next step could take for its own.
        let mut fetches = match self.fetches.take() {
            Some(fetches) => fetches,
            None => Fetches::new(
                store
                    .storage()
                    .reader(WINDOW)?
                    .ok_or_else(|| Error::new(ErrorCode::Internal, "a body that is not in memory has no reader"))?,
            ),
        };
        let cell = |at: usize| &store.cells()[usize::from(pending[at].segment)];
        let current = |at: &usize, met: &SlotRecord| store.still_there(&cell(*at).read(), pending[*at].slot, &met.digest, guard);
        let mut order = self.order.iter();
        loop {
            while fetches.len() < WINDOW
                && let Some(&at) = order.next()
            {
                fetches.start(at, pending[at].record)?;
            }
            let Some(fetched) = fetches.next(store.storage(), &current) else { break };
            let outcome = match fetched.record {
                Err(error) if error.code != ErrorCode::RecordDamaged => return Err(error),
                record => {
                    record.map(|record| record.map(|record| (record.meta, cell(fetched.what).read().stored_bytes(record.location) as u64)))
                }
            };
            self.read[fetched.what] = (outcome, append(&mut self.bytes, fetches.body()));
        }
        self.fetches = Some(fetches);
        Ok(())
    }

    /// Takes the body of the next record that waits from memory.
    pub(in crate::scan) fn copy(&mut self, meta: Meta, size: u64, body: &[u8]) {
        self.read.push((Ok(Some((meta, size))), append(&mut self.bytes, body)));
    }

    /// Forgets what an earlier step has read.
    pub(in crate::scan) fn clear(&mut self) {
        self.read.clear();
        self.bytes.clear();
    }

    /// What was read from a device so far.
    pub(super) fn reads(&self) -> DeviceReads {
        self.fetches.as_ref().map(Fetches::reads).unwrap_or_default()
    }

    /// The body at a place of what was read last, with its version and size; `None` where the record has gone from its slot.
    ///
    /// # Errors
    /// `record_damaged`.
    pub(in crate::scan) fn get(&self, at: usize) -> Result<Option<(Meta, u64, &[u8])>> {
        let Some((outcome, place)) = self.read.get(at) else { return Ok(None) };
        Ok(outcome.clone()?.map(|(meta, size)| (meta, size, &self.bytes[place.clone()])))
    }
}

/// Where `body` is now.
fn append(bytes: &mut Vec<u8>, body: &[u8]) -> Range<usize> {
    let from = bytes.len();
    bytes.extend_from_slice(body);
    from..bytes.len()
}
