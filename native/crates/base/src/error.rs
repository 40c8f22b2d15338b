//! The only error type that leaves the engine: a stable code, a sentence for people, and the field at fault.

use crate::sentence::{Sentence, Value};
use std::fmt;

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal,)*) => {
        /// Every way an operation can fail. The text form is stable: callers branch on it, wording may improve freely.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* $variant,)* }

        impl ErrorCode {
    /// Whether a write was refused because there is no room for it.
    pub const fn is_of_room(self) -> bool {
        matches!(self, Self::StopWrites | Self::DeviceFull | Self::MemoryFull)
    }

            /// All codes, in declaration order; the gateway checks that each has an HTTP status.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant,)*];

            /// The stable string, as it appears in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $text,)* }
            }
        }
    };
}

error_codes! {
    /// A namespace, set or index name breaks the naming rule.
    NameInvalid = "name_invalid",
    NamespaceExists = "namespace_exists",
    NamespaceNotFound = "namespace_not_found",
    NamespaceLimit = "namespace_limit",
    /// The namespace could not be opened; the others are served.
    NamespaceFailed = "namespace_failed",
    /// The namespace is still recovering.
    Starting = "starting",
    SegmentCountInvalid = "segment_count_invalid",
    ConfigInvalid = "config_invalid",
    /// A path that the person who started the process has not given for records.
    DeviceNotAllowed = "device_not_allowed",
    /// The engine of this namespace cannot do what was asked.
    Unsupported = "unsupported",
    /// The cluster of this namespace has no way to do what was asked.
    CapabilityUnsupported = "capability_unsupported",
    SetNotFound = "set_not_found",
    SetLimit = "set_limit",
    /// The set holds as much as its limits allow.
    SetQuota = "set_quota",
    SetNotEmpty = "set_not_empty",
    RecordNotFound = "record_not_found",
    RecordExists = "record_exists",
    GenerationMismatch = "generation_mismatch",
    RecordTooLarge = "record_too_large",
    RecordDamaged = "record_damaged",
    /// The record does not pass the filter of the write.
    FilteredOut = "filtered_out",
    KeyInvalid = "key_invalid",
    KeyTooLong = "key_too_long",
    BinNameInvalid = "bin_name_invalid",
    /// An operation on a bin that holds a value of another type.
    BinTypeMismatch = "bin_type_mismatch",
    /// Operations that are none, or not together.
    OperationInvalid = "operation_invalid",
    /// A record of this namespace has exactly one bin, named `value`.
    SingleBin = "single_bin",
    TooManyBins = "too_many_bins",
    NestingTooDeep = "nesting_too_deep",
    NumberOutOfRange = "number_out_of_range",
    JsonInvalid = "json_invalid",
    /// A field that this request does not have.
    FieldUnknown = "field_unknown",
    JsonDuplicateKey = "json_duplicate_key",
    MsgpackInvalid = "msgpack_invalid",
    Utf8Invalid = "utf8_invalid",
    CsvInvalid = "csv_invalid",
    RowTooLong = "row_too_long",
    ColumnUnknown = "column_unknown",
    KeyMissing = "key_missing",
    EncodingInvalid = "encoding_invalid",
    TtlInvalid = "ttl_invalid",
    /// A generation that an import is to keep, and that no record has.
    GenerationInvalid = "generation_invalid",
    /// A moment that is yet to come, where only a past one makes sense.
    TimeInFuture = "time_in_future",
    ThreadsInvalid = "threads_invalid",
    RateInvalid = "rate_invalid",
    CursorInvalid = "cursor_invalid",
    FilterInvalid = "filter_invalid",
    OrderInvalid = "order_invalid",
    /// An order without a limit, or with one past what can be kept.
    OrderNeedsLimit = "order_needs_limit",
    AggregateInvalid = "aggregate_invalid",
    /// A query makes more groups than memory is kept for.
    TooManyGroups = "too_many_groups",
    /// What a query makes of its records is not legal.
    QueryInvalid = "query_invalid",
    /// The steps of a stream are not legal, or not together.
    StreamInvalid = "stream_invalid",
    /// A stream meets more different elements than memory is kept for.
    TooManyDistinct = "too_many_distinct",
    SampleInvalid = "sample_invalid",
    RouteInvalid = "route_invalid",
    IndexExists = "index_exists",
    IndexNotFound = "index_not_found",
    IndexBuilding = "index_building",
    IndexLimit = "index_limit",
    JobNotFound = "job_not_found",
    JobFinished = "job_finished",
    JobLimit = "job_limit",
    /// A specification of the load generator that is not legal.
    WorkloadInvalid = "workload_invalid",
    WorkloadNotFound = "workload_not_found",
    ImportNotFound = "import_not_found",
    ImportChanged = "import_changed",
    RejectsNotFound = "rejects_not_found",
    /// The namespace has no second store.
    MigrationNotFound = "migration_not_found",
    /// What was asked has to wait until a migration has ended.
    MigrationActive = "migration_active",
    /// The two stores of a namespace are not known to hold the same.
    MigrationNotReady = "migration_not_ready",
    /// The second store of a namespace does not follow it any more.
    MigrationFailed = "migration_failed",
    /// There is no backup of that id, or it is not one of ours.
    BackupNotFound = "backup_not_found",
    /// A file of a backup is missing, cut off, changed, or of another backup.
    BackupDamaged = "backup_damaged",
    /// The backup has not come to its end: it has no manifest.
    BackupUnfinished = "backup_unfinished",
    /// A backup that an incremental one cannot build on.
    BackupBaseInvalid = "backup_base_invalid",
    /// A job is at work with the backup, or another backup builds on it.
    BackupInUse = "backup_in_use",
    /// The operator has described no target of that name.
    BackupTargetNotFound = "backup_target_not_found",
    /// A target of backups does not answer, or asks to come later.
    BackupTargetUnavailable = "backup_target_unavailable",
    /// A target of backups says no, or answers what it must not.
    BackupTargetRefused = "backup_target_refused",
    /// A namespace that is to be restored into has records.
    NamespaceNotEmpty = "namespace_not_empty",
    Aborted = "aborted",
    /// Nobody has read the stream for so long that its work was ended.
    ReaderStalled = "reader_stalled",
    /// The namespace is so full that it takes no writes that add.
    StopWrites = "stop_writes",
    DeviceFull = "device_full",
    MemoryFull = "memory_full",
    /// Other requests hold the memory that all may hold together.
    MemoryBusy = "memory_busy",
    /// One request would hold more memory than all may hold together.
    RequestTooLarge = "request_too_large",
    StorageFailed = "storage_failed",
    /// The device cannot keep up with the writes.
    DeviceOverload = "device_overload",
    /// The manifest lists a namespace whose data file is not there.
    DataFileMissing = "data_file_missing",
    /// The data file is empty or cut off before its end of header, or nothing in it proves whose it is.
    DataFileDamaged = "data_file_damaged",
    /// The data file belongs to another namespace, or is not one of ours.
    DataFileForeign = "data_file_foreign",
    DataFileVersionUnknown = "data_file_version_unknown",
    /// The log of a namespace is damaged before its end: acknowledged changes behind the damage cannot be done again.
    LogDamaged = "log_damaged",
    /// The data files are older or shorter than what was stored in them, or were replaced.
    DataRolledBack = "data_rolled_back",
    /// No folder of that name is without a namespace.
    OrphanNotFound = "orphan_not_found",
    OrphanNotAdoptable = "orphan_not_adoptable",
    /// No dropped namespace with that id can be restored.
    DroppedNotFound = "dropped_not_found",
    /// As many dropped namespaces are held as may be.
    DroppedLimit = "dropped_limit",
    /// No truncation with this id can be undone.
    TruncationNotFound = "truncation_not_found",
    /// It has to be undone, or final, before.
    TruncationUndoable = "truncation_undoable",
    /// A dropped namespace that can still be restored has the device.
    DeviceHeld = "device_held",
    /// A loss was to be accepted of a namespace that did not fail for one.
    NoLoss = "no_loss",
    /// The write may or may not be on stable storage: read the record to know.
    WriteUncertain = "write_uncertain",
    /// Too few nodes of the cluster answer. Nothing has changed.
    ClusterUnavailable = "cluster_unavailable",
    /// The cluster does not let this server in, or not do what was asked. Nothing has changed.
    ClusterRefused = "cluster_refused",
    /// A failed write or a panicking worker stopped the namespace; reads may go on.
    NamespacePoisoned = "namespace_poisoned",
    /// The data directory, or a file of a namespace, is gone, was replaced, or takes no writes.
    DataDirectoryUnavailable = "data_directory_unavailable",
    DataDirectoryLocked = "data_directory_locked",
    ManifestDamaged = "manifest_damaged",
    ManifestVersionUnknown = "manifest_version_unknown",
    Closed = "closed",
    Internal = "internal",
}

