//! A store as the loop of the load generator sees it: keys and values of bytes, one operation at a time on each thread.

use crate::Trouble;
use crate::values::Letters;
use std::time::Instant;
use tessera_base::Result;
use tessera_workload::client::{Client, Clients, Ended, Failure};
use tessera_workload::operation::Operation;
use tessera_workload::spec::{KeyText, WorkloadSpec};
use tessera_workload::stop::Stop;
use tessera_workload::ycsb::{FIELD_BYTES, FIELDS};

/// Bytes of a value: the fields one after the other.
pub const VALUE_BYTES: usize = (FIELDS * FIELD_BYTES) as usize;

/// A store that others have made. Writes are acknowledged before they are on stable storage; `sync` puts all of them there.
pub trait Store: Send + Sync {
    /// The value of a key into `value`, which is cleared first; whether there is one.
    ///
    /// # Errors
    /// What the store says.
    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> std::result::Result<bool, Trouble>;

    /// # Errors
    /// What the store says.
    fn put(&self, key: &[u8], value: &[u8]) -> std::result::Result<(), Trouble>;

    /// Replaces the bytes at `begin` of a value that is there; whether it was. Uses `value` as room.
    ///
    /// # Errors
    /// What the store says.
    fn update(&self, key: &[u8], begin: usize, bytes: &[u8], value: &mut Vec<u8>) -> std::result::Result<bool, Trouble>;

    /// # Errors
    /// What the store says.
    fn sync(&self) -> std::result::Result<(), Trouble>;
}

/// The workers of a run upon a store.
pub struct StoreClients<'a> {
    pub store: &'a dyn Store,
    pub spec: &'a WorkloadSpec,
}

impl Clients for StoreClients<'_> {
    fn client<'a>(&'a self, worker: u32, _stop: &'a Stop) -> Result<Box<dyn Client + 'a>> {
        let letters = Letters::new(self.spec.seed, worker);
        Ok(Box::new(Hands { store: self.store, keys: KeyText::new(self.spec), letters, value: Vec::new(), ended: None }))
    }
}

struct Hands<'a> {
    store: &'a dyn Store,
    keys: KeyText,
    letters: Letters,
    value: Vec<u8>,
    /// Done and not yet taken.
    ended: Option<Ended>,
}

impl Hands<'_> {
    /// Whether there was a record of the key, where one is needed.
    fn perform(&mut self, operation: Operation, key: u64) -> std::result::Result<bool, Trouble> {
        let key = self.keys.of(key).as_bytes();
        match operation {
            Operation::Read => self.store.get(key, &mut self.value),
            Operation::Write | Operation::Insert => {
                self.letters.fill(VALUE_BYTES, &mut self.value);
                self.store.put(key, &self.value).map(|()| true)
            }
            Operation::Update { bin } => {
                let field = self.letters.field();
                self.store.update(key, bin as usize * FIELD_BYTES as usize, &field, &mut self.value)
            }
            Operation::Scan { .. } | Operation::ReadModifyWrite { .. } | Operation::Size | Operation::Iterate(_) => {
                Err("no phase has such an operation".into())
            }
        }
    }
}

impl Client for Hands<'_> {
    fn window(&self) -> usize {
        1
    }

    fn start(&mut self, ticket: usize, operation: Operation, key: u64) {
        let failure = |message: String| Failure { code: "store_failed".to_owned(), message };
        let outcome = match self.perform(operation, key) {
            Ok(true) => Ok(()),
            Ok(false) => Err(failure("there is no record of such a key".to_owned())),
            Err(trouble) => Err(failure(trouble.to_string())),
        };
        self.ended = Some(Ended { ticket, at: Instant::now(), outcome: Some(outcome) });
    }

    fn take(&mut self, _until: Option<Instant>) -> Option<Ended> {
        self.ended.take()
    }
}
