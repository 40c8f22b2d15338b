//! What a bucket of objects has to do for backups. Who speaks with it is outside of the core.

use std::fs::File;
use tessera_base::Result;

/// Bytes of an object.
pub struct Slice {
    pub bytes: Vec<u8>,
    /// Of the whole object.
    pub total: u64,
}

/// What an object is made of.
#[derive(Clone, Copy)]
pub enum Body<'a> {
    Bytes(&'a [u8]),
    /// The first bytes of a file.
    File(&'a File, u64),
}

/// Whether somebody still wants the answer. It is asked several times a second.
pub type Wanted<'a> = dyn Fn() -> bool + Sync + 'a;

/// The objects under one prefix of a bucket. A call tries again for a while what may pass.
///
/// # Errors
/// All methods: `backup_target_unavailable`, `backup_target_refused`; `aborted` soon after nobody wants the answer.
pub trait Objects: Send + Sync + 'static {
    /// At most `most` bytes from `from` on, and as many as there are; `None` if there is no such object.
    fn read(&self, key: &str, from: u64, most: usize, wanted: &Wanted<'_>) -> Result<Option<Slice>>;

    /// Makes an object in one step, in the place of one of that key.
    fn write(&self, key: &str, body: Body<'_>, wanted: &Wanted<'_>) -> Result<()>;

    /// Keys that begin with `prefix`, at most `most`.
    fn keys(&self, prefix: &str, most: usize) -> Result<Vec<String>>;

    /// What comes before the first `/` of the keys, at most `most`.
    fn folders(&self, most: usize) -> Result<Vec<String>>;

    /// Removes an object, if there is one.
    fn remove(&self, key: &str) -> Result<()>;
}
