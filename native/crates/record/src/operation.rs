//! Operations on the bins of one record: reads and changes, run in their order over its body.

use super::body::{BodyBuilder, BodyRef};
use super::codec::{Encoder, ValueRef};
use super::key::KeyRef;
use std::borrow::Cow;
use std::collections::HashMap;
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};

/// One step of `apply`. Values are encoded (`codec`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    Read(Box<str>),
    ReadAll,
    /// Generation and time to live alone, which every answer has.
    ReadHeader,
    /// A null deletes the bin.
    Put(Box<str>, Box<[u8]>),
    /// Of integers in 64 bits, or of doubles; a bin that is not there takes the operand.
    Add(Box<str>, Box<[u8]>),
    /// Of strings or of bytes; a bin that is not there takes the operand.
    Append(Box<str>, Box<[u8]>),
    Prepend(Box<str>, Box<[u8]>),
    /// Writes the record as it is: a new generation and a new time to live.
    Touch,
    /// Deletes all bins; without any at the end, the record.
    Delete,
}

/// What was read of one bin, encoded, in the order of the operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinResults {
    pub bin: String,
    pub values: Vec<Vec<u8>>,
}

/// What operations came to.
#[derive(Debug, Default)]
pub struct Applied {
    /// `None`: nothing is left of the record.
    pub body: Option<Vec<u8>>,
    pub results: Vec<BinResults>,
}

/// Where operations begin.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// `None`: there is no such record.
    pub old: Option<BodyRef<'a>>,
    /// Begins without the old bins.
    pub replace: bool,
    /// Changes have a null as their result.
    pub respond_all: bool,
}

impl Operation {
    pub const fn reads(&self) -> bool {
        matches!(self, Self::Read(_) | Self::ReadAll | Self::ReadHeader)
    }

    /// The bin it names, if it names one.
    pub fn bin(&self) -> Option<&str> {
        match self {
            Self::Read(bin) | Self::Put(bin, _) | Self::Add(bin, _) | Self::Append(bin, _) | Self::Prepend(bin, _) => Some(bin),
            Self::ReadAll | Self::ReadHeader | Self::Touch | Self::Delete => None,
        }
    }
}

/// Runs `operations`; the body made is that of `key`.
///
/// # Errors
/// `record_not_found` for a touch of, or nothing left of, a record that is not there; `bin_type_mismatch`,
/// `number_out_of_range`, `too_many_bins`; `record_too_large` for results past `limits::OPERATION_RESULT_BYTES`.
pub fn apply(operations: &[Operation], key: KeyRef<'_>, start: Start<'_>) -> Result<Applied> {
    let kept = start.old.filter(|_| !start.replace);
    let bins = kept.map(|old| old.raw_bins().map(|(name, value)| (Cow::Borrowed(name), Cow::Borrowed(value))).collect());
    let mut run = Run { bins: bins.unwrap_or_default(), results: Vec::new(), places: HashMap::new(), result_bytes: 0 };
    let mut emptied = !run.bins.is_empty();
    for operation in operations {
        match operation {
            Operation::Read(bin) => run.read(bin)?,
            Operation::ReadAll => run.read_all()?,
            Operation::ReadHeader => {}
            Operation::Touch if start.old.is_none() => return Err(not_found()),
            Operation::Touch => {}
            Operation::Delete => {
                run.bins.clear();
                emptied = true;
            }
            Operation::Put(bin, value) => run.put(bin, Cow::Borrowed(value)),
            Operation::Add(bin, value) => run.combine(bin, value, add)?,
            Operation::Append(bin, value) => run.combine(bin, value, join)?,
            Operation::Prepend(bin, value) => run.combine(bin, value, |old, new, out| join(new, old, out))?,
        }
        if let Some(bin) = operation.bin().filter(|_| start.respond_all && !operation.reads()) {
            run.result(bin, &[NULL])?;
        }
    }
    if run.bins.is_empty() && start.old.is_none() {
        return Err(not_found());
    }
    let body = if run.bins.is_empty() && emptied { None } else { Some(run.body(key)?) };
    Ok(Applied { body, results: run.results })
}

/// What only reading operations answer, of a record that is there.
///
/// # Errors
/// As `apply`.
pub fn read(operations: &[Operation], body: BodyRef<'_>) -> Result<Vec<BinResults>> {
    apply(operations, body.key(), Start { old: Some(body), replace: false, respond_all: false }).map(|applied| applied.results)
}

/// The encoding of null.
const NULL: u8 = 0;

/// A bin's name and its encoded value.
type Bin<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// What a result counts for beside its value.
const RESULT_BYTES: usize = 64;

struct Run<'a> {
    bins: Vec<Bin<'a>>,
    results: Vec<BinResults>,
    /// Where the results of a bin are.
    places: HashMap<String, usize>,
    result_bytes: usize,
}

