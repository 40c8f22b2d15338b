//! The rows that a query makes of a record: its columns, and one row for each item of a list where it is unnested.
//!
//! `parse` reads what is asked, `write` writes rows. `docs/query.md` is the reference for users.

mod parse;
mod write;

pub(crate) use write::RowWriter;

use tessera_base::Result;
use tessera_record::filter::expression::Expression;
use tessera_record::filter::{Item, Row, Subject};
use tessera_record::{BodyRef, ListRef, Path, ValueRef};

/// Compiled `select` and `unnest`.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// `None`: all bins.
    pub(crate) columns: Option<Vec<Column>>,
    unnest: Option<Unnest>,
}

/// A value of each row.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: Box<str>,
    source: Source,
    path: Path,
}

#[derive(Clone, Debug)]
enum Source {
    Bin(Box<str>),
    /// The item that the row is of.
    Item,
    Expression {
        expression: Box<Expression>,
        /// Whether the item is part of it.
        of_item: bool,
    },
}

/// A list whose items make a row each, as PostgreSQL's `jsonb_array_elements` does.
#[derive(Clone, Debug)]
struct Unnest {
    bin: Box<str>,
    path: Path,
    /// What an item is called in its row; it hides a bin of that name.
    name: Box<str>,
}

impl Rows {
    /// Compiles `select`, a JSON list of bin names, `{"bin","path","as"}` and `{"expr","as"}`, and `unnest`, `{"bin","path","as"}`.
    ///
    /// # Errors
    /// `query_invalid`, naming the field at fault as a path from `select` or `unnest`; and what reading JSON refuses.
    pub fn compile(select: Option<&[u8]>, unnest: Option<&[u8]>) -> Result<Self> {
        let unnest = unnest.map(parse::unnest).transpose()?;
        let columns = select.map(|select| parse::columns(select, unnest.as_ref().map(|unnest| &*unnest.name))).transpose()?;
        Ok(Self { columns, unnest })
    }

    /// Whether a record may have other than one row.
    pub const fn unnests(&self) -> bool {
        self.unnest.is_some()
    }

    /// Whether any column is of the sizes of records.
    pub(crate) fn reads_size(&self) -> bool {
        let sized = |column: &Column| matches!(&column.source, Source::Expression { expression, .. } if expression.reads_size());
        self.columns.iter().flatten().any(sized)
    }

    /// The list whose items are rows, and what they are called, for people.
    pub(crate) fn unnested(&self) -> Option<String> {
        let Unnest { bin, path, name } = self.unnest.as_ref()?;
        Some(if path.is_empty() { format!("{bin} as {name}") } else { format!("{bin}.{path} as {name}") })
    }

    /// The bins of each row, in their order; `None` where rows have all bins of their record.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        let columns = self.columns.as_ref()?;
        let whole = self.item_name().filter(|_| !columns.iter().any(Column::of_item));
        Some(columns.iter().map(|column| &*column.name).chain(whole).map(str::to_owned).collect())
    }

    /// What an item is called in its row.
    pub(crate) fn item_name(&self) -> Option<&str> {
        self.unnest.as_ref().map(|unnest| &*unnest.name)
    }

    /// The list whose items are rows; `None` where there is none, and where nothing is unnested.
    pub(crate) fn items<'v>(&self, body: BodyRef<'v>) -> Option<ListRef<'v>> {
        let Unnest { bin, path, .. } = self.unnest.as_ref()?;
        match body.bin(bin).and_then(|value| path.find(value))? {
            ValueRef::List(items) => Some(items),
            _ => None,
        }
    }
}

impl Column {
    /// Whether each row has a value of its own.
    const fn of_item(&self) -> bool {
        matches!(self.source, Source::Item | Source::Expression { of_item: true, .. })
    }

    /// Calls `with` with the value in the row of `item`, or in that of the record, if there is one.
    pub(crate) fn value<R>(
        &self,
        subject: &impl Subject,
        item: Option<Item<'_>>,
        with: impl FnOnce(Option<ValueRef<'_>>) -> R,
    ) -> Option<R> {
        match (&self.source, item) {
            (Source::Bin(bin), _) => Some(with(subject.body().and_then(|body| body.bin(bin)).and_then(|value| self.path.find(value)))),
            (Source::Item, item) => Some(with(item.and_then(|item| self.path.find(item.value)))),
            (Source::Expression { expression, of_item: true }, Some(item)) => expression.value(&Row { record: subject, item }, with),
            (Source::Expression { expression, .. }, _) => expression.value(subject, with),
        }
    }
}
