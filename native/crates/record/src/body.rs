//! The bytes of a record: its user key and its bins. The same bytes in memory, on a device and in a batch.
//!
//! `u8` key type, `u32` key length, key, `u16` bin count, then for each bin `u8` name length, name, `u32` value
//! length, value (`codec`). All little-endian. A bin without a name is the one bin of a record in a single-bin namespace
//! and is read as `value`.

use super::codec::{Encoder, ValueRef};
use super::key::{self, KeyRef};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// Bytes before a key, of the number of bins, and around a bin's name and value.
pub const KEY_OVERHEAD: usize = 5;
pub const COUNT_BYTES: usize = 2;
pub const BIN_OVERHEAD: usize = 5;

/// Builds one body at the end of a buffer that may already hold others.
#[derive(Debug)]
pub struct BodyBuilder<'a> {
    bins: BinsBuilder<'a>,
    count_at: usize,
}

impl<'a> BodyBuilder<'a> {
    #[inline]
    pub fn new(out: &'a mut Vec<u8>, key: KeyRef<'_>) -> Self {
        out.push(key.type_byte());
        key.with_bytes(|bytes| {
            out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            out.extend_from_slice(bytes);
        });
        let count_at = out.len();
        out.extend_from_slice(&[0, 0]);
        Self { bins: BinsBuilder::new(out), count_at }
    }

    /// Appends a bin; `write` encodes exactly one value.
    ///
    /// # Errors
    /// `bin_name_invalid`, `too_many_bins`, and what `write` returns. After an error the buffer holds a partial body.
    #[inline]
    pub fn bin(&mut self, name: &str, write: impl FnOnce(&mut Encoder<'_>) -> Result<()>) -> Result<()> {
        let open = self.bins.open(name)?;
        write(&mut self.bins.encoder())?;
        self.bins.close(open);
        Ok(())
    }

    /// Appends a bin whose value is already encoded.
    ///
    /// # Errors
    /// As `bin`.
    #[inline]
    pub fn encoded_bin(&mut self, name: &str, value: &[u8]) -> Result<()> {
        let open = self.bins.open(name)?;
        self.bins.out.extend_from_slice(value);
        self.bins.close(open);
        Ok(())
    }

    /// Appends bins that a `BinsBuilder` wrote elsewhere, before the key was known.
    ///
    /// # Errors
    /// `too_many_bins`.
    #[inline]
    pub fn built_bins(&mut self, bins: &RawBins<'_>) -> Result<()> {
        self.bins.count = self.bins.count.checked_add(bins.left).filter(|&n| usize::from(n) <= limits::BINS).ok_or_else(too_many_bins)?;
        self.bins.out.extend_from_slice(bins.rest);
        Ok(())
    }

    #[inline]
    pub fn bins(&mut self) -> &mut BinsBuilder<'a> {
        &mut self.bins
    }

    #[inline]
    pub fn finish(self) {
        let count = self.bins.count.to_le_bytes();
        self.bins.out[self.count_at..self.count_at + 2].copy_from_slice(&count);
    }
}

/// Appends bins to a buffer: the part of a body after its count.
#[derive(Debug)]
pub struct BinsBuilder<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    count: u16,
}

/// A bin whose value is being written: where its length goes.
#[derive(Debug)]
#[must_use = "a bin must be closed"]
pub struct OpenBin {
    name_at: usize,
    value_at: usize,
}

impl<'a> BinsBuilder<'a> {
    #[inline]
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start, count: 0 }
    }

    /// Starts a bin; then write one value through `encoder`, then `close`.
    ///
    /// # Errors
    /// `bin_name_invalid`, `too_many_bins`.
    #[inline]
    pub fn open(&mut self, name: &str) -> Result<OpenBin> {
        limits::check_bin_name(name)?;
        self.open_checked(name)
    }

    /// As `open`, for a name that `limits::check_bin_name` has passed before.
    ///
    /// # Errors
    /// `too_many_bins`.
    #[inline]
    pub fn open_checked(&mut self, name: &str) -> Result<OpenBin> {
        self.open_bytes(name.as_bytes())
    }

    #[inline]
    fn open_bytes(&mut self, name: &[u8]) -> Result<OpenBin> {
        if usize::from(self.count) >= limits::BINS {
            return Err(too_many_bins());
        }
        self.out.push(name.len() as u8);
        let name_at = self.out.len();
        self.out.extend_from_slice(name);
        self.out.extend_from_slice(&[0; 4]);
        Ok(OpenBin { name_at, value_at: self.out.len() })
    }

    #[inline]
    pub fn encoder(&mut self) -> Encoder<'_> {
        Encoder::new(self.out)
    }

    /// Appends a bin whose value is already encoded, and whose name `limits::check_bin_name` has passed before.
    ///
    /// # Errors
    /// `too_many_bins`.
    #[inline]
    pub fn encoded(&mut self, name: &[u8], value: &[u8]) -> Result<()> {
        let open = self.open_bytes(name)?;
        self.out.extend_from_slice(value);
        self.close(open);
        Ok(())
    }

    /// The name of a bin that is being written.
    pub fn open_name(&self, open: &OpenBin) -> String {
        String::from_utf8_lossy(&self.out[open.name_at..open.value_at - 4]).into_owned()
    }

    /// Forgets what was written of an open bin's value.
    #[inline]
    pub fn reset(&mut self, open: &OpenBin) {
        self.out.truncate(open.value_at);
    }

    /// Takes an open bin back, with its name.
    #[inline]
    pub fn cancel(&mut self, open: OpenBin) {
        // Its length stands in the byte before the name.
        self.out.truncate(open.name_at - 1);
    }

    #[inline]
    pub fn close(&mut self, open: OpenBin) {
        let length = (self.out.len() - open.value_at) as u32;
        self.out[open.value_at - 4..open.value_at].copy_from_slice(&length.to_le_bytes());
        self.count += 1;
    }

    #[inline]
    pub fn count(&self) -> u16 {
        self.count
    }

    /// Bytes of what was written so far.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.out.len() - self.start
    }

    /// The bins closed so far.
    #[inline]
    pub fn written(&self) -> RawBins<'_> {
        RawBins { rest: &self.out[self.start..], left: self.count }
    }
}

