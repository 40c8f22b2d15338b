//! Records with more rows than there was room for: kept aside while a segment is locked, written when nobody waits.

use super::outbox::Outbox;
use super::writer::Writer;
use crate::scan::walk::Found;
use crate::store::RecordStore;
use crate::stream_summary::ChunkSink;
use tessera_base::Result;
use tessera_jobs::chunk_stream::CHUNK_BYTES;

/// Copies of records, in the order in which they were met, and of each the item to go on with. They are those of one step,
/// so about a chunk of bodies.
#[derive(Default)]
pub(in crate::scan) struct Backlog(Vec<Held>);

struct Held {
    found: Found<'static>,
    body: Vec<u8>,
    item: u32,
}

impl Backlog {
    pub(in crate::scan) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::scan) fn hold(&mut self, found: &Found<'_>, item: u32) {
        let Found { segment, slot, set, digest, meta, size, body } = *found;
        self.0.push(Held { found: Found { segment, slot, set, digest, meta, size, body: &[] }, body: body.to_vec(), item });
    }

    /// Writes the rows of all records, in order, and hands over what fills a chunk. Ends where `wanted`, which is asked before
    /// each row and told the bytes of all so far, says no.
    ///
    /// # Errors
    /// `aborted`, `row_too_long`.
    pub(in crate::scan) fn write(
        &mut self,
        store: &RecordStore,
        writer: &mut Writer,
        out: &mut Outbox,
        sink: &ChunkSink,
        mut wanted: impl FnMut(usize) -> bool,
    ) -> Result<()> {
        let (mut done, mut handed_over) = (0, Ok(()));
        let Outbox { rows, sent, .. } = out;
        for held in &mut self.0 {
            let left_off = writer.write(store, &Found { body: &held.body, ..held.found }, held.item, rows, |rows| {
                if rows.len() >= CHUNK_BYTES {
                    *sent += rows.len();
                    handed_over = sink.send(std::mem::take(rows));
                }
                handed_over.is_ok() && wanted(*sent + rows.len())
            })?;
            std::mem::replace(&mut handed_over, Ok(()))?;
            if let Some(item) = left_off {
                held.item = item;
                break;
            }
            done += 1;
        }
        self.0.drain(..done);
        Ok(())
    }

    /// The record to go on with.
    pub(in crate::scan) fn first(&self) -> Option<(&Found<'static>, u32)> {
        self.0.first().map(|held| (&held.found, held.item))
    }
}
