//! What a caller asks of a scan.

use super::profile::QueryProfile;
use super::sample::Sample;
use crate::aggregate::Aggregates;
use crate::output::{CsvRows, PackedLines, Rows};
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use tessera_jobs::JobKind;
use tessera_jobs::chunk_stream::Recode;
use tessera_record::digest::PARTITIONS;
use tessera_record::filter::Filter;
use tessera_record::json::RecordView;
use tessera_record::{Digest, Key};

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
    /// Instead of records as `bins` leaves them: rows with columns of their own, or for each item of a list.
    pub rows: Option<Arc<Rows>>,
    pub filter: Option<Arc<Filter>>,
    pub sample: Option<Sample>,
    /// Instead of records the stream then brings one JSON object: what came of each.
    pub aggregate: Option<Arc<Aggregates>>,
    /// The partitions wanted; `None`: all.
    pub partitions: Option<Range<u16>>,
    /// The segments wanted, whoever owns them; `None`: those of which this node is the primary owner.
    pub segments: Option<Arc<[u16]>>,
    pub use_index: UseIndex,
    pub plan: PlanChoice,
    /// Most rows returned; then in the order of segments and slots, and with a cursor where more may follow.
    pub limit: Option<u64>,
    /// Goes on where a page with a limit has ended.
    pub cursor: Option<String>,
    /// Begins at the place of the record with this key in `set`, where there is no cursor: in the order of segments and slots.
    pub from: Option<Key>,
    /// Whether `{"segmentDone":n}` is a line of its own behind the last record of each segment; then the scan goes by slots. A record of
    /// a set with a distribution bin that goes to such a segment later comes behind the last of them.
    pub segment_marks: bool,
    /// Whether records come in the order of their digests' places, or of tokens on a cluster, so that another scan can go on behind any
    /// of them.
    pub in_order: bool,
    /// In that order: only records behind this one, whether it is still there or not.
    pub after: Option<Digest>,
    pub format: ScanFormat,
    /// Where what becomes of the records is counted, of a query that is analysed: timing each costs tens of nanoseconds.
    pub steps: Option<Arc<QueryProfile>>,
    /// What the stream begins with.
    pub head: Vec<u8>,
    /// What the job is called: `Scan` or `Export`.
    pub kind: JobKind,
    /// The job is in no list, and takes the place of none: of one operation among many, where the whole is a job.
    pub unlisted: bool,
}

impl Default for ScanSpec {
    fn default() -> Self {
        Self {
            set: None,
            threads: 1,
            records_per_second: None,
            bins: None,
            rows: None,
            filter: None,
            sample: None,
            aggregate: None,
            partitions: None,
            segments: None,
            use_index: UseIndex::Auto,
            plan: PlanChoice::Auto,
            limit: None,
            cursor: None,
            from: None,
            segment_marks: false,
            in_order: false,
            after: None,
            format: ScanFormat::Record,
            steps: None,
            head: Vec::new(),
            kind: JobKind::Scan,
            unlisted: false,
        }
    }
}

impl ScanSpec {
    /// `reads`: whether bodies are wanted that are on a device; `blocks`: whether it can be read by the block.
    ///
    /// # Errors
    /// `config_invalid`, `unsupported` for a plan that this scan cannot have.
    pub(super) fn check_plan(&self, reads: bool, blocks: bool) -> Result<()> {
        let refuse = |code, why: Sentence| Err(Error::said(code, why).in_field("plan"));
        match self.plan {
            PlanChoice::Auto => Ok(()),
            _ if self.use_index != UseIndex::Auto => {
                refuse(ErrorCode::ConfigInvalid, sentence!("plan and useIndex cannot be combined; leave useIndex out"))
            }
            PlanChoice::SetIndex if self.set.is_none() => refuse(ErrorCode::ConfigInvalid, sentence!("the plan set-index needs a set")),
            PlanChoice::Device if !reads => {
                refuse(ErrorCode::Unsupported, sentence!("the plan device is not possible: the scan reads nothing from a device"))
            }
            PlanChoice::Device if !blocks => {
                refuse(ErrorCode::Unsupported, sentence!("the plan device is not possible in a paged namespace"))
            }
            PlanChoice::Device if self.by_slots() => refuse(
                ErrorCode::ConfigInvalid,
                sentence!("a scan with a limit, a cursor or marks of segments goes in the order of slots, not of the device"),
            ),
            PlanChoice::SetIndex | PlanChoice::SetColumn | PlanChoice::Device => Ok(()),
        }
    }

