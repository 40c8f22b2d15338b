//! What a user types after `tessera bench`: the letters of the published load tool, and long options for the rest.

use clap::{ArgAction, Args, Parser, ValueEnum};
use std::path::PathBuf;
use tessera_workload::spec::{Mix, Object, plain};
use tessera_workload::ycsb::Distribution;

/// Generate load and measure it.
#[derive(Parser)]
#[command(bin_name = "tessera bench", disable_help_flag = true, args_override_self = true)]
pub struct Arguments {
    #[command(flatten, next_help_heading = "Load")]
    pub load: Load,
    #[command(flatten, next_help_heading = "Target")]
    pub target: Target,
    #[command(flatten, next_help_heading = "Output")]
    pub output: Output,
}

#[derive(Args)]
pub struct Load {
    /// Namespace
    #[arg(short, value_name = "NAME", default_value = "bench", allow_hyphen_values = true)]
    pub namespace: String,
    /// Set [default: bench, or usertable with --ycsb]
    #[arg(short, value_name = "NAME", allow_hyphen_values = true)]
    pub set: Option<String>,
    /// What the run does:
    /// I inserts every key once; RU,95: 95% reads, 5% writes;
    /// SIZE counts the records of the namespace;
    /// ITERATE[,BATCH[,keys]] copies all records or keys out in batches (default 4096).
    /// SIZE and ITERATE run only in this process
    #[arg(short, default_value_t = Mix::default(), value_parser = plain(Mix::parse), overrides_with = "ycsb", verbatim_doc_comment)]
    pub workload: Mix,
    /// YCSB workload: load, a to f, or parts such as read:90,rmw:10;
    /// changes the defaults to -s usertable -b 10 -o S:100
    #[arg(long, value_name = "NAME", value_parser = plain(Mix::parse_ycsb), overrides_with = "workload", verbatim_doc_comment)]
    pub ycsb: Option<Mix>,
    /// YCSB: zipfian, latest, uniform, hotspot or exponential [default: depends on the workload]
    #[arg(long, value_name = "NAME", value_parser = plain(Distribution::parse))]
    pub distribution: Option<Distribution>,
    /// YCSB: most records per scan [default: 100]
    #[arg(long, value_name = "N")]
    pub scan_length: Option<u32>,
    /// Content of the bins: I, S:bytes, B:bytes, or several with commas [default: B:1000]
    #[arg(short, value_parser = plain(Object::parse))]
    pub object: Option<Object>,
    /// Bins per record [default: 1]
    #[arg(short, value_name = "N")]
    pub bins: Option<u32>,
    /// Keys
    #[arg(short, value_name = "N", default_value_t = 100_000)]
    pub keys: u64,
    /// First key
    #[arg(short = 'S', value_name = "N", default_value_t = 0)]
    pub first_key: u64,
    /// Digits per key
    #[arg(short = 'l', value_name = "N", default_value_t = 10)]
    pub key_length: u32,
    /// Threads, 1 to 1024
    #[arg(short = 'z', value_name = "N", default_value_t = 16)]
    pub threads: u32,
    /// Reads in flight per thread, 1 to 256; only in this process
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub window: u32,
    /// Operations per second; latency counts from the due time [default: no limit]
    #[arg(short = 'g', value_name = "TPS")]
    pub target_tps: Option<u64>,
    /// Operations that take longer count as timeouts; 0: none do
    #[arg(short = 'T', value_name = "MS", default_value_t = 0)]
    pub timeout_ms: u32,
    /// Longest duration [default: 10; inserts: until every key is written]
    #[arg(long = "seconds", value_name = "N")]
    pub duration_seconds: Option<u32>,
    /// Number of operations [default: until the duration has passed]
    #[arg(long, value_name = "N")]
    pub operations: Option<u64>,
    /// Write every key once before the run; implied if the run creates the namespace
    #[arg(long)]
    pub fill: bool,
    /// The same seed gives the same operations
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Args)]
pub struct Target {
    /// A running gateway [default: in this process]
    #[arg(short = 'h')]
    pub host: Option<String>,
    /// Its port [default: 7373]
    #[arg(short)]
    pub port: Option<u16>,
    /// Its token [default: TESSERA_TOKEN]
    #[arg(long, allow_hyphen_values = true)]
    pub token: Option<String>,
    /// Data directory of this process [default: a temporary one]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["host", "port"])]
    pub data: Option<PathBuf>,
    /// Engine of a namespace that the run creates
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t = Storage::Memory)]
    pub storage: Storage,
    /// Its durability, on disk [default: relaxed]
    #[arg(long, value_enum)]
    pub durability: Option<OnDisk>,
    /// Its write block size, device only [default: 131072]
    #[arg(long = "write-block", value_name = "BYTES")]
    pub write_block_bytes: Option<u32>,
    /// Its page size, paged only [default: 16384]
    #[arg(long = "page", value_name = "BYTES")]
    pub page_bytes: Option<u32>,
    /// Its page cache, paged only [default: 268435456]
    #[arg(long = "cache", value_name = "BYTES")]
    pub cache_bytes: Option<u64>,
    /// Its records have one bin, value
    #[arg(long)]
    pub single_bin: bool,
    /// Its segments [default: 256]
    #[arg(long, value_name = "N")]
    pub segments: Option<u32>,
}

#[derive(Args)]
pub struct Output {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Write an HdrHistogram interval log
    #[arg(long, value_name = "FILE")]
    pub hdr_log: Option<PathBuf>,
    /// Print the specification and every second as JSON on standard error
    #[arg(short = 'D')]
    pub debug: bool,
    /// Show this text
    #[arg(short, long, visible_alias = "help", action = ArgAction::Help)]
    usage: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Storage {
    Memory,
    Device,
    Paged,
}

/// Durability of a namespace on a disk.
#[derive(Clone, Copy, ValueEnum)]
pub enum OnDisk {
    Relaxed,
    Commit,
}
