//! Operations on a namespace of this process. The worker's thread does them itself, one at a time; with a window it keeps
//! reads in flight and does only the writes itself.

use super::{Client, Clients, Ended, Failure, Operation};
use crate::rng::Rng;
use crate::spec::{KeyText, Values, WorkloadSpec};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use tessera_core::record::KeyRef;
use tessera_core::{Error, ErrorCode, Namespace, Reader, Result, WriteOptions};

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
        spec.check_bins(namespace.config().single_bin)?;
        Ok(Self { namespace, spec: spec.clone() })
    }
}

impl Clients for Embedded {
    fn client(&self, worker: u32) -> Result<Box<dyn Client + '_>> {
        let (spec, namespace) = (&self.spec, &*self.namespace);
        let rng = Rng::new(spec.seed, VALUES, worker.into());
        let window = spec.window as usize;
        Ok(Box::new(Hands {
            namespace,
            set: &spec.set,
            keys: KeyText::new(spec),
            values: Values::new(spec, namespace.config().single_bin, rng),
            body: Vec::new(),
            window,
            reader: if window > 1 { Some(namespace.reader(window)?) } else { None },
            ended: VecDeque::with_capacity(window),
        }))
    }
}

struct Hands<'a> {
    namespace: &'a Namespace,
    set: &'a str,
    keys: KeyText,
    values: Values,
    body: Vec<u8>,
    window: usize,
    /// Reads in flight, where there may be several.
    reader: Option<Reader<'a>>,
    /// Done and not yet taken.
    ended: VecDeque<Ended>,
}

impl Hands<'_> {
    /// Does an operation; `None` where a read is now in flight.
    fn perform(&mut self, ticket: usize, operation: Operation, key: u64) -> Result<Option<()>> {
        let key = self.keys.of(key);
        match (operation, &mut self.reader) {
            (Operation::Read, Some(reader)) => reader.start(self.set, KeyRef::String(key), ticket as u64).map(|()| None),
            (Operation::Read, None) => {
                let found = self.namespace.get(self.set, KeyRef::String(key), &mut self.body)?;
                found.map(|_| Some(())).ok_or_else(absent)
            }
            (Operation::Write, _) => {
                self.values.body(key, &mut self.body)?;
                self.namespace.put(self.set, KeyRef::String(key), &self.body, &WriteOptions::default())?;
                Ok(Some(()))
            }
        }
    }
}

impl Client for Hands<'_> {
    fn window(&self) -> usize {
        self.window
    }

    fn start(&mut self, ticket: usize, operation: Operation, key: u64) {
        if let Some(outcome) = self.perform(ticket, operation, key).transpose() {
            self.ended.push_back(Ended { ticket, at: Instant::now(), outcome: outcome.map_err(Failure::from) });
        }
    }

    fn take(&mut self, until: Option<Instant>) -> Option<Ended> {
        self.ended.pop_front().or_else(|| {
            let reader = self.reader.as_mut()?;
            if until.is_some_and(|until| !reader.wait_until(until)) {
                return None;
            }
            let (tag, answer) = reader.next()?;
            let outcome = answer.and_then(|record| record.map(drop).ok_or_else(absent)).map_err(Failure::from);
            Some(Ended { ticket: tag as usize, at: Instant::now(), outcome })
        })
    }
}

fn absent() -> Error {
    Error::new(ErrorCode::RecordNotFound, "there is no record of such a key")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { code: error.code.as_str().to_owned(), message: error.message }
    }
}
