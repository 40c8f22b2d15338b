//! What is compared, and how much of it.

use crate::Trouble;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::str::FromStr;

pub const USAGE: &str = "\
tessera-peers: the YCSB phases load, 50/50, 95/5 and read only on Tessera's paged engine and on other embedded stores

  --engines LIST       of tessera, tessera-cached (through the system's page cache, as the others are), redb, fjall (default: all)
  --records N          of 10 fields of 100 bytes (default 1000000)
  --cache-bytes N      of each store's own cache (default 268435456)
  --page-bytes N       Tessera's pages (default 16384)
  --seconds N          of each phase after the load (default 20)
  --load-threads N     (default 4)
  --threads N          of the phases after the load (default 2)
  --seed N             the same seed gives the same operations (default 1)
  --directory DIR      where the stores are, each removed at its end (default: a temporary one)
  --json               one JSON object on standard output
  -u                   this text
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineName {
    Tessera,
    TesseraCached,
    Redb,
    Fjall,
}

impl EngineName {
    pub const ALL: [Self; 4] = [Self::Tessera, Self::TesseraCached, Self::Redb, Self::Fjall];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tessera => "tessera",
            Self::TesseraCached => "tessera-cached",
            Self::Redb => "redb",
            Self::Fjall => "fjall",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub engines: Vec<EngineName>,
    pub records: u64,
    pub cache_bytes: u64,
    pub page_bytes: u32,
    pub seconds: u32,
    pub load_threads: u32,
    pub threads: u32,
    pub seed: u64,
    pub directory: Option<PathBuf>,
    pub json: bool,
}

impl Options {
    /// `None`: the usage is wanted.
    ///
    /// # Errors
    /// One line about the option at fault.
    pub fn parse(words: &[String]) -> Result<Option<Self>, Trouble> {
        let mut options = Self {
            engines: EngineName::ALL.to_vec(),
            records: 1_000_000,
            cache_bytes: 256 << 20,
            page_bytes: 16 << 10,
            seconds: 20,
            load_threads: 4,
            threads: 2,
            seed: 1,
            directory: None,
            json: false,
        };
        let mut rest = words.iter();
        while let Some(name) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{name} needs a value"));
            match name.as_str() {
                "-u" | "--usage" | "--help" => return Ok(None),
                "--engines" => options.engines = value()?.split(',').map(engine).collect::<Result<_, _>>()?,
                "--records" => options.records = number(name, value()?)?,
                "--cache-bytes" => options.cache_bytes = number(name, value()?)?,
                "--page-bytes" => options.page_bytes = number(name, value()?)?,
                "--seconds" => options.seconds = number(name, value()?)?,
                "--load-threads" => options.load_threads = number(name, value()?)?,
                "--threads" => options.threads = number(name, value()?)?,
                "--seed" => options.seed = number(name, value()?)?,
                "--directory" => options.directory = Some(PathBuf::from(value()?)),
                "--json" => options.json = true,
                _ => return Err(format!("unknown option '{name}' (see -u)").into()),
            }
        }
        Ok(Some(options))
    }

    /// What the figures depend on.
    pub fn parameters(&self) -> Value {
        json!({
            "records": self.records,
            "fields": tessera_workload::ycsb::FIELDS,
            "fieldBytes": tessera_workload::ycsb::FIELD_BYTES,
            "cacheBytes": self.cache_bytes,
            "pageBytes": self.page_bytes,
            "seconds": self.seconds,
            "loadThreads": self.load_threads,
            "threads": self.threads,
            "seed": self.seed,
        })
    }
}

fn engine(name: &str) -> Result<EngineName, Trouble> {
    let known = EngineName::ALL.into_iter().find(|known| known.as_str() == name);
    known.ok_or_else(|| format!("there is no store '{name}' (see -u)").into())
}

fn number<T: FromStr>(name: &str, text: &str) -> Result<T, Trouble> {
    text.parse().map_err(|_| format!("{name} needs a whole number in its range, not '{text}'").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &str) -> Result<Options, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words).map(Option::unwrap).map_err(|trouble| trouble.to_string())
    }

    #[test]
    fn options_are_read_and_faults_named() {
        let options = parsed("--engines redb,tessera --records 10 --json").unwrap();
        assert_eq!(options.engines, [EngineName::Redb, EngineName::Tessera]);
        assert_eq!((options.records, options.json), (10, true));
        for (words, fault) in [("--engines rocks", "rocks"), ("--records", "--records"), ("--records x", "'x'"), ("-x", "-x")] {
            assert!(parsed(words).unwrap_err().contains(fault), "{words}");
        }
        assert!(Options::parse(&["-u".to_owned()]).unwrap().is_none());
    }
}
