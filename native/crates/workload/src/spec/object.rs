//! What is in the bins of a record, and the bytes of one: cheap to make, and the same for the same seed.

use super::WorkloadSpec;
use crate::rng::Rng;
use serde::{Deserialize, Serialize};
use std::fmt;
use tessera_base::limits::shown;
use tessera_base::{Error, ErrorCode, limits, sentence};
use tessera_record::{BodyBuilder, Encoder, KeyRef};

/// Most kinds in one object: a record has no more bins.
const KINDS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinKind {
    /// A 64-bit integer.
    Integer,
    /// Letters.
    Text {
        bytes: u32,
    },
    Bytes {
        bytes: u32,
    },
}

/// The kinds of the bins, which take turns where a record has more bins than kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Object(Vec<BinKind>);

impl Default for Object {
    fn default() -> Self {
        Self(vec![BinKind::Bytes { bytes: 1000 }])
    }
}

impl Object {
    /// Text of so many bytes in every bin.
    pub fn text(bytes: u32) -> Self {
        Self(vec![BinKind::Text { bytes }])
    }

    /// Reads `I`, `S:n`, `B:n`, or some of them with commas between.
    ///
    /// # Errors
    /// `workload_invalid`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let kinds: Option<Vec<BinKind>> = text.split(',').take(KINDS + 1).map(kind_of).collect();
        kinds.filter(|kinds| kinds.len() <= KINDS).map(Self).ok_or_else(|| {
            let message = sentence!(
                "object must be I, S:bytes, B:bytes, or up to {most} of them with commas, got \"{given}\"",
                most = KINDS,
                given = shown(text)
            );
            Error::said(ErrorCode::WorkloadInvalid, message).in_field("object")
        })
    }

    /// The kinds of a record's bins, in order.
    pub fn kinds(&self, bins: u32) -> impl Iterator<Item = BinKind> + '_ {
        self.0.iter().copied().cycle().take(bins as usize)
    }

    /// Bytes of the values of a record.
    pub fn record_bytes(&self, bins: u32) -> u64 {
        let bytes = |kind| match kind {
            BinKind::Integer => 8,
            BinKind::Text { bytes } | BinKind::Bytes { bytes } => u64::from(bytes),
        };
        self.kinds(bins).map(bytes).sum()
    }
}