impl ErrorCode {
    /// Whether what a write was refused for says nothing of the record.
    pub const fn is_of_storage(self) -> bool {
        use ErrorCode as Code;
        matches!(
            self,
            Code::StopWrites
                | Code::DeviceFull
                | Code::MemoryFull
                | Code::StorageFailed
                | Code::DeviceOverload
                | Code::RecordDamaged
                | Code::WriteUncertain
                | Code::ClusterUnavailable
                | Code::ClusterRefused
                | Code::NamespacePoisoned
                | Code::DataDirectoryUnavailable
                | Code::Closed
                | Code::Internal
        )
    }
}

/// A failure: what, why, and which field of the request is at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub code: ErrorCode,
    pub message: String,
    /// The request field at fault, as the caller named it.
    pub field: Option<String>,
    /// What `message` was made of: see `sentence`.
    pub said: Option<Box<Sentence>>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None, said: None }
    }

    /// With a message that can be said in other languages.
    pub fn said(code: ErrorCode, sentence: Sentence) -> Self {
        Self { code, message: sentence.to_string(), field: None, said: Some(Box::new(sentence)) }
    }

    /// What the message was made of. `None` if it is another one by now, or was never more than a text.
    pub fn sentence(&self) -> Option<&Sentence> {
        self.said.as_deref().filter(|said| said.to_string() == self.message)
    }

    /// The same failure, with its message inside of another.
    #[must_use]
    pub fn within(mut self, outer: impl FnOnce(Value) -> Sentence) -> Self {
        let outer = outer(Value::from(&self));
        self.message = outer.to_string();
        self.said = Some(Box::new(outer));
        self
    }

    /// What the message was made of, as JSON, if it has values. Without values it is its own message.
    pub fn said_as_json(&self) -> Option<String> {
        self.sentence().filter(|sentence| sentence.has_values()).and_then(|sentence| serde_json::to_string(sentence).ok())
    }

    #[must_use]
    pub fn in_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Whether the same call may succeed later without the caller changing it.
    pub const fn retryable(&self) -> bool {
        matches!(
            self.code,
            ErrorCode::DeviceFull
                | ErrorCode::DeviceOverload
                | ErrorCode::MemoryFull
                | ErrorCode::MemoryBusy
                | ErrorCode::SetQuota
                | ErrorCode::StopWrites
                | ErrorCode::IndexBuilding
                | ErrorCode::JobLimit
                | ErrorCode::Starting
                | ErrorCode::DataDirectoryUnavailable
                | ErrorCode::ClusterUnavailable
                | ErrorCode::BackupTargetUnavailable
        )
    }

    /// Whether it is of the target of backups, and says nothing of a backup.
    pub const fn is_of_backup_target(&self) -> bool {
        matches!(self.code, ErrorCode::BackupTargetUnavailable | ErrorCode::BackupTargetRefused)
    }

    /// Whether it tells of acknowledged data that is gone: a namespace that failed with it may be opened with what is left.
    pub const fn is_loss(&self) -> bool {
        matches!(self.code, ErrorCode::LogDamaged | ErrorCode::DataRolledBack | ErrorCode::RecordDamaged)
    }

    /// An operating-system failure while doing `what`; a full disk keeps its own code.
    pub fn io(what: &str, source: &std::io::Error) -> Self {
        let code = match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => ErrorCode::DeviceFull,
            _ => ErrorCode::StorageFailed,
        };
        Self::new(code, format!("{what}: {source}"))
    }
}

/// Why something else failed: its sentence, or its text if that is all there is.
impl From<&Error> for Value {
    fn from(error: &Error) -> Self {
        error.sentence().map_or_else(|| Self::Text(error.message.clone()), |sentence| Self::Sentence(sentence.clone()))
    }
}

impl From<Error> for Value {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {}
