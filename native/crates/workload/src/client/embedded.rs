//! Operations on a namespace of this process. The worker's thread does them itself, one at a time; with a window it keeps
//! reads in flight and does only the writes itself.

use super::{Client, Clients, Ended, Failure};
use crate::operation::{Iterate, Operation};
use crate::rng::Rng;
use crate::spec::{KeyText, Values, WorkloadSpec};
use crate::stop::Stop;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::iterate::{Batch, IterateSpec};
use tessera_core::namespace::Exists;
use tessera_core::scan::ScanSpec;
use tessera_core::{Namespace, RecordReader, WriteOptions};
use tessera_record::{Key, KeyRef, Ttl};

/// What sets the values of a worker apart from its keys.
const VALUES: u64 = 0x76;

/// The namespace that a run is on.
pub struct Embedded {
    namespace: Arc<Namespace>,
    spec: WorkloadSpec,
}

impl Embedded {
    /// # Errors
    /// `single_bin` where records of the namespace have fewer bins than those of the run.
    pub fn new(namespace: Arc<Namespace>, spec: &WorkloadSpec) -> Result<Self> {
        spec.check_bins(namespace.single_bin())?;
        Ok(Self { namespace, spec: spec.clone() })
    }
}

impl Clients for Embedded {
    fn client<'a>(&'a self, worker: u32, stop: &'a Stop) -> Result<Box<dyn Client + 'a>> {
        let (spec, namespace) = (&self.spec, &self.namespace);
        let rng = Rng::new(spec.seed, VALUES, worker.into());
        let window = spec.window as usize;
        Ok(Box::new(Hands {
            namespace,
            stop,
            set: &spec.set,
            keys: KeyText::new(spec),
            values: Values::new(spec, namespace.single_bin(), rng),
            body: Vec::new(),
            batch: Batch::default(),
            window,
            reader: if window > 1 { Some(namespace.reader(window)?) } else { None },
            ended: VecDeque::with_capacity(window),
        }))
    }
}

struct Hands<'a> {
    namespace: &'a Arc<Namespace>,
    stop: &'a Stop,
    set: &'a str,
    keys: KeyText,
    values: Values,
    body: Vec<u8>,
    /// Of iterations.
    batch: Batch,
    window: usize,
    /// Reads in flight, where there may be several.
    reader: Option<RecordReader<'a>>,
    /// Done and not yet taken.
    ended: VecDeque<Ended>,
}

/// How far an operation has come.
enum Progress {
    InFlight,
    Done,
    /// Left unfinished, as the run was stopped.
    Left,
}

impl Hands<'_> {
    fn perform(&mut self, ticket: usize, operation: Operation, key: u64) -> Result<Progress> {
        let key = self.keys.of(key);
        let record = KeyRef::String(key);
        match (operation, &mut self.reader) {
            (Operation::Read, Some(reader)) => return reader.start(self.set, record, ticket as u64).map(|()| Progress::InFlight),
            (Operation::Read, None) => read(self.namespace, self.set, record, &mut self.body)?,
            (Operation::Write | Operation::Insert, _) => {
                self.values.body(key, &mut self.body)?;
                self.namespace.put(self.set, record, &self.body, &WriteOptions::default())?;
            }
            (Operation::Update { bin }, _) => {
                self.values.body_of_bin(key, bin, &mut self.body)?;
                self.namespace.put(self.set, record, &self.body, &MERGE)?;
            }
            (Operation::ReadModifyWrite { bin }, _) => {
                read(self.namespace, self.set, record, &mut self.body)?;
                self.values.body_of_bin(key, bin, &mut self.body)?;
                self.namespace.put(self.set, record, &self.body, &MERGE)?;
            }
            (Operation::Scan { records }, _) => scan(self.namespace, self.set, key, records)?,
            (Operation::Size, _) => {
                std::hint::black_box(self.namespace.size(None));
            }
            (Operation::Iterate(iterate), _) => return copy_out(self.namespace, iterate, &mut self.batch, self.stop),
        }
        Ok(Progress::Done)
    }
}

/// Only the bin that is given is replaced, of a record that is there.
const MERGE: WriteOptions = WriteOptions {
    exists: Exists::UpdateOnly,
    expected_generation: None,
    generation_greater: false,
    ttl: Ttl::Default,
    generation: None,
    defer_sync: false,
};

fn read(namespace: &Namespace, set: &str, key: KeyRef<'_>, body: &mut Vec<u8>) -> Result<()> {
    namespace.get(set, key, body)?.map(drop).ok_or_else(absent)
}

/// A page of records that begins at one, read to its end. The run is the job, not each of its scans.
fn scan(namespace: &Arc<Namespace>, set: &str, key: &str, records: u32) -> Result<()> {
    let (set, from, limit) = (Some(set.to_owned()), Some(Key::String(key.to_owned())), Some(records.into()));
    let scan = namespace.scan(ScanSpec { set, from, limit, unlisted: true, ..ScanSpec::default() })?;
    while scan.stream.next_blocking()?.is_some() {}
    Ok(())
}

/// Every record, each batch copied over the one before; of a large namespace that takes long, so that a stop is heeded between two.
fn copy_out(namespace: &Namespace, Iterate { batch, keys }: Iterate, copied: &mut Batch, stop: &Stop) -> Result<Progress> {
    let mut iteration = namespace.iterate(&IterateSpec { batch, keys_only: keys, ..IterateSpec::default() })?;
    while iteration.next(copied)? {
        std::hint::black_box(&*copied);
        if stop.asked() {
            return Ok(Progress::Left);
        }
    }
    Ok(Progress::Done)
}

impl Client for Hands<'_> {
    fn window(&self) -> usize {
        self.window
    }

    fn start(&mut self, ticket: usize, operation: Operation, key: u64) {
        let outcome = match self.perform(ticket, operation, key) {
            Ok(Progress::InFlight) => return,
            Ok(Progress::Left) => None,
            Ok(Progress::Done) => Some(Ok(())),
            Err(error) => Some(Err(Failure::from(error))),
        };
        self.ended.push_back(Ended { ticket, at: Instant::now(), outcome });
    }

    fn take(&mut self, until: Option<Instant>) -> Option<Ended> {
        self.ended.pop_front().or_else(|| {
            let reader = self.reader.as_mut()?;
            if until.is_some_and(|until| !reader.wait_until(until)) {
                return None;
            }
            let (tag, answer) = reader.next()?;
            let outcome = answer.and_then(|record| record.map(drop).ok_or_else(absent)).map_err(Failure::from);
            Some(Ended { ticket: tag as usize, at: Instant::now(), outcome: Some(outcome) })
        })
    }
}

fn absent() -> Error {
    Error::said(ErrorCode::RecordNotFound, sentence!("there is no record of such a key"))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { code: error.code.as_str().to_owned(), message: error.message }
    }
}
