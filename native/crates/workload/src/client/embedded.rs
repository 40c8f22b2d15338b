//! Operations on a namespace of this process, one at a time: the worker's thread does them itself.

use super::{Client, Clients, Ended, Failure, Operation};
use crate::rng::Rng;
use crate::spec::{KeyText, Values, WorkloadSpec};
use std::sync::Arc;
use std::time::Instant;
use tessera_core::record::KeyRef;
use tessera_core::{Error, ErrorCode, Namespace, Result, WriteOptions};

/// What sets the values of a worker apart from its keys.
const VALUES: u64 = 0x76;

/// The namespace that a run is on.
pub struct Embedded {
    namespace: Arc<Namespace>,
    spec: WorkloadSpec,
}

impl Embedded {
    pub fn new(namespace: Arc<Namespace>, spec: &WorkloadSpec) -> Self {
        Self { namespace, spec: spec.clone() }
    }
}

impl Clients for Embedded {
    fn client(&self, worker: u32) -> Result<Box<dyn Client + '_>> {
        let rng = Rng::new(self.spec.seed, VALUES, worker.into());
        Ok(Box::new(Blocking {
            namespace: &self.namespace,
            set: &self.spec.set,
            keys: KeyText::new(&self.spec),
            values: Values::new(&self.spec.object, self.spec.bins, rng),
            body: Vec::new(),
            ended: None,
        }))
    }
}

struct Blocking<'a> {
    namespace: &'a Namespace,
    set: &'a str,
    keys: KeyText,
    values: Values,
    body: Vec<u8>,
    ended: Option<Ended>,
}

impl Blocking<'_> {
    fn perform(&mut self, operation: Operation, key: u64) -> Result<()> {
        let key = self.keys.of(key);
        match operation {
            Operation::Read => match self.namespace.get(self.set, KeyRef::String(key), &mut self.body)? {
                Some(_) => Ok(()),
                None => Err(Error::new(ErrorCode::RecordNotFound, format!("there is no record {key}"))),
            },
            Operation::Write => {
                self.values.body(key, &mut self.body)?;
                self.namespace.put(self.set, KeyRef::String(key), &self.body, &WriteOptions::default()).map(drop)
            }
        }
    }
}

impl Client for Blocking<'_> {
    fn window(&self) -> usize {
        1
    }

    fn start(&mut self, ticket: usize, operation: Operation, key: u64) {
        let outcome = self.perform(operation, key).map_err(Failure::from);
        self.ended = Some(Ended { ticket, at: Instant::now(), outcome });
    }

    fn take(&mut self, _until: Option<Instant>) -> Option<Ended> {
        self.ended.take()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { code: error.code.as_str().to_owned(), message: error.message }
    }
}
