//! Writing met records to chunks, or adding them up.

use super::matcher::{Left, Matcher, Met};
use crate::aggregate::{Item, Totals};
use crate::output::RowWriter;
use crate::scan::plan::{ScanFormat, ScanSpec, WorkerProfile, timed};
use crate::scan::walk::{Damaged, Found, pack_all_damaged, write_damaged_lines};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use std::sync::Arc;
use tessera_base::{Result, clock};
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_record::json::{RecordView, write_record, write_v1_row};
use tessera_record::msgpack::{pack_object, pack_row};
use tessera_record::{BodyRef, ListRef};

/// Filters records and writes those that match; one for each worker.
pub(in crate::scan) struct Writer {
    matcher: Matcher,
    totals: Option<Totals>,
    steps: Option<WorkerProfile>,
    bins: Option<Vec<String>>,
    rows: Option<RowWriter>,
    format: ScanFormat,
    /// The set of the last record: scans mostly stay in one.
    set: Option<Arc<SetEntry>>,
}

impl Writer {
    pub(in crate::scan) fn new(spec: &ScanSpec, left: Left) -> Self {
        Self {
            matcher: Matcher::new(spec.filter.clone(), left),
            totals: None,
            steps: spec.steps.clone().map(WorkerProfile::new),
            bins: spec.bins.clone(),
            rows: spec.rows.clone().map(RowWriter::new),
            format: spec.format.clone(),
            set: None,
        }
    }

    /// The same, adding records up in `totals` where there are some.
    pub(in crate::scan) fn adding_up(self, totals: Option<Totals>) -> Self {
        Self { totals, ..self }
    }

    pub(in crate::scan) fn matches(&mut self, store: &RecordStore, found: &Found<'_>) -> bool {
        let matches = self.matcher.matches(&Met { store, found });
        if let Some(steps) = &mut self.steps {
            steps.matched += u64::from(matches);
        }
        matches
    }

    /// Whether all that is wanted has been taken.
    pub(in crate::scan) fn done(&self) -> bool {
        self.matcher.done()
    }

    /// As `Totals::relieve`.
    pub(in crate::scan) fn relieve(&mut self) -> Result<()> {
        self.totals.as_mut().map_or(Ok(()), Totals::relieve)
    }

    /// What it has added up, where that is wanted.
    pub(in crate::scan) fn totals(&self) -> Option<&Totals> {
        self.totals.as_ref()
    }

    /// Writes a line or an object for each record that could not be read, where the format has room for it.
    pub(in crate::scan) fn damaged(&self, store: &RecordStore, damaged: &[Damaged], out: &mut Vec<u8>) {
        match self.format {
            _ if self.totals.is_some() => {}
            ScanFormat::Record | ScanFormat::Values => write_damaged_lines(store, damaged, out),
            ScanFormat::Objects => pack_all_damaged(store, damaged, out),
            ScanFormat::V1 | ScanFormat::Packed | ScanFormat::Csv | ScanFormat::Custom(_) => {}
        }
    }

    /// Bytes of rows for which there is room while a segment may be locked: the rows of a record that is one row are few.
    pub(in crate::scan) fn room(&self) -> usize {
        if self.totals.is_none() && self.rows.as_ref().is_some_and(RowWriter::unnests) { CHUNK_BYTES } else { usize::MAX }
    }

    /// Writes the rows of a record, those of a list's items from `item` on. `more` is asked before each whether it is wanted
    /// now; the answer is the item before which it said no.
    ///
    /// # Errors
    /// `row_too_long`, `too_many_groups`.
    pub(in crate::scan) fn write(
        &mut self,
        store: &RecordStore,
        found: &Found<'_>,
        item: u32,
        out: &mut Vec<u8>,
        mut more: impl FnMut(&mut Vec<u8>) -> bool,
    ) -> Result<Option<u32>> {
        if self.steps.is_none() {
            return self.write_rows(store, found, item, out, more);
        }
        let (mut rows, mut ns) = (0, 0);
        let written = timed(Some(&mut ns), || {
            self.write_rows(store, found, item, out, |out| {
                let more = more(out);
                rows += u64::from(more);
                more
            })
        });
        if let Some(steps) = &mut self.steps {
            steps.rows += rows;
            steps.rows_ns += ns;
        }
        written
    }

    fn write_rows(
        &mut self,
        store: &RecordStore,
        found: &Found<'_>,
        item: u32,
        out: &mut Vec<u8>,
        mut more: impl FnMut(&mut Vec<u8>) -> bool,
    ) -> Result<Option<u32>> {
        if let Some(totals) = &mut self.totals {
            let steps = &mut self.steps;
            let mut add =
                |met: &Met<'_>, item: Option<&Item<'_>>| timed(steps.as_mut().map(|steps| &mut steps.group_ns), || totals.add(met, item));
            let met = Met { store, found };
            let rows = self.rows.as_ref().map(RowWriter::rows);
            let Some((rows, name)) = rows.and_then(|rows| Some((rows, rows.item_name()?))) else {
                if !more(out) {
                    return Ok(Some(0));
                }
                return add(&met, None).map(|()| None);
            };
            for value in rows.items(BodyRef::new(found.body)).iter().flat_map(ListRef::iter) {
                // Nothing is written, so there is room.
                more(out);
                add(&met, Some(&Item { name, value }))?;
            }
            return Ok(None);
        }
        if self.set.as_ref().is_none_or(|set| set.id != found.set) {
            self.set = store.set_by_id(found.set);
        }
        let set = self.set.as_ref().map_or("", |set| &*set.name);
        let record = RecordView { set, digest: found.digest, meta: found.meta, body: BodyRef::new(found.body) };
        if let Some(rows) = &mut self.rows {
            return rows.write(&record, &Met { store, found }, item, out, more);
        }
        if !more(out) {
            return Ok(Some(0));
        }
        match &self.format {
            ScanFormat::Record | ScanFormat::Csv | ScanFormat::Values => write_record(out, &record, self.bins.as_deref()),
            ScanFormat::V1 => write_v1_row(out, &record, self.bins.as_deref(), clock::unix_seconds()),
            ScanFormat::Packed => pack_row(out, &record, self.bins.as_deref(), clock::unix_seconds()),
            ScanFormat::Objects => pack_object(out, &record, self.bins.as_deref()),
            ScanFormat::Custom(write) => write(out, &record),
        }
        if matches!(self.format, ScanFormat::Record | ScanFormat::Csv | ScanFormat::Values | ScanFormat::V1) {
            out.push(b'\n');
        }
        Ok(None)
    }
}
