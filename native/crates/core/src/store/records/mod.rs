//! Records, one by one or many at once.
//!
//! `write` takes what is to be changed into a segment, `rules` say what becomes of a record (with
//! `merge`), `body` asks them what is stored, `old` is what is found, `placed` is a write of a set
//! with a distribution bin, `admission` waits for room, `rows` stores what an import brings. `read`
//! finds a record; `read_many` and `record_reader` find several that overlap. `operate` runs several
//! operations on one record. `options` is how a caller names a record, and what it asks of a write.
//! `remote` is what a cluster does for a store whose records it keeps, `elsewhere` how the store uses it.

mod admission;
mod batch_room;
mod body;
mod elsewhere;
mod merge;
mod old;
mod operate;
mod options;
mod placed;
mod read;
mod read_many;
mod record_reader;
pub mod remote;
mod rows;
pub mod rules;
mod write;

pub(in crate::store) use elsewhere::is_open;
pub(crate) use options::BatchWrite;
pub use options::{Exists, Lookup, Operate, Operated, RecordName, WriteOptions, Written, route_of};
pub(crate) use read::WINDOW;
pub(in crate::store) use read::live;
pub use read::{Each, Resident};
pub use record_reader::{Answer, RecordReader};
pub(in crate::store) use rules::Change;
pub(in crate::store) use write::{Taken, Taker, Write};
