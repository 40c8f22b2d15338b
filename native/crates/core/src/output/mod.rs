//! What a scan or a query makes of the records it meets: rows with columns of their own, the first
//! of them in an order, lines of CSV, values of MessagePack.

mod contest;
mod csv;
mod order;
mod packed_lines;
mod recode;
mod record_table;
mod rows;

pub(crate) use contest::{Contest, Top};
pub use csv::CsvTable;
pub use order::{ORDERED_MOST, Order};
pub(crate) use order::{Place, Ranking};
pub(crate) use packed_lines::PackedLines;
pub(crate) use recode::CsvRows;
pub use record_table::RecordTable;
pub(crate) use rows::RowWriter;
pub use rows::Rows;