#[cold]
fn too_many_bins() -> Error {
    Error::said(ErrorCode::TooManyBins, sentence!("a record must have at most {most} bins", most = limits::BINS))
}

/// A view of one body.
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'a> {
    bytes: &'a [u8],
}

impl<'a> BodyRef<'a> {
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    #[inline]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Checks bytes of unknown origin: every length, every value, UTF-8.
    ///
    /// # Errors
    /// `record_damaged`.
    pub fn validate(bytes: &[u8]) -> Result<()> {
        let damaged = || Error::said(ErrorCode::RecordDamaged, sentence!("a stored record is malformed"));
        let body = BodyRef { bytes };
        let (key, rest) = body.split_key().ok_or_else(damaged)?;
        key.check().map_err(|_| damaged())?;
        let (count, rest) = rest.split_first_chunk::<2>().ok_or_else(damaged)?;
        let mut bins = RawBins { rest, left: u16::from_le_bytes(*count) };
        for _ in 0..u16::from_le_bytes(*count) {
            let (name, value) = bins.next().ok_or_else(damaged)?;
            std::str::from_utf8(name).map_err(|_| damaged())?;
            ValueRef::validate(value)?;
        }
        if bins.rest.is_empty() { Ok(()) } else { Err(damaged()) }
    }

    /// Whether no value in it nests deeper than any client may write. Bytes with sound checksums may do so all the same: who
    /// made the file chose them. Only then is the body shown to what goes down into its values.
    pub fn nests_as_allowed(&self) -> bool {
        self.raw_bins().all(|(_, value)| ValueRef::nests_within(value, limits::NESTING))
    }

    /// The body with the name of its one bin left out, as a single-bin namespace stores it.
    ///
    /// # Errors
    /// `single_bin` unless it has exactly one bin, named `value`.
    pub fn unnamed(&self) -> Result<Vec<u8>> {
        let value = self.only_bin()?;
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut body = BodyBuilder::new(&mut out, self.key());
        body.bins().encoded(&[], value)?;
        body.finish();
        Ok(out)
    }

    /// The encoded value of the one bin that a record of a single-bin namespace has.
    ///
    /// # Errors
    /// As `unnamed`.
    pub fn only_bin(&self) -> Result<&'a [u8]> {
        let mut bins = self.raw_bins();
        let (Some((name, value)), None) = (bins.next(), bins.next()) else {
            let message = sentence!("records of this namespace must have exactly one bin, \"{bin}\"", bin = limits::SINGLE_BIN);
            return Err(Error::said(ErrorCode::SingleBin, message).in_field("bins"));
        };
        limits::check_single_bin(&String::from_utf8_lossy(name), "bins")?;
        Ok(value)
    }

    /// The user key.
    #[inline]
    pub fn key(&self) -> KeyRef<'a> {
        self.split_key().map_or(KeyRef::Bytes(&[]), |(key, _)| key)
    }

    /// Names (UTF-8 bytes) and still encoded values, in stored order.
    #[inline]
    pub fn raw_bins(&self) -> RawBins<'a> {
        let bins = || {
            let (_, rest) = self.split_key()?;
            let (count, rest) = rest.split_first_chunk::<2>()?;
            Some(RawBins { rest, left: u16::from_le_bytes(*count) })
        };
        bins().unwrap_or(RawBins { rest: &[], left: 0 })
    }

    /// One bin's value, or `None` when the record has no such bin.
    #[inline]
    pub fn bin(&self, name: &str) -> Option<ValueRef<'a>> {
        self.raw_bins().find(|(n, _)| *n == name.as_bytes()).map(|(_, value)| ValueRef::of(value))
    }

    #[inline]
    fn split_key(&self) -> Option<(KeyRef<'a>, &'a [u8])> {
        let (&kind, rest) = self.bytes.split_first()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (bytes, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let key = match kind {
            key::INTEGER => KeyRef::Integer(i64::from_be_bytes(bytes.try_into().ok()?)),
            key::STRING => KeyRef::String(std::str::from_utf8(bytes).ok()?),
            key::BYTES => KeyRef::Bytes(bytes),
            _ => return None,
        };
        Some((key, rest))
    }
}

/// Iterator over names and encoded values.
#[derive(Clone, Debug)]
pub struct RawBins<'a> {
    rest: &'a [u8],
    left: u16,
}

impl<'a> RawBins<'a> {
    /// Over `count` bins that a `BinsBuilder` wrote.
    #[inline]
    pub const fn new(count: u16, bytes: &'a [u8]) -> Self {
        Self { rest: bytes, left: count }
    }
}

impl<'a> Iterator for RawBins<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let (&length, rest) = self.rest.split_first()?;
        let (name, rest) = rest.split_at_checked(length as usize)?;
        let name = if name.is_empty() { limits::SINGLE_BIN.as_bytes() } else { name };
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (value, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        self.rest = rest;
        self.left -= 1;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests;
