//! The phases on one store: load, half updates, few updates, reads only.

use crate::Trouble;
use crate::fjall_store::Fjall;
use crate::options::{EngineName, Options};
use crate::redb_store::Redb;
use crate::store::{Store, StoreClients};
use crate::syncer::synced;
use crate::tessera::Tessera;
use serde::Serialize;
use tessera_workload::client::{Clients, Embedded};
use tessera_workload::figures::{Counts, Frame, KindSummary, Summary};
use tessera_workload::run::{Watch, run};
use tessera_workload::spec::{Mix, WorkloadSpec};
use tessera_workload::stop::Stop;

/// What a phase is called, and the workload of YCSB that it is.
const PHASES: [(&str, &str); 4] = [("load", "YCSB,LOAD"), ("50/50", "YCSB,A"), ("95/5", "YCSB,B"), ("read only", "YCSB,C")];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub engine: &'static str,
    /// How the store's files are reached: `direct` past the system's page cache, or `cached` through it.
    pub access: &'static str,
    pub phase: &'static str,
    pub operations_per_second: f64,
    pub cpu_micros_per_operation: f64,
    /// By kind of operation.
    pub kinds: Vec<KindSummary>,
}

/// All phases on a new store, which is gone afterwards.
///
/// # Errors
/// What a store says, and operations that failed.
pub fn measure(engine: EngineName, options: &Options) -> Result<Vec<Row>, Trouble> {
    let directory = match &options.directory {
        Some(parent) => tempfile::Builder::new().prefix("tessera-peers-").tempdir_in(parent)?,
        None => tempfile::Builder::new().prefix("tessera-peers-").tempdir()?,
    };
    let path = directory.path();
    match engine {
        EngineName::Tessera | EngineName::TesseraCached => {
            let tessera = Tessera::create(path, options, engine == EngineName::TesseraCached)?;
            let access = tessera.access();
            if engine == EngineName::Tessera && access != "direct" {
                eprintln!(
                    "tessera: the disk is not reached directly; its rates are of the system's page cache too, as those of tessera-cached"
                );
            }
            let phase = |spec: &WorkloadSpec| summary(spec, &Embedded::new(tessera.namespace.clone(), spec)?);
            phases(engine, access, options, phase)
        }
        EngineName::Redb => phases_of(engine, options, &Redb::create(path, options.cache_bytes)?),
        EngineName::Fjall => phases_of(engine, options, &Fjall::create(path, options.cache_bytes)?),
    }
}

fn phases_of(engine: EngineName, options: &Options, store: &dyn Store) -> Result<Vec<Row>, Trouble> {
    phases(engine, "cached", options, |spec| synced(store, || summary(spec, &StoreClients { store, spec })))
}

fn phases(
    engine: EngineName,
    access: &'static str,
    options: &Options,
    phase: impl Fn(&WorkloadSpec) -> Result<Summary, Trouble>,
) -> Result<Vec<Row>, Trouble> {
    let mut rows = Vec::new();
    for (name, workload) in PHASES {
        let mix = Mix::parse(workload)?;
        let mut spec = WorkloadSpec::ycsb("peers", mix);
        spec.keys = options.records;
        spec.seed = options.seed;
        if mix.inserts() {
            spec.threads = options.load_threads;
        } else {
            spec.threads = options.threads;
            spec.duration_seconds = Some(options.seconds);
        }
        spec.check()?;
        let summary = phase(&spec)?;
        eprintln!("{}, {name}: {:.0} operations/s", engine.as_str(), summary.tps);
        rows.push(Row {
            engine: engine.as_str(),
            access,
            phase: name,
            operations_per_second: summary.tps.round(),
            cpu_micros_per_operation: summary.cpu_micros_per_operation,
            kinds: summary.kinds,
        });
    }
    Ok(rows)
}

/// # Errors
/// What keeps the run from going on, and operations that failed.
fn summary(spec: &WorkloadSpec, clients: &dyn Clients) -> Result<Summary, Trouble> {
    let summary = run(spec, clients, &Stop::default(), &mut Unwatched)?;
    match &summary.error_message {
        Some(message) => Err(format!("operations failed: {:?}, one of them: {message}", summary.errors).into()),
        None => Ok(summary),
    }
}

/// Seconds are not watched.
struct Unwatched;

impl Watch for Unwatched {
    fn second(&mut self, _frame: Frame, _counts: &Counts) -> tessera_base::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn every_store_does_every_phase() {
        let words = "tessera-peers --records 500 --seconds 1 --cache-bytes 33554432".split(' ');
        let options = Options::try_parse_from(words).unwrap();
        for engine in EngineName::ALL {
            let rows = measure(engine, &options).unwrap();
            let phases: Vec<_> = rows.iter().map(|row| row.phase).collect();
            assert_eq!(phases, ["load", "50/50", "95/5", "read only"]);
            assert!(rows.iter().all(|row| row.access == "cached" || engine == EngineName::Tessera && row.access == "direct"));
            assert_eq!(rows[0].kinds.iter().map(|kind| kind.count).sum::<u64>(), 500);
            assert_eq!(rows.iter().map(|row| row.kinds.len()).collect::<Vec<_>>(), [1, 2, 2, 1]);
        }
    }

    #[test]
    fn an_update_replaces_its_field_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let stores: [Box<dyn Store>; 2] =
            [Box::new(Redb::create(directory.path(), 1 << 20).unwrap()), Box::new(Fjall::create(directory.path(), 1 << 20).unwrap())];
        for store in stores {
            let mut value = Vec::new();
            assert!(!store.update(b"a", 100, &[b'x'; 100], &mut value).unwrap());
            store.put(b"a", &[b'o'; 1000]).unwrap();
            assert!(store.update(b"a", 100, &[b'x'; 100], &mut value).unwrap());
            store.sync().unwrap();
            assert!(store.get(b"a", &mut value).unwrap());
            assert_eq!(value, [vec![b'o'; 100], vec![b'x'; 100], vec![b'o'; 800]].concat());
            assert!(!store.get(b"b", &mut value).unwrap() && value.is_empty());
        }
    }
}
