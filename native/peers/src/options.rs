//! What is compared, and how much of it.

use clap::{ArgAction, Parser, ValueEnum};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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

/// The YCSB phases load, 50/50, 95/5 and read only on Tessera's paged engine and on other embedded stores.
#[derive(Clone, Debug, Parser)]
#[command(name = "tessera-peers", disable_help_flag = true, args_override_self = true)]
pub struct Options {
    /// Stores to compare, with commas between; tessera-cached uses the page cache of the system, as redb and fjall do
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_values_t = EngineName::ALL)]
    pub engines: Vec<EngineName>,
    /// Records of 10 fields of 100 bytes
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub records: u64,
    /// Bytes of each store's own cache
    #[arg(long, value_name = "N", default_value_t = 256 << 20)]
    pub cache_bytes: u64,
    /// Bytes of Tessera's pages
    #[arg(long, value_name = "N", default_value_t = 16 << 10)]
    pub page_bytes: u32,
    /// Seconds of each phase after the load
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub seconds: u32,
    /// Threads of the load
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub load_threads: u32,
    /// Threads of the phases after the load
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub threads: u32,
    /// The same seed gives the same operations
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Folder for the stores, each removed at its end [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,
    /// Show this text
    #[arg(short, long, visible_alias = "help", action = ArgAction::Help)]
    usage: Option<bool>,
}

impl Options {
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parsed(words: &str) -> Result<Options, String> {
        Options::try_parse_from(std::iter::once("tessera-peers").chain(words.split_whitespace())).map_err(|error| error.to_string())
    }

    #[test]
    fn stores_are_chosen_by_a_list() {
        Options::command().debug_assert();
        assert_eq!(parsed("--engines redb,tessera").unwrap().engines, [EngineName::Redb, EngineName::Tessera]);
        assert_eq!(parsed("").unwrap().engines, EngineName::ALL);
        assert!(parsed("--engines redb,rocks").unwrap_err().contains("'rocks' for '--engines <LIST>'"));
    }
}
