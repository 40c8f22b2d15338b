//! Which operations a run is made of.

use crate::operation::Iterate;
use crate::ycsb::Proportions;
use serde::{Deserialize, Serialize};
use std::fmt;
use tessera_base::limits::shown;
use tessera_base::{Error, ErrorCode, sentence};
use tessera_core::iterate::BATCH_MOST;

/// Records of a batch where an iteration does not say.
const BATCH: u32 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Mix {
    /// Every key once, in order.
    Insert,
    /// Reads and writes of keys that are there.
    ReadUpdate { read_percent: u32 },
    /// The number of records of the namespace, again and again.
    Size,
    /// Every record of the namespace, again and again.
    Iterate(Iterate),
    /// YCSB's load phase: every record once.
    YcsbLoad,
    /// YCSB's operations on records that are there, and on new ones.
    Ycsb(Proportions),
}

impl Default for Mix {
    fn default() -> Self {
        Self::ReadUpdate { read_percent: 95 }
    }
}

impl Mix {
    /// Reads `I`, `RU,95`, `SIZE`, `ITERATE`, `ITERATE,4096`, `ITERATE,4096,keys`, `YCSB,LOAD`, `YCSB,A` to `YCSB,F`, or `YCSB,` and the parts of a mix of one's own (`ycsb::Proportions`).
    ///
    /// # Errors
    /// `workload_invalid`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let fault = || {
            let forms = "I, RU,percent, SIZE, ITERATE,batch, ITERATE,batch,keys, YCSB,name";
            let message = sentence!("workload must be one of {forms}, got \"{given}\"", forms = forms, given = shown(text));
            Error::said(ErrorCode::WorkloadInvalid, message)
        };
        match text.split_once(',') {
            None if text == "I" => Ok(Self::Insert),
            None if text == "SIZE" => Ok(Self::Size),
            None if text == "ITERATE" => Ok(Self::Iterate(Iterate { batch: BATCH, keys: false })),
            Some(("ITERATE", batch)) => iterate(batch).map(Self::Iterate).ok_or_else(|| fault().in_field("workload")),
            Some(("RU", percent)) => match percent.parse() {
                Ok(read_percent @ 0..=100) => Ok(Self::ReadUpdate { read_percent }),
                _ => Err(fault().in_field("workload")),
            },
            Some(("YCSB", name)) => Self::parse_ycsb(name),
            _ => Err(fault().in_field("workload")),
        }
    }

    /// Reads what stands behind `YCSB,`.
    ///
    /// # Errors
    /// `workload_invalid`.
    pub fn parse_ycsb(name: &str) -> Result<Self, Error> {
        if name.eq_ignore_ascii_case("LOAD") { Ok(Self::YcsbLoad) } else { Proportions::parse(name).map(Self::Ycsb) }
    }

    /// Whether every key is written once, and that is all.
    pub const fn inserts(&self) -> bool {
        matches!(self, Self::Insert | Self::YcsbLoad)
    }

    /// Whether every operation is of the namespace as a whole, not of a record or a set.
    pub const fn whole(&self) -> bool {
        matches!(self, Self::Size | Self::Iterate(_))
    }

    /// Whether records are those of YCSB.
    pub const fn ycsb(&self) -> bool {
        matches!(self, Self::YcsbLoad | Self::Ycsb(_))
    }
}

/// Reads the batch of an iteration, and what is copied.
fn iterate(text: &str) -> Option<Iterate> {
    let (batch, keys) = text.strip_suffix(",keys").map_or((text, false), |batch| (batch, true));
    let plain = !batch.is_empty() && batch.bytes().all(|digit| digit.is_ascii_digit());
    let batch = batch.parse().ok().filter(|batch| plain && (1..=BATCH_MOST).contains(batch))?;
    Some(Iterate { batch, keys })
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert => f.write_str("I"),
            Self::ReadUpdate { read_percent } => write!(f, "RU,{read_percent}"),
            Self::Size => f.write_str("SIZE"),
            Self::Iterate(Iterate { batch, keys }) => write!(f, "ITERATE,{batch}{}", if *keys { ",keys" } else { "" }),
            Self::YcsbLoad => f.write_str("YCSB,LOAD"),
            Self::Ycsb(proportions) => write!(f, "YCSB,{proportions}"),
        }
    }
}

impl TryFrom<String> for Mix {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        Self::parse(&text)
    }
}

impl From<Mix> for String {
    fn from(mix: Mix) -> Self {
        mix.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_are_read_and_nothing_else() {
        for text in [
            "I",
            "RU,0",
            "RU,95",
            "RU,100",
            "SIZE",
            "ITERATE,1",
            "ITERATE,65536",
            "ITERATE,9,keys",
            "YCSB,LOAD",
            "YCSB,A",
            "YCSB,F",
            "YCSB,read:90,scan:10",
        ] {
            assert_eq!(Mix::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Mix::parse("ITERATE").unwrap().to_string(), "ITERATE,4096");
        assert_eq!(Mix::parse("YCSB,load").unwrap(), Mix::YcsbLoad);
        for text in [
            "",
            "i",
            "RU",
            "RU,",
            "RU,-1",
            "RU,101",
            "RU,9.5",
            "RU,95,5",
            "I,5",
            "ru,95",
            "size",
            "SIZE,1",
            "ITERATE,",
            "ITERATE,0",
            "ITERATE,+1",
            "ITERATE,65537",
            "ITERATE,keys",
            "ITERATE,1,values",
            "YCSB",
            "YCSB,",
            "YCSB,G",
            "YCSB,A,B",
            "YCSB,read:90",
        ] {
            assert_eq!(Mix::parse(text).unwrap_err().field.as_deref(), Some("workload"), "{text}");
        }
    }
}
