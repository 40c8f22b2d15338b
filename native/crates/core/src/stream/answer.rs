//! What comes to the end of a stream, written: records, rows, or what they came to.

use super::pipeline::End;
use crate::aggregate::Totals;
use crate::scan::Found;
use crate::sets::SetEntry;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::sync::Arc;
use tessera_base::limits::RESULT_ROW_BYTES;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::BodyRef;
use tessera_record::json::{RecordView, Shape, write_bins, write_record};

/// Writes elements; one for each worker.
#[derive(Default)]
pub(super) struct Writer {
    /// The set of the last record: streams mostly stay in one.
    set: Option<Arc<SetEntry>>,
}

impl Writer {
    /// Appends a line: a record object, or of a row the object of its columns.
    ///
    /// # Errors
    /// `row_too_long`.
    pub(super) fn write(&mut self, store: &RecordStore, found: &Found<'_>, row: bool, out: &mut Vec<u8>) -> Result<()> {
        let (start, body) = (out.len(), BodyRef::new(found.body));
        if row {
            write_bins(out, body, None, Shape::Record);
        } else {
            if self.set.as_ref().is_none_or(|set| set.id != found.set) {
                self.set = store.set_by_id(found.set);
            }
            let set = self.set.as_ref().map_or("", |set| &*set.name);
            write_record(out, &RecordView { set, digest: found.digest, meta: found.meta, body }, None);
        }
        out.push(b'\n');
        if out.len() - start <= RESULT_ROW_BYTES {
            return Ok(());
        }
        Err(Error::said(
            ErrorCode::RowTooLong,
            sentence!("a row of the answer is longer than {most} bytes; map to fewer columns", most = RESULT_ROW_BYTES),
        ))
    }
}

/// What all elements came to, as lines, and how many groups were left out; nothing where they are the answer themselves.
///
/// # Errors
/// `aggregate_invalid` where a histogram has too many buckets; `too_many_groups`.
pub(super) fn sum_up(end: &End, count: u64, bare: bool, totals: Option<&Mutex<Totals>>) -> Result<(Vec<u8>, Option<u64>)> {
    match (end, totals) {
        (End::Count, _) if bare => Ok((format!("{count}\n").into_bytes(), None)),
        (End::Count, _) => Ok((format!("{{\"count\":{count}}}\n").into_bytes(), None)),
        (_, Some(totals)) => {
            let (mut lines, others) = totals.lock().answer()?;
            if others.is_none() {
                lines.push(b'\n');
            }
            Ok((lines, others))
        }
        (_, None) => Ok((Vec::new(), None)),
    }
}
