//! Writing met records to chunks.

use super::spec::{ScanFormat, ScanSpec};
use super::visit::{Damaged, Found};
use crate::clock;
use crate::filter::Filter;
use crate::namespace::Namespace;
use crate::record::BodyRef;
use crate::record::json::{RecordView, write_damaged, write_record, write_v1_row};
use crate::sets::SetEntry;
use std::sync::Arc;

/// Filters records and writes those that match; one for each worker.
pub(super) struct Writer {
    filter: Option<Arc<Filter>>,
    bins: Option<Vec<String>>,
    format: ScanFormat,
    /// The set of the last record: scans mostly stay in one.
    set: Option<Arc<SetEntry>>,
}

impl Writer {
    pub(super) fn new(spec: &ScanSpec) -> Self {
        Self { filter: spec.filter.clone(), bins: spec.bins.clone(), format: spec.format.clone(), set: None }
    }

    pub(super) fn matches(&self, found: &Found<'_>) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.matches(&BodyRef::new(found.body)))
    }

    /// Writes a line for each record that could not be read, where the format has room for it.
    pub(super) fn damaged(&self, namespace: &Namespace, damaged: &[Damaged], out: &mut Vec<u8>) {
        if !matches!(self.format, ScanFormat::Record) {
            return;
        }
        for Damaged { set, digest, error } in damaged {
            let set = namespace.set_by_id(*set);
            let set = set.as_ref().map_or("", |set| &*set.name);
            write_damaged(out, set, digest, error);
            out.push(b'\n');
        }
    }

    pub(super) fn write(&mut self, namespace: &Namespace, found: &Found<'_>, out: &mut Vec<u8>) {
        if self.set.as_ref().is_none_or(|set| set.id != found.set) {
            self.set = namespace.set_by_id(found.set);
        }
        let set = self.set.as_ref().map_or("", |set| &*set.name);
        let record = RecordView { set, digest: found.digest, meta: found.meta, body: BodyRef::new(found.body) };
        match &self.format {
            ScanFormat::Record => write_record(out, &record, self.bins.as_deref()),
            ScanFormat::V1 => write_v1_row(out, &record, self.bins.as_deref(), clock::unix_seconds()),
            ScanFormat::Custom(write) => return write(out, &record),
        }
        out.push(b'\n');
    }
}
