//! What a caller asks of a scan.

use crate::filter::Filter;
use crate::job::JobKind;
use crate::record::json::RecordView;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct ScanSpec {
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    /// 1 to 128.
    pub threads: u32,
    /// Most records looked at a second; `None` or 0 for no limit.
    pub records_per_second: Option<u32>,
    /// `None`: all bins; empty: none.
    pub bins: Option<Vec<String>>,
    pub filter: Option<Arc<Filter>>,
    pub use_index: UseIndex,
    pub plan: PlanChoice,
    /// Most records returned; then in the order of segments and slots, and with a cursor where more may follow.
    pub limit: Option<u64>,
    /// Goes on where a page with a limit has ended.
    pub cursor: Option<String>,
    pub format: ScanFormat,
    /// What the stream begins with.
    pub head: Vec<u8>,
    /// What the job is called: `Scan` or `Export`.
    pub kind: JobKind,
}

impl Default for ScanSpec {
    fn default() -> Self {
        Self {
            set: None,
            threads: 1,
            records_per_second: None,
            bins: None,
            filter: None,
            use_index: UseIndex::Auto,
            plan: PlanChoice::Auto,
            limit: None,
            cursor: None,
            format: ScanFormat::Record,
            head: Vec::new(),
            kind: JobKind::Scan,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UseIndex {
    /// If the set has one.
    #[default]
    Auto,
    /// Or refuse the scan.
    Force,
    Never,
}

/// Which way a scan goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanChoice {
    /// The cheapest.
    #[default]
    Auto,
    /// By the set's index, or refuse the scan.
    SetIndex,
    /// By the set column; of a whole namespace, by all slots.
    SetColumn,
    /// By reading all blocks of a device namespace.
    Device,
}

/// Appends one record to a chunk.
pub type CustomFormat = Arc<dyn Fn(&mut Vec<u8>, &RecordView<'_>) + Send + Sync>;

/// How records are written.
#[derive(Clone, Default)]
pub enum ScanFormat {
    /// One line of JSON each, the record object of `/api/v1`.
    #[default]
    Record,
    /// One line of JSON each, as the compatible API shows a row.
    V1,
    Custom(CustomFormat),
}

impl std::fmt::Debug for ScanFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Record => "Record",
            Self::V1 => "V1",
            Self::Custom(_) => "Custom",
        })
    }
}
