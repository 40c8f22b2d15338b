//! The same by the core, as the binding calls it.

use crate::{Failure, NAMESPACE, Options, SET, body_of, fresh, numbers, timed};
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;
use tessera_cluster::{Cluster, Clusters, KnownCluster, Records};
use tessera_core::config::{CassandraConfig, Replication};
use tessera_core::exchange::{BatchOptions, write_records};
use tessera_core::query::QuerySpec;
use tessera_core::scan::VisitSpec;
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_record::KeyRef;
use tessera_record::filter::Filter;

/// Lines of a batch.
const LINES: u64 = 500;
/// Keys of a batch of reads.
const KEYS: usize = 256;
const SCANS: u32 = 4;
/// No job takes so long.
const LONG: Duration = Duration::from_secs(3600);

pub(crate) struct Ours<'a> {
    options: &'a Options,
    namespace: Arc<Namespace>,
    engine: Arc<Engine>,
    _directory: TempDir,
}

impl<'a> Ours<'a> {
    pub(crate) fn new(options: &'a Options) -> Result<Self, Failure> {
        drop_keyspace(options)?;
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("clusters.json");
        std::fs::write(&file, json!({ "test": { "contactPoints": options.points } }).to_string())?;
        let opened = EngineOptions { remotes: Some(Arc::new(Clusters { file: Some(file) })), ..EngineOptions::default() };
        let engine = Engine::open(&directory.path().join("data"), opened)?;
        let config = CassandraConfig { replication: Replication::Simple(options.copies), ..CassandraConfig::new("test") };
        let namespace = engine.create_namespace(NamespaceConfig::cassandra(NAMESPACE, config))?;
        Ok(Self { options, namespace, engine, _directory: directory })
    }

    pub(crate) fn drop_all(&self) -> Result<(), Failure> {
        self.engine.close()?;
        drop_keyspace(self.options)
    }

