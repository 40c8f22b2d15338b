//! What is planned for, checked.

use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_record::codec;
use tessera_storage::device::{BLOCK_OVERHEAD, WRITE_BLOCK_DEFAULT, WRITE_BLOCK_MAX, WRITE_BLOCK_MIN};

/// Most records that a plan is made for; far above what one machine holds.
const RECORDS_MAX: u64 = 1_000_000_000_000;
const RATE_MAX: u64 = 1_000_000_000;
const REPLICATION_MAX: u32 = 8;

/// Records of one shape, how they are kept, and the traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapacitySpec {
    /// Records on flash and only the index in memory, or all in memory.
    pub on_device: bool,
    pub records: u64,
    pub key: KeyShape,
    pub bins: Vec<BinShape>,
    /// One bin, stored without its name.
    pub single_bin: bool,
    /// Sets that the records are spread over evenly; 0 for records without a set.
    pub sets: u32,
    /// Bytes of a set's name.
    pub set_name_bytes: u32,
    /// Whether the set indexes are on.
    pub set_indexes: bool,
    pub segments: u32,
    /// Copies of each record.
    pub replication: u32,
    pub reads_per_second: u64,
    pub writes_per_second: u64,
    /// Share of the flash that live records take, percent.
    pub utilisation_percent: u32,
    pub write_block_bytes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyShape {
    pub kind: KeyKind,
    /// An integer has 8, whatever is said here.
    pub bytes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    Integer,
    String,
    Bytes,
}

/// One bin that every record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinShape {
    pub name_bytes: u32,
    pub kind: BinKind,
    /// Of the value before it is encoded: a string's UTF-8, a list's or map's encoded items. Numbers have their own size.
    pub bytes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinKind {
    Boolean,
    /// Takes 2, 5 or 9 bytes; planned for as 9.
    Integer,
    Double,
    String,
    Bytes,
    List,
    Map,
}

impl Default for CapacitySpec {
    fn default() -> Self {
        Self {
            on_device: true,
            records: 0,
            key: KeyShape { kind: KeyKind::Integer, bytes: 8 },
            bins: Vec::new(),
            single_bin: false,
            sets: 1,
            set_name_bytes: 8,
            set_indexes: false,
            segments: limits::SEGMENTS_DEFAULT,
            replication: 1,
            reads_per_second: 0,
            writes_per_second: 0,
            utilisation_percent: 80,
            write_block_bytes: WRITE_BLOCK_DEFAULT,
        }
    }
}

impl KeyShape {
    pub(super) fn length(self) -> usize {
        if self.kind == KeyKind::Integer { size_of::<i64>() } else { self.bytes as usize }
    }
}

impl BinShape {
    /// Bytes of the encoded value.
    pub(super) fn value_bytes(self) -> usize {
        let length = self.bytes as usize;
        match self.kind {
            BinKind::Boolean => 1,
            BinKind::Integer | BinKind::Double => 9,
            BinKind::String => codec::string_bytes(length),
            BinKind::Bytes | BinKind::List | BinKind::Map => codec::block_bytes(length),
        }
    }
}

impl CapacitySpec {
    /// # Errors
    /// `config_invalid`, `segment_count_invalid`, `key_too_long`, `too_many_bins`, `single_bin`, `record_too_large`, naming the
    /// field.
    pub(super) fn check(&self) -> Result<()> {
        let within = |n: u64, low: u64, high: u64, field: &str| match (low..=high).contains(&n) {
            true => Ok(()),
            false => Err(Error::said(
                ErrorCode::ConfigInvalid,
                sentence!("{field} must be {low} to {high}, got {given}", field = field, low = low, high = high, given = n),
            )
            .in_field(field)),
        };
        within(self.records, 1, RECORDS_MAX, "records")?;
        if !(limits::SEGMENTS_MIN..=limits::SEGMENTS_MAX).contains(&self.segments) || !self.segments.is_power_of_two() {
            let (low, high) = (limits::SEGMENTS_MIN, limits::SEGMENTS_MAX);
            let message = sentence!(
                "segments must be a power of two from {low} to {high}, got {given}",
                low = low,
                high = high,
                given = self.segments
            );
            return Err(Error::said(ErrorCode::SegmentCountInvalid, message).in_field("segments"));
        }
        if self.records / u64::from(self.segments) > u64::from(u32::MAX / 2) {
            let message = sentence!(
                "a segment may have at most {most} records; use more than {segments} segments",
                most = u32::MAX / 2,
                segments = self.segments
            );
            return Err(Error::said(ErrorCode::SegmentCountInvalid, message).in_field("segments"));
        }
        if self.key.length() > limits::KEY_BYTES {
            return Err(Error::said(
                ErrorCode::KeyTooLong,
                sentence!("a key must be at most {most} bytes, got {given}", most = limits::KEY_BYTES, given = self.key.length()),
            )
            .in_field("key"));
        }
        within(self.key.length() as u64, 1, limits::KEY_BYTES as u64, "key")?;
        if self.bins.len() > limits::BINS {
            return Err(Error::said(
                ErrorCode::TooManyBins,
                sentence!("a record must have at most {most} bins, got {given}", most = limits::BINS, given = self.bins.len()),
            )
            .in_field("bins"));
        }
        if self.single_bin && self.bins.len() != 1 {
            return Err(Error::said(
                ErrorCode::SingleBin,
                sentence!("a record of a single-bin namespace must have one bin, got {given}", given = self.bins.len()),
            )
            .in_field("bins"));
        }
        self.bins.iter().try_for_each(|bin| within(bin.name_bytes.into(), 1, limits::BIN_NAME_BYTES as u64, "nameBytes"))?;
        within(self.sets.into(), 0, limits::SETS as u64, "sets")?;
        within(self.set_name_bytes.into(), 1, limits::NAME_BYTES as u64, "setNameBytes")?;
        within(self.replication.into(), 1, REPLICATION_MAX.into(), "replication")?;
        within(self.reads_per_second, 0, RATE_MAX, "readsPerSecond")?;
        within(self.writes_per_second, 0, RATE_MAX, "writesPerSecond")?;
        within(self.utilisation_percent.into(), 1, 99, "utilisationPercent")?;
        let block = self.write_block_bytes;
        if !block.is_power_of_two() || !(WRITE_BLOCK_MIN..=WRITE_BLOCK_MAX).contains(&block) {
            let message = sentence!(
                "writeBlockBytes must be a power of two from {low} to {high}, got {given}",
                low = WRITE_BLOCK_MIN,
                high = WRITE_BLOCK_MAX,
                given = block
            );
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("writeBlockBytes"));
        }
        let record = self.record();
        let most = if self.on_device { (block as usize - BLOCK_OVERHEAD) as u64 } else { limits::RECORD_BYTES_MAX as u64 };
        if record.body > limits::RECORD_BYTES_MAX as u64 || record.stored > most.max(1) {
            let message = sentence!("a record would be {stored} bytes, but must be at most {most}", stored = record.stored, most = most);
            return Err(Error::said(ErrorCode::RecordTooLarge, message).in_field("bins"));
        }
        Ok(())
    }
}
