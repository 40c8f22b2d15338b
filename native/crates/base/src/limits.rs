//! Every maximum of the engine, checked before a byte is written.

use crate::error::{Error, ErrorCode, Result};
use crate::sentence;

/// Longest name of a namespace, set or index, bytes.
pub const NAME_BYTES: usize = 63;
/// Longest bin name, bytes.
pub const BIN_NAME_BYTES: usize = 255;
/// What the one bin of a record in a single-bin namespace is called; it is stored without a name.
pub const SINGLE_BIN: &str = "value";
/// Most bins in a record.
pub const BINS: usize = 4096;
/// Longest user key, bytes, of the engines that are bound by no page; see `KeyLimit` for those that are.
pub const KEY_BYTES: usize = 8 * 1024;
/// Longest user key that any namespace takes, bytes.
pub const KEY_BYTES_MAX: usize = 10 * 1024;
/// Deepest nesting of lists and maps in a bin.
pub const NESTING: usize = 64;
/// Default largest record body, bytes; a namespace may lower or raise it, never past `RECORD_BYTES_MAX`.
pub const RECORD_BYTES_DEFAULT: usize = 1024 * 1024;
/// Longest row of an import, bytes of CSV or JSON text.
pub const ROW_BYTES: usize = 16 * 1024 * 1024;
/// Largest record body any namespace may allow, bytes (less than the largest write block).
pub const RECORD_BYTES_MAX: usize = 8 * 1024 * 1024 - 4096;
/// Share of its capacity, in percent, from which a namespace stops taking writes that add.
pub const STOP_WRITES_PERCENT_DEFAULT: u32 = 90;
/// Most namespaces in one data directory.
pub const NAMESPACES: usize = 256;
/// Dropped namespaces that a data directory holds so that they can be restored.
pub const DROPPED: usize = 256;
/// Truncations of a namespace that can be undone at once.
pub const PENDING_TRUNCATIONS: usize = 32;
/// Accepted losses that the manifest keeps of a namespace.
pub const LOSSES: usize = 100;
/// Most sets in one namespace: ids are 16 bits wide and 0 means "no set".
pub const SETS: usize = u16::MAX as usize - 1;
/// Most indexes in one namespace.
pub const INDEXES: usize = 64;
/// Smallest and largest number of segments in a namespace; always a power of two.
pub const SEGMENTS_MIN: u32 = 1;
pub const SEGMENTS_MAX: u32 = 4096;
pub const SEGMENTS_DEFAULT: u32 = 256;
/// Most nodes that share the segments of a namespace, and most owners of a segment.
pub const NODES: u16 = 256;
pub const OWNERS: u16 = 16;
/// Most threads a scan, build or load may be given.
pub const THREADS: u32 = 128;
/// Longest filter, bytes of JSON; deepest nesting of `and`, `or`, `not`; most tests in one.
pub const FILTER_BYTES: usize = 64 * 1024;
pub const FILTER_DEPTH: usize = 16;
pub const FILTER_TESTS: usize = 256;
/// Deepest nesting of expressions; most parts of those of one filter, select, aggregate, group or order together; longest string that one
/// makes, bytes: each record of a scan may make some.
pub const EXPRESSION_DEPTH: usize = 16;
pub const EXPRESSION_TERMS: usize = 1024;
pub const EXPRESSION_TEXT_BYTES: usize = 64 * 1024;
/// Terms and ranges that one query looks up in each segment; and those that it estimates, in a few segments, to choose.
pub const LOOKUP_STEPS: usize = 1024;
pub const PLAN_STEPS: usize = 2048;
/// Terms of wanted documents that are looked up in one index: what has these has the others seldom not.
pub const DOCUMENT_TERMS: usize = 256;
pub const AGGREGATES: usize = 16;
pub const AGGREGATE_BYTES: usize = 64 * 1024;
/// Groups that a query may make, and bytes of those that its threads hold together.
pub const GROUPS: usize = 100_000;
pub const GROUP_BYTES: usize = 256 * 1024 * 1024;
/// Steps of a stream; longest list of them, bytes of JSON.
pub const STREAM_STEPS: usize = 32;
pub const STREAM_BYTES: usize = 512 * 1024;
/// Different elements that all `distinct` of a stream tell apart together: 16 bytes each, and what their tables leave free.
pub const DISTINCT: usize = 10_000_000;
/// Columns of a query's rows; longest list of them, bytes of JSON; longest row, bytes of JSON.
pub const COLUMNS: usize = 256;
pub const SELECT_BYTES: usize = 64 * 1024;
pub const RESULT_ROW_BYTES: usize = 64 * 1024 * 1024;
/// Buckets of a histogram.
pub const BUCKETS: usize = 10_000;
/// Most operations on one record at once, and most bytes that they answer.
pub const OPERATIONS: usize = 256;
pub const OPERATION_RESULT_BYTES: usize = 16 * 1024 * 1024;
/// Longest time to live, seconds (ten years, as Aerospike).
pub const TTL_SECONDS: u32 = 10 * 365 * 24 * 3600;

/// Checks a namespace, set or index name: 1 to 63 bytes of `[A-Za-z0-9_.-]`, and not `.` or `..`.
///
/// # Errors
/// `name_invalid`, naming `field`.
pub fn check_name(name: &str, field: &str) -> Result<()> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    if name.is_empty() || name.len() > NAME_BYTES || !name.bytes().all(legal) || name == "." || name == ".." {
        return Err(Error::said(
            ErrorCode::NameInvalid,
            sentence!(
                "a name must be 1 to {most} characters of A-Z, a-z, 0-9, '_', '.', '-', and not '.' or '..', got \"{given}\"",
                most = NAME_BYTES,
                given = shown(name)
            ),
        )
        .in_field(field));
    }
    Ok(())
}

/// The beginning of a text that somebody sent, for a message.
pub fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

/// Checks a bin name: 1 to 255 bytes of UTF-8 without control characters.
///
/// # Errors
/// `bin_name_invalid`, naming the bin.
pub fn check_bin_name(name: &str) -> Result<()> {
    if name.is_empty() || name.len() > BIN_NAME_BYTES || name.chars().any(char::is_control) {
        return Err(Error::said(
            ErrorCode::BinNameInvalid,
            sentence!("a bin name must be 1 to {most} bytes without control characters", most = BIN_NAME_BYTES),
        )
        .in_field(shown(name)));
    }
    Ok(())
}

/// Checks a bin that something is to be made for, in a namespace of such records.
///
/// # Errors
/// `single_bin`, naming `field`.
pub fn check_single_bin(name: &str, field: &str) -> Result<()> {
    if name == SINGLE_BIN {
        return Ok(());
    }
    let message = sentence!("records of this namespace must have one bin, \"{bin}\", got \"{given}\"", bin = SINGLE_BIN, given = name);
    Err(Error::said(ErrorCode::SingleBin, message).in_field(field))
}

/// Checks a thread count for a scan, build or load.
///
/// # Errors
/// `threads_invalid`.
pub fn check_threads(threads: u32) -> Result<()> {
    if threads == 0 || threads > THREADS {
        return Err(Error::said(
            ErrorCode::ThreadsInvalid,
            sentence!("threads must be 1 to {most}, got {given}", most = THREADS, given = threads),
        )
        .in_field("threads"));
    }
    Ok(())
}
