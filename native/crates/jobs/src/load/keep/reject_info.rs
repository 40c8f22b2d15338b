//! What is told of a file of rejects.

use serde::{Deserialize, Serialize};

/// Why a file lacks rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CutShort {
    /// It is as large as it may be.
    Size,
    /// The disk took no more.
    Storage,
}

impl CutShort {
    /// The name that callers read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Storage => "storage",
        }
    }
}

/// The file as a report tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectFileInfo {
    pub rows: u64,
    pub bytes: u64,
    pub cut_short: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<CutShort>,
}
