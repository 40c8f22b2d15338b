//! What JavaScript sees of recoveries: how far they are, and what they found.

use napi_derive::napi;
use tessera_core::engine::Member;
use tessera_core::manifest::Loss;
use tessera_storage::RecoveryReport;

/// What reading the device found when the namespace was opened.
#[napi(object, object_from_js = false)]
pub struct RecoveryInfo {
    /// "warm": the index came from its snapshot; "cold": from all the records.
    #[napi(ts_type = "'warm' | 'cold'")]
    pub start: &'static str,
    /// Why it was a cold start.
    pub reason: Option<String>,
    pub records: f64,
    pub tombstones: f64,
    pub blocks: f64,
    pub bytes_read: f64,
    pub seconds: f64,
    /// Writes that a crash cut short; they were never acknowledged.
    pub torn: f64,
    /// Damaged places.
    pub damaged: f64,
    /// The first of them, at most 1,000.
    pub damage: Vec<Damage>,
    pub indexes: IndexesRecovered,
}

/// What became of the document and range indexes.
#[napi(object, object_from_js = false)]
pub struct IndexesRecovered {
    /// From the snapshot.
    pub loaded: f64,
    /// From the records: as they were read, or by a job after it.
    pub rebuilt: f64,
}

/// How far a recovery is.
#[napi(object, object_from_js = false)]
pub struct RecoveryProgress {
    pub namespace: String,
    /// "reading" its device; "indexing": merging its document and range indexes after that.
    #[napi(ts_type = "'reading' | 'indexing'")]
    pub phase: &'static str,
    pub done_bytes: f64,
    pub total_bytes: f64,
}

/// A place where recovery found something that was not a record.
#[napi(object, object_from_js = false)]
pub struct Damage {
    pub offset: f64,
    pub reason: String,
}

impl RecoveryProgress {
    /// `None` unless it recovers.
    pub fn of(member: &Member) -> Option<Self> {
        let Member::Unopened(unopened) = member else { return None };
        if unopened.failure().is_some() {
            return None;
        }
        let progress = unopened.progress();
        let (done, total) = progress.bytes();
        let phase = if progress.indexing() { "indexing" } else { "reading" };
        Some(Self { namespace: member.name().to_owned(), phase, done_bytes: done as f64, total_bytes: total as f64 })
    }
}

/// Acknowledged data that was gone, and was accepted as lost.
#[napi(object, object_from_js = false)]
pub struct AcceptedLoss {
    pub at_ms: f64,
    pub code: String,
    pub message: String,
}

impl From<&Loss> for AcceptedLoss {
    fn from(loss: &Loss) -> Self {
        Self { at_ms: loss.at_ms as f64, code: loss.code.clone(), message: loss.message.clone() }
    }
}

impl From<&RecoveryReport> for RecoveryInfo {
    fn from(report: &RecoveryReport) -> Self {
        Self {
            start: if report.cold.is_none() { "warm" } else { "cold" },
            reason: report.cold.clone(),
            records: report.records as f64,
            tombstones: report.tombstones as f64,
            blocks: report.blocks as f64,
            bytes_read: report.bytes_read as f64,
            seconds: report.elapsed.as_secs_f64(),
            torn: report.torn as f64,
            damaged: report.damaged as f64,
            damage: report.damage.iter().map(|(offset, reason)| Damage { offset: *offset as f64, reason: reason.clone() }).collect(),
            indexes: IndexesRecovered { loaded: report.indexes_loaded.into(), rebuilt: report.indexes_rebuilt.into() },
        }
    }
}
