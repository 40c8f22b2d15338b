//! One operation that took long.

use super::Operation;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::latency::split::Split;
use tessera_base::names::NamespaceId;
use tessera_base::{ErrorCode, prefix};
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef};

/// Most bytes that are kept of a key, and of a filter.
const KEY_BYTES: usize = 128;
const FILTER_BYTES: usize = 512;
const CUT: &str = "…";

/// What an operation is called by that is about one record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name<'a> {
    Key(KeyRef<'a>),
    Digest(Digest),
}

/// What an operation was about. It is made only of those that took long.
#[derive(Clone, Copy, Default)]
pub(crate) struct About<'a> {
    /// `None`: of all sets.
    pub(crate) set: Option<&'a str>,
    pub(crate) name: Option<Name<'a>>,
    /// Records of a batch; of a search, those that it looked at.
    pub(crate) records: Option<u64>,
    pub(crate) filter: Option<&'a Filter>,
    /// 0: that of the caller alone.
    pub(crate) threads: u32,
    pub(crate) plan: Option<&'a str>,
    pub(crate) job: Option<&'a str>,
    /// What it failed with.
    pub(crate) failure: Option<ErrorCode>,
}

/// How long an operation took, nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    /// From its request to its end.
    pub(crate) whole: u64,
    /// What the engine's latency counts of it.
    pub(crate) engine: u64,
}

/// An operation that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowOperation {
    /// Ascends in the order in which operations ended.
    pub id: u64,
    pub operation: Operation,
    pub namespace: Arc<str>,
    /// `None` of those from before there were ids.
    pub namespace_id: Option<NamespaceId>,
    /// `None`: of all sets.
    pub set: Option<Box<str>>,
    /// Text, number, or hexadecimal digits of bytes and digests; `None` where keys are not kept.
    pub key: Option<Box<str>>,
    /// `string`, `integer`, `bytes` or `digest`, of an operation on one record.
    pub key_type: Option<&'static str>,
    /// `None` where values are not kept.
    pub filter: Option<Box<str>>,
    /// The filter without its values.
    pub filter_shape: Option<Box<str>>,
    pub records: Option<u64>,
    /// Unix milliseconds.
    pub ended_at_ms: u64,
    pub took: Duration,
    /// What the engine's latency has of it.
    pub engine: Duration,
    /// Its parts add up to `took`.
    pub split: Split,
    pub threads: u32,
    pub plan: Option<Box<str>>,
    pub job: Option<Box<str>>,
    pub failure: Option<ErrorCode>,
}

impl SlowOperation {
    #[expect(clippy::too_many_arguments, reason = "all of an entry, in one place")]
    pub(super) fn new(
        id: u64,
        operation: Operation,
        namespace: (&Arc<str>, NamespaceId),
        ended_at_ms: u64,
        took: Took,
        split: Split,
        about: &About<'_>,
        keeps_keys: bool,
    ) -> Self {
        let owned = |text: &str| Box::from(text);
        Self {
            id,
            operation,
            namespace: Arc::clone(namespace.0),
            namespace_id: Some(namespace.1),
            set: about.set.map(owned),
            key: about.name.filter(|_| keeps_keys).map(|name| name.text().into()),
            key_type: about.name.map(|name| name.kind()),
            filter: about.filter.filter(|_| keeps_keys).map(|filter| filter.describe(FILTER_BYTES).into()),
            filter_shape: about.filter.map(|filter| filter.shape(FILTER_BYTES).into()),
            records: about.records,
            ended_at_ms,
            took: Duration::from_nanos(took.whole),
            engine: Duration::from_nanos(took.engine),
            split,
            threads: about.threads.max(1),
            plan: about.plan.map(owned),
            job: about.job.filter(|id| !id.is_empty()).map(owned),
            failure: about.failure,
        }
    }

    /// Unix milliseconds.
    pub fn started_at_ms(&self) -> u64 {
        self.ended_at_ms.saturating_sub(self.took.as_millis() as u64)
    }

    /// Memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let texts = [&self.set, &self.key, &self.filter, &self.filter_shape, &self.plan, &self.job];
        size_of::<Self>() + texts.into_iter().flatten().map(|text| text.len()).sum::<usize>()
    }

    /// Without its key and the values of its filter.
    pub(super) fn without_key(&self) -> Self {
        Self { key: None, filter: None, ..self.clone() }
    }
}

impl Name<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Key(KeyRef::String(_)) => "string",
            Self::Key(KeyRef::Integer(_)) => "integer",
            Self::Key(KeyRef::Bytes(_)) => "bytes",
            Self::Digest(_) => "digest",
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Key(KeyRef::String(text)) => cut(text),
            Self::Key(KeyRef::Integer(number)) => number.to_string(),
            // Two digits a byte, and one byte more than there is room for, so that it is seen to be cut.
            Self::Key(KeyRef::Bytes(bytes)) => {
                cut(&bytes.iter().take(KEY_BYTES / 2 + 1).map(|byte| format!("{byte:02x}")).collect::<String>())
            }
            Self::Digest(digest) => digest.to_string(),
        }
    }
}

/// A key within its bound.
fn cut(text: &str) -> String {
    if text.len() <= KEY_BYTES {
        return text.to_owned();
    }
    format!("{}{CUT}", prefix(text, KEY_BYTES - CUT.len()))
}
