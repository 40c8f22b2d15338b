//! The options of `tessera bench`: the letters of the published load tool, and long options for the rest.

use std::path::PathBuf;
use std::str::FromStr;
use tessera_core::{DeviceConfig, Durability, NamespaceConfig, PagedConfig};
use tessera_workload::spec::{Mix, Object, WorkloadSpec};
use tessera_workload::ycsb::Distribution;

pub const USAGE: &str = "\
tessera bench: generates load and measures it

load
  -n NAME      namespace (default bench)
  -s NAME      set (default bench)
  -w I|RU,PCT  I inserts every key once; RU,95: 95% reads, 5% writes (default RU,95)
  -w SIZE|ITERATE[,BATCH[,keys]]  count the records of the namespace, or copy all records or keys out in
               batches (default 4096); only in this process
  --ycsb NAME  YCSB workload: load, a to f, or parts such as read:90,rmw:10; changes the defaults to -s usertable -b 10 -o S:100
  --distribution NAME  YCSB: zipfian, latest, uniform, hotspot or exponential (default: depends on the workload)
  --scan-length N      YCSB: most records per scan (default 100)
  -o OBJECT    content of the bins: I, S:bytes, B:bytes, or several with commas (default B:1000)
  -b N         bins per record (default 1)
  -k N         keys (default 100000)
  -S N         first key (default 0)
  -l N         digits per key (default 10)
  -z N         threads, 1 to 1024 (default 16)
  --window N   reads in flight per thread, 1 to 256; only in this process (default 1)
  -g TPS       operations per second; latency counts from the due time (default: no limit)
  -T MS        operations that take longer count as timeouts (default: no timeout)
  --seconds N     longest duration (default 10; inserts: until every key is written)
  --operations N  number of operations (default: until the duration has passed)
  --fill          write every key once before the run; implied if the run creates the namespace
  --seed N        the same seed gives the same operations (default 1)

target
  -h HOST         a running gateway (default: in this process)
  -p PORT         its port (default 7373)
  --token TOKEN   its token (default: TESSERA_TOKEN)
  --data DIR      data directory of this process (default: a temporary one)
  --storage memory|device|paged  engine of a namespace that the run creates (default memory)
  --durability relaxed|commit   its durability, on disk (default relaxed)
  --write-block BYTES           its write block size, device only (default 131072)
  --page BYTES                  its page size, paged only (default 16384)
  --cache BYTES                 its page cache, paged only (default 268435456)
  --single-bin                  its records have one bin, value
  --segments N                  its segments (default 256)

output
  --json          print one JSON object
  --hdr-log FILE  write an HdrHistogram interval log
  -D           print the specification and every second as JSON on standard error
  -u           show this text
";

pub struct Options {
    pub spec: WorkloadSpec,
    /// Host and port of a gateway.
    pub gateway: Option<(String, u16)>,
    pub token: Option<String>,
    pub data: Option<PathBuf>,
    /// Configuration of the namespace if the run creates it.
    pub namespace: NamespaceConfig,
    pub json: bool,
    pub hdr_log: Option<PathBuf>,
    pub debug: bool,
}

impl Options {
    /// `None`: print the usage.
    ///
    /// # Errors
    /// One line about the argument at fault.
    pub fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut spec = WorkloadSpec::new("bench");
        let (mut host, mut port, mut token, mut data, mut hdr_log) = (None, None, None, None, None);
        let (mut made, mut segments) = (Made { storage: "memory", ..Made::default() }, None);
        let (mut json, mut debug, mut single_bin) = (false, false, false);
        let (mut set, mut object, mut bins) = (None, None, None);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, given) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (argument.as_str(), None),
            };
            let mut value = || given.or_else(|| rest.next().map(String::as_str)).ok_or_else(|| format!("{name} needs a value"));
            match name {
                "-u" | "--usage" | "--help" => return Ok(None),
                "-n" => value()?.clone_into(&mut spec.namespace),
                "-s" => set = Some(value()?.to_owned()),
                "-w" => spec.workload = Mix::parse(value()?).map_err(|error| error.message)?,
                "--ycsb" => spec.workload = Mix::parse(&format!("YCSB,{}", value()?)).map_err(|error| error.message)?,
                "--distribution" => spec.distribution = Some(Distribution::parse(value()?).map_err(|error| error.message)?),
                "--scan-length" => spec.scan_length = Some(number(name, value()?)?),
                "-o" => object = Some(Object::parse(value()?).map_err(|error| error.message)?),
                "-b" => bins = Some(number(name, value()?)?),
                "-k" => spec.keys = number(name, value()?)?,
                "-S" => spec.first_key = number(name, value()?)?,
                "-l" => spec.key_length = number(name, value()?)?,
                "-z" => spec.threads = number(name, value()?)?,
                "--window" => spec.window = number(name, value()?)?,
                "-g" => spec.target_tps = Some(number(name, value()?)?),
                "-T" => spec.timeout_ms = number(name, value()?)?,
                "--seconds" => spec.duration_seconds = Some(number(name, value()?)?),
                "--operations" => spec.operations = Some(number(name, value()?)?),
                "--fill" => spec.fill = true,
                "--seed" => spec.seed = number(name, value()?)?,
                "-h" => host = Some(value()?.to_owned()),
                "-p" => port = Some(number(name, value()?)?),
                "--token" => token = Some(value()?.to_owned()),
                "--data" => data = Some(PathBuf::from(value()?)),
                "--storage" => made.storage = value()?,
                "--durability" => made.durability = Some(value()?),
                "--write-block" => made.write_block = Some(number(name, value()?)?),
                "--page" => made.page = Some(number(name, value()?)?),
                "--cache" => made.cache = Some(number(name, value()?)?),
                "--single-bin" => single_bin = true,
                "--segments" => segments = Some(number(name, value()?)?),
                "--json" => json = true,
                "--hdr-log" => hdr_log = Some(PathBuf::from(value()?)),
                "-D" => debug = true,
                _ => return Err(format!("unknown argument '{argument}'")),
            }
        }
        let of_workload = if spec.workload.ycsb() { WorkloadSpec::ycsb("", spec.workload) } else { WorkloadSpec::new("") };
        spec.set = set.unwrap_or(of_workload.set);
        spec.object = object.unwrap_or(of_workload.object);
        spec.bins = bins.unwrap_or(of_workload.bins);
        spec.check().map_err(|error| error.message)?;
        let gateway = match (host, port) {
            (None, None) => None,
            (host, port) => Some((host.unwrap_or_else(|| "127.0.0.1".to_owned()), port.unwrap_or(7373))),
        };
        if gateway.is_some() && data.is_some() {
            return Err("--data is only for a run in this process; leave -h and -p out".to_owned());
        }
        let mut namespace = made.config(&spec.namespace)?;
        namespace.single_bin = single_bin;
        namespace.segments = segments.unwrap_or(namespace.segments);
        namespace.check().map_err(|error| error.message)?;
        Ok(Some(Self { spec, gateway, token, data, namespace, json, hdr_log, debug }))
    }
}

