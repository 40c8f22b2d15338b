//! Who does the operations: begun one after the other, taken when they have ended, several in flight where the client can.

mod embedded;
mod http;

pub use embedded::Embedded;
pub use http::{Gateway, answer};

use crate::run::Stop;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use tessera_base::Result;

/// What is done with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    /// All bins, whether the record is there or not.
    Write,
    /// As `Write`, of a record that is new.
    Insert,
    /// One bin, the so-many-th, of a record that is there.
    Update {
        bin: u32,
    },
    /// So many records in the order of the namespace, the record first.
    Scan {
        records: u32,
    },
    /// A read, then an update.
    ReadModifyWrite {
        bin: u32,
    },
    /// How many records the namespace has.
    Size,
    /// Every record of the namespace, copied out in batches; no key is asked for.
    Iterate(Iterate),
}

/// How an iteration copies records out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iterate {
    /// Records of a batch.
    pub batch: u32,
    /// Whether their keys and what is known of them are copied alone.
    pub keys: bool,
}

/// What operations are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    Read,
    Write,
    Insert,
    Update,
    Scan,
    ReadModifyWrite,
    Size,
    Iterate,
}

impl Kind {
    pub const ALL: [Self; 8] =
        [Self::Read, Self::Write, Self::Insert, Self::Update, Self::Scan, Self::ReadModifyWrite, Self::Size, Self::Iterate];

    /// Whether it changes nothing.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Scan | Self::Size | Self::Iterate)
    }

    /// As people call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Scan => "scan",
            Self::ReadModifyWrite => "read-modify-write",
            Self::Size => "size",
            Self::Iterate => "iterate",
        }
    }
}

impl Operation {
    pub const fn kind(self) -> Kind {
        match self {
            Self::Read => Kind::Read,
            Self::Write => Kind::Write,
            Self::Insert => Kind::Insert,
            Self::Update { .. } => Kind::Update,
            Self::Scan { .. } => Kind::Scan,
            Self::ReadModifyWrite { .. } => Kind::ReadModifyWrite,
            Self::Size => Kind::Size,
            Self::Iterate(_) => Kind::Iterate,
        }
    }
}

/// How an operation ended. `code` is stable: a code of the core, or `connection_failed`, `timeout` or `http_<status>` of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: String,
    pub message: String,
}

/// An operation that has ended.
#[derive(Debug)]
pub struct Ended {
    /// As it was given to `start`.
    pub ticket: usize,
    pub at: Instant,
    /// `None` where the run was stopped meanwhile and it was left unfinished: then it is counted neither as done nor as failed.
    pub outcome: Option<std::result::Result<(), Failure>>,
}

/// One worker's way to the records.
pub trait Client: Send {
    /// Most operations in flight at once, at least 1.
    fn window(&self) -> usize;

    /// Begins an operation. The caller keeps to the window, and no two operations in flight have the same ticket.
    fn start(&mut self, ticket: usize, operation: Operation, key: u64);

    /// Takes an operation that has ended. Waits for one where there is one in flight, until `until` if that is given.
    fn take(&mut self, until: Option<Instant>) -> Option<Ended>;
}

/// Makes the clients of a run, one for each worker.
pub trait Clients: Sync {
    /// `stop` is that of the run: what takes long is left when it is asked for.
    ///
    /// # Errors
    /// Where the records cannot be reached at all.
    fn client<'a>(&'a self, worker: u32, stop: &'a Stop) -> Result<Box<dyn Client + 'a>>;
}