fn kind_of(text: &str) -> Option<BinKind> {
    let bytes = |text: &str| text.parse().ok().filter(|&n: &u32| n as usize <= limits::RECORD_BYTES_MAX);
    match text.split_once(':') {
        None if text == "I" => Some(BinKind::Integer),
        Some(("S", n)) => bytes(n).map(|bytes| BinKind::Text { bytes }),
        Some(("B", n)) => bytes(n).map(|bytes| BinKind::Bytes { bytes }),
        _ => None,
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, kind) in self.0.iter().enumerate() {
            f.write_str(if position == 0 { "" } else { "," })?;
            match kind {
                BinKind::Integer => f.write_str("I")?,
                BinKind::Text { bytes } => write!(f, "S:{bytes}")?,
                BinKind::Bytes { bytes } => write!(f, "B:{bytes}")?,
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Object {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        Self::parse(&text)
    }
}

impl From<Object> for String {
    fn from(object: Object) -> Self {
        object.to_string()
    }
}

/// Makes the values of records, one after the other.
#[derive(Debug)]
pub struct Values {
    bins: Vec<(String, BinKind)>,
    rng: Rng,
    bytes: Vec<u8>,
}

impl Values {
    /// Of the run's records; the bin is named for a namespace whose records have one where `single` says so, and as YCSB's fields
    /// in a workload of its.
    pub fn new(spec: &WorkloadSpec, single: bool, rng: Rng) -> Self {
        let name = |position: usize| match single {
            true => limits::SINGLE_BIN.to_owned(),
            false if spec.workload.ycsb() => format!("field{position}"),
            false => format!("bin{}", position + 1),
        };
        let named = spec.object.kinds(spec.bins).enumerate().map(|(position, kind)| (name(position), kind));
        Self { bins: named.collect(), rng, bytes: Vec::new() }
    }

    /// The stored form of a record with new values, in `out`, which is cleared first.
    ///
    /// # Errors
    /// What a body refuses; nothing that `WorkloadSpec::check` has passed.
    pub fn body(&mut self, key: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        self.body_of(key, None, out)
    }

    /// As `body`, with one bin: the so-many-th of a record, counted from 0.
    ///
    /// # Errors
    /// As `body`.
    pub fn body_of_bin(&mut self, key: &str, bin: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        self.body_of(key, Some(bin as usize), out)
    }

    fn body_of(&mut self, key: &str, bin: Option<usize>, out: &mut Vec<u8>) -> Result<(), Error> {
        out.clear();
        let mut body = BodyBuilder::new(out, KeyRef::String(key));
        for (name, kind) in wanted(&self.bins, bin) {
            match *kind {
                BinKind::Integer => body.bin(name, |encoder| integer(encoder, self.rng.next()))?,
                BinKind::Text { bytes } => {
                    letters(&mut self.rng, bytes, &mut self.bytes);
                    body.bin(name, |encoder| text(encoder, &self.bytes))?;
                }
                BinKind::Bytes { bytes } => {
                    letters(&mut self.rng, bytes, &mut self.bytes);
                    body.bin(name, |encoder| {
                        encoder.bytes(&self.bytes);
                        Ok(())
                    })?;
                }
            }
        }
        body.finish();
        Ok(())
    }

    /// The bins of a record as the JSON of the API, with new values, in `out`, which is cleared first.
    pub fn json(&mut self, out: &mut Vec<u8>) {
        self.json_of(None, out);
    }

    /// As `json`, with one bin: the so-many-th of a record, counted from 0.
    pub fn json_of_bin(&mut self, bin: u32, out: &mut Vec<u8>) {
        self.json_of(Some(bin as usize), out);
    }

    fn json_of(&mut self, bin: Option<usize>, out: &mut Vec<u8>) {
        out.clear();
        for (position, (name, kind)) in wanted(&self.bins, bin).iter().enumerate() {
            out.push(if position == 0 { b'{' } else { b',' });
            out.extend_from_slice(format!("\"{name}\":").as_bytes());
            match *kind {
                BinKind::Integer => out.extend_from_slice((self.rng.next() as i64).to_string().as_bytes()),
                BinKind::Text { bytes } => {
                    letters(&mut self.rng, bytes, &mut self.bytes);
                    out.push(b'"');
                    out.extend_from_slice(&self.bytes);
                    out.push(b'"');
                }
                // Four letters of base 64 are three bytes; one or two more make up the rest.
                BinKind::Bytes { bytes } => {
                    let (threes, rest) = (bytes / 3, bytes % 3);
                    letters(&mut self.rng, threes * 4, &mut self.bytes);
                    out.extend_from_slice(b"{\"$bytes\":\"");
                    out.extend_from_slice(&self.bytes);
                    out.extend_from_slice([&b""[..], b"AA==", b"AAA="][rest as usize]);
                    out.extend_from_slice(b"\"}");
                }
            }
        }
        out.push(b'}');
    }
}

/// All bins of a record, or one of them; a number past the last is the last.
fn wanted(bins: &[(String, BinKind)], bin: Option<usize>) -> &[(String, BinKind)] {
    match bin {
        None => bins,
        Some(bin) => {
            let bin = bin.min(bins.len().saturating_sub(1));
            &bins[bin..(bin + 1).min(bins.len())]
        }
    }
}

fn integer(encoder: &mut Encoder<'_>, word: u64) -> Result<(), Error> {
    encoder.int(word as i64);
    Ok(())
}

fn text(encoder: &mut Encoder<'_>, letters: &[u8]) -> Result<(), Error> {
    let text = std::str::from_utf8(letters).map_err(|_| Error::said(ErrorCode::Utf8Invalid, sentence!("letters are not UTF-8")))?;
    encoder.string(text);
    Ok(())
}

/// `bytes` letters a to p, sixteen for each number drawn: they need no escape, are UTF-8 and of base 64.
fn letters(rng: &mut Rng, bytes: u32, out: &mut Vec<u8>) {
    out.clear();
    let mut left = bytes as usize;
    while left > 0 {
        let word = rng.next();
        for half in [word, word >> 4] {
            let eight = ((half & 0x0f0f_0f0f_0f0f_0f0f) + 0x6161_6161_6161_6161).to_le_bytes();
            let taken = left.min(8);
            out.extend_from_slice(&eight[..taken]);
            left -= taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Mix;
    use tessera_record::{BodyRef, Value};

    fn with(object: &str, bins: u32) -> WorkloadSpec {
        WorkloadSpec { object: Object::parse(object).unwrap(), bins, ..WorkloadSpec::new("a") }
    }

    #[test]
    fn kinds_are_read_and_take_turns() {
        for text in ["I", "S:0", "S:50", "B:1000", "I,S:10,B:7"] {
            assert_eq!(Object::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "S", "S:", "S:x", "B:-1", "X:1", "I,", "B:99999999999", &vec!["I"; 65].join(",")] {
            assert_eq!(Object::parse(text).unwrap_err().field.as_deref(), Some("object"), "{text}");
        }
        assert_eq!(Object::parse("I,S:10").unwrap().record_bytes(3), 26);
    }

    #[test]
    fn the_same_seed_gives_the_same_records_of_the_right_length() {
        let spec = with("I,S:10,B:7", 4);
        let make = || {
            let (mut values, mut body) = (Values::new(&spec, false, Rng::new(1, 2, 3)), Vec::new());
            values.body("0001", &mut body).unwrap();
            body
        };
        let body = make();
        assert_eq!(body, make());
        BodyRef::validate(&body).unwrap();
        let record = BodyRef::new(&body);
        assert!(matches!(record.bin("bin1").unwrap().to_value(), Value::Int(_)));
        assert!(matches!(record.bin("bin2").unwrap().to_value(), Value::String(text) if text.len() == 10));
        assert!(matches!(record.bin("bin3").unwrap().to_value(), Value::Bytes(bytes) if bytes.len() == 7));
        assert!(matches!(record.bin("bin4").unwrap().to_value(), Value::Int(_)));
    }

    #[test]
    fn json_says_the_same_lengths() {
        let (mut values, mut out) = (Values::new(&with("S:10,B:6,B:7,B:8,I", 5), false, Rng::new(1, 2, 3)), Vec::new());
        values.json(&mut out);
        let bins: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(bins["bin1"].as_str().unwrap().len(), 10);
        let base64 = |name: &str| bins[name]["$bytes"].as_str().unwrap().len();
        assert_eq!((base64("bin2"), base64("bin3"), base64("bin4")), (8, 12, 12));
        assert!(bins["bin5"].is_i64());
        values.json_of_bin(0, &mut out);
        let bins: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((bins.as_object().unwrap().len(), bins["bin1"].as_str().unwrap().len()), (1, 10));
    }

    #[test]
    fn one_bin_of_a_ycsb_record_is_a_body_of_its_own() {
        let spec = WorkloadSpec::ycsb("a", Mix::YcsbLoad);
        let (mut values, mut body) = (Values::new(&spec, false, Rng::new(1, 2, 3)), Vec::new());
        values.body("user0", &mut body).unwrap();
        let fields = |body: &[u8]| {
            BodyRef::validate(body).unwrap();
            let text = |name: &str| match BodyRef::new(body).bin(name).map(|value| value.to_value()) {
                Some(Value::String(text)) => text.len(),
                _ => 0,
            };
            (0..10).map(|field| text(&format!("field{field}"))).collect::<Vec<_>>()
        };
        assert_eq!(fields(&body), [100; 10]);
        values.body_of_bin("user0", 7, &mut body).unwrap();
        assert_eq!(fields(&body), [0, 0, 0, 0, 0, 0, 0, 100, 0, 0]);
    }
}
