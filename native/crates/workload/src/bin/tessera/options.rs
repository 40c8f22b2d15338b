//! What the arguments ask for, checked.

use crate::arguments::{Arguments, Load, OnDisk, Storage, Target};
use clap::CommandFactory;
use clap::error::ErrorKind;
use std::path::PathBuf;
use tessera_base::Error;
use tessera_core::{DeviceConfig, Durability, NamespaceConfig, PagedConfig};
use tessera_workload::spec::WorkloadSpec;

#[derive(Debug)]
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
    /// # Errors
    /// Arguments that do not go together, or a value out of its range.
    pub fn of(arguments: Arguments) -> Result<Self, clap::Error> {
        let Arguments { load, target, output } = arguments;
        let spec = spec(load);
        spec.check().map_err(invalid)?;
        let namespace = namespace(&target, &spec.namespace)?;
        namespace.check().map_err(invalid)?;
        let gateway = match (target.host, target.port) {
            (None, None) => None,
            (host, port) => Some((host.unwrap_or_else(|| "127.0.0.1".to_owned()), port.unwrap_or(7373))),
        };
        let (token, data) = (target.token, target.data);
        Ok(Self { spec, gateway, token, data, namespace, json: output.json, hdr_log: output.hdr_log, debug: output.debug })
    }
}

fn spec(load: Load) -> WorkloadSpec {
    let workload = load.ycsb.unwrap_or(load.workload);
    let of_workload = if workload.ycsb() { WorkloadSpec::ycsb("", workload) } else { WorkloadSpec::new("") };
    WorkloadSpec {
        namespace: load.namespace,
        set: load.set.unwrap_or(of_workload.set),
        workload,
        distribution: load.distribution,
        scan_length: load.scan_length,
        object: load.object.unwrap_or(of_workload.object),
        bins: load.bins.unwrap_or(of_workload.bins),
        keys: load.keys,
        first_key: load.first_key,
        key_length: load.key_length,
        threads: load.threads,
        window: load.window,
        target_tps: load.target_tps,
        timeout_ms: load.timeout_ms,
        duration_seconds: load.duration_seconds,
        operations: load.operations,
        fill: load.fill,
        seed: load.seed,
        name: None,
    }
}

/// # Errors
/// An option of another storage.
fn namespace(target: &Target, name: &str) -> Result<NamespaceConfig, clap::Error> {
    let (device, paged) = (target.storage == Storage::Device, target.storage == Storage::Paged);
    let of_others = [
        ("--durability", target.durability.is_some(), device || paged, "device or paged"),
        ("--write-block", target.write_block_bytes.is_some(), device, "device"),
        ("--page", target.page_bytes.is_some(), paged, "paged"),
        ("--cache", target.cache_bytes.is_some(), paged, "paged"),
    ];
    if let Some((option, _, _, storage)) = of_others.iter().find(|(_, given, fits, _)| *given && !fits) {
        return Err(refused(format!("'{option}' is only for '--storage {storage}'")));
    }
    let config = match target.storage {
        Storage::Memory => NamespaceConfig::memory(name),
        Storage::Device => {
            let device = DeviceConfig::default();
            let write_block_bytes = target.write_block_bytes.unwrap_or(device.write_block_bytes);
            NamespaceConfig::device(name, DeviceConfig { write_block_bytes, ..device })
        }
        Storage::Paged => {
            let paged = PagedConfig::default();
            let page_bytes = target.page_bytes.unwrap_or(paged.page_bytes);
            let cache_bytes = target.cache_bytes.unwrap_or(paged.cache_bytes);
            NamespaceConfig::paged(name, PagedConfig { page_bytes, cache_bytes, ..paged })
        }
    };
    let durability = match (target.storage, target.durability) {
        (Storage::Memory, _) => config.durability,
        (_, Some(OnDisk::Commit)) => Durability::Commit,
        (_, Some(OnDisk::Relaxed) | None) => Durability::Relaxed,
    };
    let segments = target.segments.unwrap_or(config.segments);
    Ok(NamespaceConfig { durability, segments, single_bin: target.single_bin, ..config })
}

fn refused(message: String) -> clap::Error {
    Arguments::command().error(ErrorKind::ValueValidation, message)
}

