use crate::{Failure, USAGE};
use std::collections::HashMap;
use std::str::FromStr;

/// The `--option value` pairs after the name of a benchmark.
pub struct Arguments {
    pairs: HashMap<String, String>,
}

impl Arguments {
    /// # Errors
    /// The usage, when there is no name or an option has no value.
    pub fn from_command_line() -> Result<(String, Self), Failure> {
        let mut words = std::env::args().skip(1);
        let name = words.next().ok_or(USAGE)?;
        let mut pairs = HashMap::new();
        while let Some(word) = words.next() {
            let option = word.strip_prefix("--").ok_or(USAGE)?;
            pairs.insert(option.to_owned(), words.next().ok_or(USAGE)?);
        }
        Ok((name, Self { pairs }))
    }

    pub fn has(&self, option: &str) -> bool {
        self.pairs.contains_key(option)
    }

    /// # Errors
    /// When the option is absent.
    pub fn text(&self, option: &str) -> Result<&str, Failure> {
        self.pairs.get(option).map(String::as_str).ok_or_else(|| format!("--{option} is missing").into())
    }

    /// # Errors
    /// When the option is no number of the wanted kind.
    pub fn number<T: FromStr>(&self, option: &str, default: T) -> Result<T, Failure> {
        let Some(text) = self.pairs.get(option) else { return Ok(default) };
        text.parse().map_err(|_| format!("--{option} must be a number, got {text}").into())
    }
}