    /// # Errors
    /// `config_invalid` for marks of segments that have no place; `sample_invalid`; `aggregate_invalid` where the records would come in pages; `query_invalid` for rows of another form than
    /// `ScanFormat::Record`.
    pub(in crate::scan) fn check(&self) -> Result<()> {
        let paged = self.paged();
        if paged && self.aggregate.is_some() {
            let message = sentence!("aggregates cannot be combined with a limit or a cursor; use a sample");
            return Err(Error::said(ErrorCode::AggregateInvalid, message).in_field("limit"));
        }
        if self.rows.is_some() && !matches!(self.format, ScanFormat::Record | ScanFormat::Csv | ScanFormat::Values) {
            return Err(Error::said(ErrorCode::QueryInvalid, sentence!("select needs answers as record objects")).in_field("select"));
        }
        if self.segment_marks && (paged || self.aggregate.is_some() || !matches!(self.format, ScanFormat::Record)) {
            let message = sentence!("segmentMarks needs NDJSON without a limit, a cursor or aggregates");
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("segmentMarks"));
        }
        self.sample.map_or(Ok(()), |sample| sample.check(paged))
    }

    /// Whether records come in the order of segments and slots, from somewhere or up to a number of them.
    pub(in crate::scan) fn paged(&self) -> bool {
        self.limit.is_some() || self.cursor.is_some() || self.from.is_some()
    }

    /// About how many of so many records are of the sample and of the partitions.
    pub(crate) fn part_of(&self, records: u64) -> u64 {
        let sampled = self.sample.as_ref().map_or(1.0, |sample| match *sample {
            Sample::Share { share, .. } => share,
            Sample::First(first) => (first as f64 / records.max(1) as f64).min(1.0),
        });
        let partitions = self.partitions.as_ref().map_or(1.0, |wanted| wanted.len() as f64 / f64::from(PARTITIONS));
        (records as f64 * sampled * partitions).round() as u64
    }

    /// Whether records are wanted in the order of slots or digests, or segment by segment: never as they lie on a device.
    pub(in crate::scan) fn by_slots(&self) -> bool {
        self.paged() || self.segment_marks || self.in_order
    }

    /// What writes the lines of the stream anew.
    pub(in crate::scan) fn recode(&self) -> Option<Box<dyn Recode>> {
        match self.format {
            ScanFormat::Csv => Some(Box::new(CsvRows::of(self.bins.as_deref(), self.rows.as_deref(), self.aggregate.as_deref()))),
            ScanFormat::Values => Some(Box::new(PackedLines)),
            _ => None,
        }
    }

    /// Whether records are read by their places, which gives none before all places are known.
    pub(in crate::scan) fn by_places(&self) -> bool {
        self.reads_body() && !self.segment_marks && self.sample.as_ref().and_then(Sample::first).is_none()
    }

    /// Whether the answer takes the bodies of records.
    pub(crate) fn reads_body(&self) -> bool {
        let filter = self.filter.as_ref().is_some_and(|filter| filter.reads_body());
        let unnests = self.rows.as_ref().is_some_and(|rows| rows.unnests());
        filter || unnests || self.aggregate.as_ref().is_none_or(|aggregate| aggregate.reads_body())
    }

    /// Whether the answer takes the sizes of records.
    pub(in crate::scan) fn reads_size(&self) -> bool {
        reads_size(self.filter.as_deref(), self.aggregate.as_deref()) || self.rows.as_ref().is_some_and(|rows| rows.reads_size())
    }
}

/// Whether the sizes of records are asked for.
pub(in crate::scan) fn reads_size(filter: Option<&Filter>, aggregate: Option<&Aggregates>) -> bool {
    filter.is_some_and(Filter::reads_size) || aggregate.is_some_and(Aggregates::reads_size)
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
    /// As `V1`, in MessagePack, one behind the other.
    Packed,
    /// The record objects of `Record` in MessagePack, one behind the other.
    Objects,
    /// Records, rows, groups or figures in MessagePack, one behind the other: each what its line of JSON is.
    Values,
    /// Records, rows, groups or figures as CSV under a line of their names (RFC 4180).
    Csv,
    Custom(CustomFormat),
}

impl std::fmt::Debug for ScanFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Record => "Record",
            Self::V1 => "V1",
            Self::Packed => "Packed",
            Self::Objects => "Objects",
            Self::Values => "Values",
            Self::Csv => "Csv",
            Self::Custom(_) => "Custom",
        })
    }
}
