//! A plan as callers see it: the method, the others, and their costs.

use tessera_base::Sentence;
use tessera_storage::DeviceCosts;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanMethod {
    /// Walks the set's index.
    SetIndex,
    /// Compares the set column.
    SetColumn,
    /// Takes every record.
    All,
    /// Reads the stored blocks one behind the other.
    DeviceSequential,
    /// Reads all rows of a cluster, range by range.
    TokenRanges,
}

impl ScanMethod {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SetIndex => "set-index",
            Self::SetColumn => "set-column",
            Self::All => "all",
            Self::DeviceSequential => "device-sequential",
            Self::TokenRanges => "token-ranges",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScanPlan {
    pub method: ScanMethod,
    /// `None`, as the next two, where nobody knows how many records there are.
    pub estimated_ms: Option<f64>,
    /// Records the scan will look at.
    pub estimated_records: Option<u64>,
    pub namespace_records: Option<u64>,
    /// Segments that are visited; `None` where there are none.
    pub segments: Option<u32>,
    pub threads: u32,
    pub reason: Sentence,
    pub alternatives: Vec<Alternative>,
    /// What the estimates of a device are made with.
    pub costs: Option<DeviceCosts>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alternative {
    pub method: ScanMethod,
    pub estimated_ms: f64,
}
