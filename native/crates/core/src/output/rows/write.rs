//! Writing the rows of a record: what they share is written once and copied.

use super::{Column, Rows};
use std::ops::Range;
use std::sync::Arc;
use tessera_base::limits::RESULT_ROW_BYTES;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::ValueRef;
use tessera_record::filter::{Item, Subject};
use tessera_record::json::{RecordView, Shape, write_head, write_string, write_value};

/// Writes the rows of records, one record after the other; its buffers are kept.
#[derive(Debug)]
pub(crate) struct RowWriter {
    rows: Arc<Rows>,
    /// What all rows of a record share: the record object up to its bins, then the values that no item has.
    shared: Vec<u8>,
    /// Of each column, where its `"name":value` lies in `shared`; empty where the record has no such value.
    columns: Vec<Range<usize>>,
}

impl RowWriter {
    pub(crate) const fn new(rows: Arc<Rows>) -> Self {
        Self { rows, shared: Vec::new(), columns: Vec::new() }
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Whether a record may have other than one row.
    pub(crate) fn unnests(&self) -> bool {
        self.rows.unnests()
    }

    /// Appends the rows of a record from item `from` on, each with its newline: record objects that have the columns as their
    /// bins and, where a list is unnested, the item's place as `item`. `more` is asked before each row whether it is wanted
    /// now; the answer is where it said no. `subject` is the record as expressions ask it.
    ///
    /// # Errors
    /// `row_too_long` for a row of more than `RESULT_ROW_BYTES`, about; `out` then ends within a row.
    pub(crate) fn write(
        &mut self,
        record: &RecordView<'_>,
        subject: &impl Subject,
        from: u32,
        out: &mut Vec<u8>,
        mut more: impl FnMut(&mut Vec<u8>) -> bool,
    ) -> Result<Option<u32>> {
        let rows = self.rows.clone();
        if !rows.unnests() {
            if !more(out) {
                return Ok(Some(0));
            }
            self.share(record, subject, &rows)?;
            self.row(subject, None, &rows, out)?;
            return Ok(None);
        }
        let Some(items) = rows.items(record.body) else { return Ok(None) };
        let mut begun = false;
        for (at, item) in items.iter().enumerate().skip(from as usize) {
            // A record has too few bytes for more items than that.
            let at = at as u32;
            if !more(out) {
                return Ok(Some(at));
            }
            if !begun {
                self.share(record, subject, &rows)?;
                begun = true;
            }
            self.row(subject, Some((at, item)), &rows, out)?;
        }
        Ok(None)
    }

    /// Writes what all rows of the record have.
    fn share(&mut self, record: &RecordView<'_>, subject: &impl Subject, rows: &Rows) -> Result<()> {
        self.shared.clear();
        self.columns.clear();
        write_head(&mut self.shared, record);
        self.columns.push(0..self.shared.len());
        match &rows.columns {
            Some(columns) => columns.iter().try_for_each(|column| self.share_column(subject, column)),
            None => {
                let hidden = rows.unnest.as_ref().map(|unnest| unnest.name.as_bytes());
                record
                    .body
                    .raw_bins()
                    .filter(|(name, _)| Some(*name) != hidden)
                    .try_for_each(|(name, value)| self.share_value(name, Some(ValueRef::of(value))))
            }
        }
    }

    fn share_column(&mut self, subject: &impl Subject, column: &Column) -> Result<()> {
        if column.of_item() {
            return self.share_value(column.name.as_bytes(), None);
        }
        column.value(subject, None, |value| self.share_value(column.name.as_bytes(), value)).unwrap_or(Ok(()))
    }

    fn share_value(&mut self, name: &[u8], value: Option<ValueRef<'_>>) -> Result<()> {
        let start = self.shared.len();
        if let Some(value) = value {
            write_entry(&mut self.shared, name, value);
        }
        self.columns.push(start..self.shared.len());
        check(self.shared.len())
    }

    fn row(&self, subject: &impl Subject, item: Option<(u32, ValueRef<'_>)>, rows: &Rows, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let mut shared = self.columns.iter().map(|range| &self.shared[range.clone()]);
        out.extend_from_slice(shared.next().unwrap_or_default());
        if let Some((at, _)) = item {
            out.extend_from_slice(b",\"item\":");
            write_value(out, ValueRef::Int(i64::from(at)), Shape::Record);
        }
        out.extend_from_slice(b",\"bins\":{");
        let bins = out.len();
        let comma = |out: &mut Vec<u8>| {
            if out.len() > bins {
                out.push(b',');
            }
            check(out.len() - start)
        };
        let (mut of_item, columns) = (false, rows.columns.as_deref().unwrap_or_default());
        for (place, text) in shared.enumerate() {
            let of = columns.get(place).filter(|column| column.of_item());
            of_item |= of.is_some();
            if let Some(column) = of {
                let item = rows.item_name().zip(item).map(|(name, (_, value))| Item { name, value });
                let write = |value: Option<ValueRef<'_>>| {
                    let Some(value) = value else { return Ok(()) };
                    comma(out)?;
                    write_entry(out, column.name.as_bytes(), value);
                    Ok(())
                };
                column.value(subject, item, write).unwrap_or(Ok(()))?;
            } else if !text.is_empty() {
                comma(out)?;
                out.extend_from_slice(text);
            }
        }
        // Where no column is of the item, the row has all of it.
        if let Some((unnest, (_, item))) = rows.unnest.as_ref().zip(item).filter(|_| !of_item) {
            comma(out)?;
            write_entry(out, unnest.name.as_bytes(), item);
        }
        out.extend_from_slice(b"}}\n");
        check(out.len() - start)
    }
}

fn write_entry(out: &mut Vec<u8>, name: &[u8], value: ValueRef<'_>) {
    write_string(out, name);
    out.push(b':');
    write_value(out, value, Shape::Record);
}

fn check(bytes: usize) -> Result<()> {
    if bytes <= RESULT_ROW_BYTES {
        return Ok(());
    }
    let message = sentence!("a row of the answer is longer than {most} bytes; select fewer columns", most = RESULT_ROW_BYTES);
    Err(Error::said(ErrorCode::RowTooLong, message).in_field("select"))
}