    /// Threads take the next number each until there is none.
    fn each(
        &self,
        numbers: impl Iterator<Item = u64>,
        one: impl Fn(u64, &mut Vec<u8>) -> Result<(), Failure> + Sync,
    ) -> Result<u64, Failure> {
        let (numbers, next): (Vec<u64>, _) = (numbers.collect(), AtomicUsize::new(0));
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.options.in_flight)
                .map(|_| {
                    scope.spawn(|| {
                        let mut out = Vec::new();
                        while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                            one(number, &mut out)?;
                        }
                        Ok::<_, Failure>(())
                    })
                })
                .collect();
            for thread in threads {
                thread.join().map_err(|_| "a thread panicked")??;
            }
            Ok(numbers.len() as u64)
        })
    }

    pub(crate) fn reads(&self, round: u64) -> Result<u64, Failure> {
        let Options { reads, records, .. } = *self.options;
        self.each(numbers(round, reads, records), |number, out| {
            self.namespace.get(SET, KeyRef::String(&number.to_string()), out)?.ok_or("a record is missing")?;
            Ok(())
        })
    }

    /// A reader of a workload: one thread has all of them in flight.
    pub(crate) fn reads_in_a_window(&self, round: u64) -> Result<u64, Failure> {
        let Options { reads, records, in_flight, .. } = *self.options;
        let mut reader = self.namespace.reader(in_flight)?;
        let mut left = numbers(round, reads, records);
        let mut done = 0;
        loop {
            while reader.in_flight() < in_flight
                && let Some(number) = left.next()
            {
                reader.start(SET, KeyRef::String(&number.to_string()), number)?;
            }
            let Some((_, found)) = reader.next() else { return Ok(done) };
            found?.ok_or("a record is missing")?;
            done += 1;
        }
    }

    pub(crate) fn reads_in_batches(&self, round: u64) -> Result<u64, Failure> {
        let Options { reads, records, .. } = *self.options;
        let keys: Vec<String> = numbers(round, reads, records).map(|number| number.to_string()).collect();
        let keys: Vec<KeyRef<'_>> = keys.iter().map(|key| KeyRef::String(key)).collect();
        let mut found = 0;
        for keys in keys.chunks(KEYS) {
            self.namespace.get_many(SET, keys, &mut |_, record| found += u64::from(record.is_some()))?;
        }
        if found == reads { Ok(reads) } else { Err("a record is missing".into()) }
    }

    fn put(&self, number: u64) -> Result<(), Failure> {
        let body = body_of(number, self.options.bytes)?;
        self.namespace.put(SET, KeyRef::String(&number.to_string()), &body, &WriteOptions::default())?;
        Ok(())
    }

    pub(crate) fn writes(&self, round: u64) -> Result<u64, Failure> {
        let Options { writes, records, .. } = *self.options;
        self.each(numbers(round, writes, records), |number, _| self.put(number))
    }

    pub(crate) fn writes_in_batches(&self, round: u64) -> Result<u64, Failure> {
        let Options { writes, records, .. } = *self.options;
        self.batches(numbers(round, writes, records).collect())
    }

    pub(crate) fn inserts(&self, round: u64) -> Result<u64, Failure> {
        self.each(fresh(self.options, round, 1), |number, _| self.put(number))
    }

    pub(crate) fn inserts_in_batches(&self, round: u64) -> Result<u64, Failure> {
        self.batches(fresh(self.options, round, 2).collect())
    }

    pub(crate) fn load(&self, numbers: Range<u64>) -> Result<u64, Failure> {
        self.batches(numbers.collect())
    }

    /// As the gateway takes them: lines of JSON.
    fn batches(&self, numbers: Vec<u64>) -> Result<u64, Failure> {
        for numbers in numbers.chunks(LINES as usize) {
            let mut text = String::new();
            for number in numbers {
                text.push_str(&self.line(*number)?);
            }
            let report = write_records(self.namespace.store(), SET, text.as_bytes(), &BatchOptions::default())?;
            if let Some(reject) = report.rejected.first() {
                return Err(format!("a line was refused: {}", reject.error).into());
            }
        }
        Ok(numbers.len() as u64)
    }

    fn line(&self, number: u64) -> Result<String, Failure> {
        let mut document = String::new();
        // Of each pair an index keeps a term for the key and one for the value.
        for pair in 0..self.options.terms.unwrap_or(0) / 2 {
            write!(document, "{}\"k{pair}\":{}", if pair > 0 { "," } else { "" }, number.wrapping_mul(31 + pair as u64) % 1000)?;
        }
        let value = "x".repeat(self.options.bytes);
        Ok(format!("{{\"key\":\"{number}\",\"bins\":{{\"v\":\"{value}\",\"doc\":{{{document}}}}}}}\n"))
    }

    pub(crate) fn scan(&self, bodies: bool) -> Result<u64, Failure> {
        let met = AtomicU64::new(0);
        let spec = VisitSpec { threads: SCANS, bodies, ..VisitSpec::default() };
        self.namespace.scan_visit(&spec, &|_, _| {
            met.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        })?;
        Ok(met.into_inner())
    }

    /// Builds a document index over all records and a range index, and asks the first one; then writes with the indexes there.
    pub(crate) fn build_and_ask(&self, terms: usize) -> Result<Vec<(String, Value)>, Failure> {
        let mut figures = Vec::new();
        let mut note = |name: String, spent: crate::Spent| {
            eprintln!("{name}: {:.0}/s", spent.rate());
            figures.push((name, json!({ "perSecond": spent.rate().round() })));
        };
        let document = r#"{"name":"doc","set":null,"bin":"doc","kind":"document","path":null}"#;
        note(format!("build of a document index, {terms} terms"), timed(|| self.build(document))?);
        let range = r#"{"name":"k0","set":null,"bin":"doc","kind":"range","path":"k0"}"#;
        note("build of a range index".to_owned(), timed(|| self.build(range))?);
        note("queries by index".to_owned(), timed(|| self.queries(200))?);
        let from = self.options.records * 100;
        note(format!("inserts in batches, {terms} terms"), timed(|| self.load(from..from + self.options.writes))?);
        Ok(figures)
    }

    fn build(&self, spec: &str) -> Result<u64, Failure> {
        let job = self.namespace.create_index(serde_json::from_str(spec)?, SCANS)?;
        let ended = job.wait_blocking(LONG);
        match ended.error {
            None => Ok(ended.done),
            Some(error) => Err(error.message.into()),
        }
    }

    fn queries(&self, many: u64) -> Result<u64, Failure> {
        for number in 0..many {
            let text = format!("{{\"bin\":\"doc\",\"op\":\"contains\",\"value\":{{\"k0\":{}}}}}", number % 1000);
            let filter = Some(Arc::new(Filter::compile(text.as_bytes())?));
            let query = self.namespace.query(QuerySpec { set: Some(SET.into()), filter, ..QuerySpec::default() })?;
            while query.stream.next_blocking()?.is_some() {}
        }
        Ok(many)
    }

    pub(crate) fn truncate(&self) -> Result<(), Failure> {
        self.namespace.truncate(None, None)?.wait_blocking(LONG);
        Ok(())
    }
}

fn drop_keyspace(options: &Options) -> Result<(), Failure> {
    let known = KnownCluster::open_to_all(options.points.clone());
    Records::drop_namespace(&*Cluster::connect(&known, CassandraConfig::new("test"))?, NAMESPACE)?;
    Ok(())
}
