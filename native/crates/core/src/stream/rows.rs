//! The rows of `map` and `flatMap`: bodies of their own, with the key of the record that they are of, so that every later step takes
//! them as it takes a record.

use crate::output::Rows;
use crate::scan::Met;
use tessera_base::limits::RESULT_ROW_BYTES;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::body::BIN_OVERHEAD;
use tessera_record::{BinsBuilder, BodyBuilder, BodyRef, ListRef, ValueRef};

/// Writes the row that has the columns of `rows` as its bins; what is not there is left out.
///
/// # Errors
/// `row_too_long`.
pub(super) fn map(rows: &Rows, element: &Met<'_>, out: &mut Vec<u8>) -> Result<()> {
    out.clear();
    let mut row = BodyBuilder::new(out, BodyRef::new(element.found.body).key());
    for column in rows.columns.iter().flatten() {
        let write = |value: Option<ValueRef<'_>>| {
            let Some(value) = value else { return Ok(()) };
            let open = row.bins().open_checked(&column.name)?;
            row.bins().encoder().copy(value);
            row.bins().close(open);
            check(row.bins().bytes())
        };
        column.value(element, None, write).unwrap_or(Ok(()))?;
    }
    row.finish();
    Ok(())
}

/// The rows of one element, each of them written over the one before: they share all bins but the item.
pub(super) struct Items<'a> {
    items: ListRef<'a>,
    name: &'a str,
    /// Bytes that all rows share.
    shared: usize,
}

impl<'a> Items<'a> {
    /// Writes what the rows share; `None` where there is no list.
    ///
    /// # Errors
    /// `too_many_bins`.
    pub(super) fn begin(rows: &'a Rows, body: BodyRef<'a>, out: &mut Vec<u8>) -> Result<Option<Self>> {
        let (Some(name), Some(items)) = (rows.item_name(), rows.items(body)) else { return Ok(None) };
        out.clear();
        let mut row = BodyBuilder::new(out, body.key());
        // The item hides a bin of its name.
        for (bin, value) in body.raw_bins().filter(|(bin, _)| *bin != name.as_bytes()) {
            row.bins().encoded(bin, value)?;
        }
        // It comes last, with null in its place until it is written.
        let open = row.bins().open_checked(name)?;
        row.bins().encoder().null();
        row.bins().close(open);
        row.finish();
        Ok(Some(Self { items, name, shared: out.len() - (BIN_OVERHEAD + name.len() + 1) }))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = ValueRef<'a>> + use<'a> {
        self.items.iter()
    }

    /// Writes the row of an item.
    ///
    /// # Errors
    /// `row_too_long`.
    pub(super) fn row(&self, item: ValueRef<'_>, out: &mut Vec<u8>) -> Result<()> {
        out.truncate(self.shared);
        let mut bins = BinsBuilder::new(out);
        let open = bins.open_checked(self.name)?;
        bins.encoder().copy(item);
        bins.close(open);
        check(out.len())
    }
}

fn check(bytes: usize) -> Result<()> {
    if bytes <= RESULT_ROW_BYTES {
        return Ok(());
    }
    Err(Error::said(ErrorCode::RowTooLong, sentence!("a row is longer than {most} bytes; map to fewer columns", most = RESULT_ROW_BYTES)))
}