impl<'a> Run<'a> {
    fn find(&self, bin: &str) -> Option<usize> {
        self.bins.iter().position(|(name, _)| **name == *bin.as_bytes())
    }

    fn read(&mut self, bin: &str) -> Result<()> {
        match self.find(bin) {
            Some(at) => {
                let value = self.bins[at].1.to_vec();
                self.result(bin, &value)
            }
            None => Ok(()),
        }
    }

    fn read_all(&mut self) -> Result<()> {
        for at in 0..self.bins.len() {
            let (name, value) = (String::from_utf8_lossy(&self.bins[at].0).into_owned(), self.bins[at].1.to_vec());
            self.result(&name, &value)?;
        }
        Ok(())
    }

    fn result(&mut self, bin: &str, value: &[u8]) -> Result<()> {
        self.result_bytes += RESULT_BYTES + value.len();
        if self.result_bytes > limits::OPERATION_RESULT_BYTES {
            let message = sentence!(
                "the operations of one record may answer at most {most} bytes; read fewer values",
                most = limits::OPERATION_RESULT_BYTES
            );
            return Err(Error::said(ErrorCode::RecordTooLarge, message));
        }
        match self.places.get(bin) {
            Some(&at) => self.results[at].values.push(value.to_vec()),
            None => {
                self.places.insert(bin.to_owned(), self.results.len());
                self.results.push(BinResults { bin: bin.to_owned(), values: vec![value.to_vec()] });
            }
        }
        Ok(())
    }

    fn put(&mut self, bin: &'a str, value: Cow<'a, [u8]>) {
        let null = matches!(ValueRef::of(&value), ValueRef::Null);
        match self.find(bin) {
            Some(at) if null => drop(self.bins.remove(at)),
            Some(at) => self.bins[at].1 = value,
            None if null => {}
            None => self.bins.push((Cow::Borrowed(bin.as_bytes()), value)),
        }
    }

    fn combine(
        &mut self,
        bin: &'a str,
        operand: &'a [u8],
        how: impl Fn(ValueRef<'_>, ValueRef<'_>, &mut Encoder<'_>) -> Result<()>,
    ) -> Result<()> {
        let operand_value = ValueRef::of(operand);
        let mut combined = Vec::new();
        let mut out = Encoder::new(&mut combined);
        match self.find(bin).map(|at| ValueRef::of(&self.bins[at].1)) {
            None => how(neutral(operand_value), operand_value, &mut out),
            Some(old) => how(old, operand_value, &mut out),
        }
        .map_err(|error| error.in_field(bin))?;
        self.put(bin, Cow::Owned(combined));
        Ok(())
    }

    fn body(&self, key: KeyRef<'_>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut body = BodyBuilder::new(&mut out, key);
        self.bins.iter().try_for_each(|(name, value)| body.bins().encoded(name, value))?;
        body.finish();
        Ok(out)
    }
}

/// What leaves `operand` as it is when they are combined.
const fn neutral(operand: ValueRef<'_>) -> ValueRef<'_> {
    match operand {
        ValueRef::Int(_) => ValueRef::Int(0),
        ValueRef::Double(_) => ValueRef::Double(0.0),
        ValueRef::String(_) => ValueRef::String(b""),
        ValueRef::Bytes(_) => ValueRef::Bytes(b""),
        other => other,
    }
}

fn add(old: ValueRef<'_>, new: ValueRef<'_>, out: &mut Encoder<'_>) -> Result<()> {
    let overflow = || Error::said(ErrorCode::NumberOutOfRange, sentence!("the sum does not fit into the number"));
    match (old, new) {
        (ValueRef::Int(a), ValueRef::Int(b)) => out.int(a.checked_add(b).ok_or_else(overflow)?),
        (ValueRef::Double(a), ValueRef::Double(b)) => out.double(Some(a + b).filter(|sum| sum.is_finite()).ok_or_else(overflow)?),
        _ => return Err(mismatch(sentence!("an integer can only be added to an integer, and a double to a double"))),
    }
    Ok(())
}

fn join(first: ValueRef<'_>, second: ValueRef<'_>, out: &mut Encoder<'_>) -> Result<()> {
    match (first, second) {
        (ValueRef::String(a), ValueRef::String(b)) => {
            let joined = String::from_utf8([a, b].concat()).map_err(|_| mismatch(sentence!("the joined string is not UTF-8")))?;
            out.string(&joined);
        }
        (ValueRef::Bytes(a), ValueRef::Bytes(b)) => out.bytes(&[a, b].concat()),
        _ => return Err(mismatch(sentence!("a string can only be joined to a string, and bytes to bytes"))),
    }
    Ok(())
}

fn mismatch(message: Sentence) -> Error {
    Error::said(ErrorCode::BinTypeMismatch, message)
}

fn not_found() -> Error {
    Error::said(ErrorCode::RecordNotFound, sentence!("there is no record with this key"))
}

#[cfg(test)]
mod tests;
