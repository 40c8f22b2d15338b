//! Who does the operations: begun one after the other, taken when they have ended, several in flight where the client can.

mod embedded;
mod http;

pub use embedded::Embedded;
pub use http::{Gateway, answer};

use crate::operation::Operation;
use crate::stop::Stop;
use std::time::Instant;
use tessera_base::Result;

/// How an operation ended. `code` is stable: a code of the core, or `connection_failed`, `timeout` or `http_<status>` of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: String,
    pub message: String,
}

/// An operation that has ended.
#[derive(Debug)]
pub struct Ended {
    /// As it was given to `start`.
    pub ticket: usize,
    pub at: Instant,
    /// `None` where the run was stopped meanwhile and it was left unfinished: then it is counted neither as done nor as failed.
    pub outcome: Option<std::result::Result<(), Failure>>,
}

/// One worker's way to the records.
pub trait Client: Send {
    /// Most operations in flight at once, at least 1.
    fn window(&self) -> usize;

    /// Begins an operation. The caller keeps to the window, and no two operations in flight have the same ticket.
    fn start(&mut self, ticket: usize, operation: Operation, key: u64);

    /// Takes an operation that has ended. Waits for one where there is one in flight, until `until` if that is given.
    fn take(&mut self, until: Option<Instant>) -> Option<Ended>;
}

/// Makes the clients of a run, one for each worker.
pub trait Clients: Sync {
    /// `stop` is that of the run: what takes long is left when it is asked for.
    ///
    /// # Errors
    /// Where the records cannot be reached at all.
    fn client<'a>(&'a self, worker: u32, stop: &'a Stop) -> Result<Box<dyn Client + 'a>>;
}