/// Options of a namespace that the run creates.
#[derive(Default)]
struct Made<'a> {
    storage: &'a str,
    durability: Option<&'a str>,
    write_block: Option<u32>,
    page: Option<u32>,
    cache: Option<u64>,
}

impl Made<'_> {
    /// # Errors
    /// One line about an option of another storage, or an unknown value.
    fn config(&self, name: &str) -> Result<NamespaceConfig, String> {
        let others: [(&str, bool, &[&str]); 4] = [
            ("--durability", self.durability.is_some(), &["device", "paged"]),
            ("--write-block", self.write_block.is_some(), &["device"]),
            ("--page", self.page.is_some(), &["paged"]),
            ("--cache", self.cache.is_some(), &["paged"]),
        ];
        if let Some((option, _, of)) = others.iter().find(|(_, given, of)| *given && !of.contains(&self.storage)) {
            return Err(format!("{option} is only for --storage {}", of.join(" and ")));
        }
        let config = match self.storage {
            "memory" => return Ok(NamespaceConfig::memory(name)),
            "device" => {
                let device = DeviceConfig::default();
                let write_block_bytes = self.write_block.unwrap_or(device.write_block_bytes);
                NamespaceConfig::device(name, DeviceConfig { write_block_bytes, ..device })
            }
            "paged" => {
                let paged = PagedConfig::default();
                let (page_bytes, cache_bytes) = (self.page.unwrap_or(paged.page_bytes), self.cache.unwrap_or(paged.cache_bytes));
                NamespaceConfig::paged(name, PagedConfig { page_bytes, cache_bytes, ..paged })
            }
            other => return Err(format!("--storage must be memory, device or paged, got '{other}'")),
        };
        let durability = match self.durability.unwrap_or("relaxed") {
            "relaxed" => Durability::Relaxed,
            "commit" => Durability::Commit,
            other => return Err(format!("--durability must be relaxed or commit, got '{other}'")),
        };
        Ok(NamespaceConfig { durability, ..config })
    }
}

fn number<T: FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} must be a whole number in its range, got '{text}'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_core::EngineConfig;

    fn parsed(words: &str) -> Result<NamespaceConfig, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words).map(|options| options.unwrap().namespace)
    }

    #[test]
    fn a_namespace_is_made_of_what_was_said_of_its_storage() {
        assert_eq!(parsed("-k 10").unwrap().engine, EngineConfig::Memory);
        let EngineConfig::Device(device) = parsed("--storage device --write-block 262144").unwrap().engine else { panic!("no device") };
        assert_eq!(device.write_block_bytes, 262_144);
        let paged = parsed("--storage paged --page 65536 --cache 134217728 --durability commit").unwrap();
        assert_eq!(paged.durability, Durability::Commit);
        let config = PagedConfig { page_bytes: 65536, cache_bytes: 134_217_728, ..PagedConfig::default() };
        assert_eq!(paged.engine, EngineConfig::Paged(config));
        assert_eq!(parsed("--storage paged").unwrap().durability, Durability::Relaxed);
        for (words, option) in [
            ("--durability commit", "--durability"),
            ("--storage paged --write-block 131072", "--write-block"),
            ("--storage device --page 4096", "--page"),
            ("--cache 4096", "--cache"),
            ("--storage paged --page 5000", "5000 bytes"),
            ("--storage paper", "--storage"),
        ] {
            assert!(parsed(words).unwrap_err().contains(option), "{words}");
        }
    }
}
