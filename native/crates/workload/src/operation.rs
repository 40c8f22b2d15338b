//! What a worker does: one operation, and the kind that it is counted by.

use serde::{Deserialize, Serialize};

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
