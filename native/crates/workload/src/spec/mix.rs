//! Which operations a run is made of.

use serde::{Deserialize, Serialize};
use std::fmt;
use tessera_core::{Error, ErrorCode};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Mix {
    /// Every key once, in order.
    Insert,
    /// Reads and writes of keys that are there.
    ReadUpdate { read_percent: u32 },
}

impl Default for Mix {
    fn default() -> Self {
        Self::ReadUpdate { read_percent: 95 }
    }
}

impl Mix {
    /// Reads `I` or `RU,95`.
    ///
    /// # Errors
    /// `workload_invalid`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let fault = || Error::new(ErrorCode::WorkloadInvalid, format!("a workload is I or RU,percent, not '{}'", shown(text)));
        match text.split_once(',') {
            None if text == "I" => Ok(Self::Insert),
            Some(("RU", percent)) => match percent.parse() {
                Ok(read_percent @ 0..=100) => Ok(Self::ReadUpdate { read_percent }),
                _ => Err(fault().in_field("workload")),
            },
            _ => Err(fault().in_field("workload")),
        }
    }
}

/// The beginning of what someone sent, for a message.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert => f.write_str("I"),
            Self::ReadUpdate { read_percent } => write!(f, "RU,{read_percent}"),
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
    fn both_forms_are_read_and_nothing_else() {
        for text in ["I", "RU,0", "RU,95", "RU,100"] {
            assert_eq!(Mix::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "i", "RU", "RU,", "RU,-1", "RU,101", "RU,9.5", "RU,95,5", "I,5", "ru,95"] {
            assert_eq!(Mix::parse(text).unwrap_err().field.as_deref(), Some("workload"), "{text}");
        }
    }
}