/// Names the option whose field the engine or the load tool refuses.
fn invalid(error: Error) -> clap::Error {
    let mut command = Arguments::command();
    command.build();
    let is_at_fault = |id: &str| error.field.as_deref().is_some_and(|field| field.eq_ignore_ascii_case(&id.replace('_', "")));
    match command.get_arguments().find(|argument| is_at_fault(argument.get_id().as_str())) {
        Some(option) => refused(format!("invalid value for '{option}': {}", error.message)),
        None => refused(error.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use tessera_core::EngineConfig;
    use tessera_workload::spec::Mix;

    fn parsed(words: &str) -> Result<Options, String> {
        let arguments = Arguments::try_parse_from(std::iter::once("bench").chain(words.split_whitespace()));
        arguments.and_then(Options::of).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_said_gives_the_defaults_of_the_specification() {
        assert_eq!(parsed("").unwrap().spec, WorkloadSpec::new("bench"));
        let load = WorkloadSpec { namespace: "bench".into(), ..WorkloadSpec::ycsb("", Mix::YcsbLoad) };
        assert_eq!(parsed("--ycsb load").unwrap().spec, load);
    }

    #[test]
    fn the_last_of_two_says_it() {
        assert_eq!(
            parsed("-k 1 -k 2 --ycsb a -w SIZE").unwrap().spec,
            WorkloadSpec { keys: 2, workload: Mix::Size, ..WorkloadSpec::new("bench") }
        );
        assert_eq!(parsed("-w SIZE --ycsb load").unwrap().spec.workload, Mix::YcsbLoad);
    }

    #[test]
    fn values_of_our_own_are_read() {
        let spec = parsed("-w ITERATE,100,keys -o I,S:10 -b 2 -g 5 --seconds 3").unwrap().spec;
        assert_eq!((spec.workload.to_string(), spec.object.to_string()), ("ITERATE,100,keys".to_owned(), "I,S:10".to_owned()));
        assert_eq!((spec.target_tps, spec.duration_seconds), (Some(5), Some(3)));
        let gateway = parsed("-p 80 --token -a_b").unwrap();
        assert_eq!((gateway.gateway, gateway.token.as_deref()), (Some(("127.0.0.1".to_owned(), 80)), Some("-a_b")));
    }

    #[test]
    fn a_namespace_is_made_of_what_was_said_of_its_storage() {
        let parsed = |words: &str| parsed(words).map(|options| options.namespace);
        assert_eq!(parsed("-k 10").unwrap().engine, EngineConfig::Memory);
        let EngineConfig::Device(device) = parsed("--storage device --write-block 262144").unwrap().engine else { panic!("no device") };
        assert_eq!(device.write_block_bytes, 262_144);
        let paged = parsed("--storage paged --page 65536 --cache 134217728 --durability commit").unwrap();
        assert_eq!(paged.durability, Durability::Commit);
        let config = PagedConfig { page_bytes: 65536, cache_bytes: 134_217_728, ..PagedConfig::default() };
        assert_eq!(paged.engine, EngineConfig::Paged(config));
        assert_eq!(parsed("--storage paged").unwrap().durability, Durability::Relaxed);
    }

    #[test]
    fn a_fault_names_its_option_and_value() {
        for (words, told) in [
            ("-k x", "invalid value 'x' for '-k <N>'"),
            ("-z 0", "invalid value for '-z <N>': threads must be 1 to 1024, got 0"),
            ("--seconds 0", "invalid value for '--seconds <N>': durationSeconds must be"),
            ("-w RU,101", "invalid value 'RU,101' for '-w <WORKLOAD>': workload must be one of I, RU,percent"),
            ("-p 99999", "invalid value '99999' for '-p <PORT>'"),
            ("--segments 3", "invalid value for '--segments <N>'"),
            ("--durability commit", "'--durability' is only for '--storage device or paged'"),
            ("--storage paged --write-block 131072", "'--write-block' is only for '--storage device'"),
            ("--storage device --page 4096", "'--page' is only for '--storage paged'"),
            ("--cache 4096", "'--cache'"),
            ("--storage paged --page 5000", "5000 bytes"),
            ("--storage paper", "invalid value 'paper' for '--storage <ENGINE>'"),
            ("--data d -h localhost", "'--data <DIR>' cannot be used with '-h <HOST>'"),
        ] {
            let message = parsed(words).unwrap_err();
            assert!(message.contains(told), "{words}: {message}");
        }
    }
}
