//! When the slow operations are written, read back and erased. No operation waits for it: a thread of its own writes.

use super::file::{Noted, Past, SlowFile};
use super::{SlowLog, SlowOperation, State};
use crate::metrics::HistoryStatus;
use crate::metrics::history::{Append, Check};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::names::Names;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, Result, clock, thread_guard};

/// What a kill may cost.
const WRITE_PERIOD: Duration = Duration::from_secs(1);
/// What a power loss may cost: so many writes.
const WRITES_A_SYNC: u32 = 60;

/// Where operations are written.
pub(super) struct Saved {
    file: SlowFile,
    /// Whether files may be written.
    check: Check,
}

/// An operation with the id of its namespace.
fn owned((entry, slow): Noted, names: &Names) -> Noted {
    if entry.namespace_id.is_some() {
        return (entry, slow);
    }
    let namespace_id = Some(names.first(&entry.namespace));
    (Arc::new(SlowOperation { namespace_id, ..SlowOperation::clone(&entry) }), slow)
}

impl SlowLog {
    /// Reads the operations that `directory` has, and writes to it while `check` allows it. `names` tells whose those are that have no
    /// id.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub fn start(directory: PathBuf, names: &Names, check: impl Fn() -> Result<()> + Send + Sync + 'static) -> Result<Arc<Self>> {
        let log = Arc::new(Self::open(directory, |file, bytes, at| file.write_all_at(bytes, at), Box::new(check), names));
        let (mine, mut writes) = (Arc::downgrade(&log), 0);
        let writer = Ticker::start("slow", WRITE_PERIOD, move || {
            writes += 1;
            mine.upgrade().into_iter().for_each(|log| drop(log.write(writes % WRITES_A_SYNC == 0)));
        })?;
        let _ = log.writer.set(writer);
        Ok(log)
    }

    pub(super) fn open(directory: PathBuf, append: Append, check: Check, names: &Names) -> Self {
        thread_guard::may_wait("reads the slow operations");
        let (file, Past { operations, damaged, unreadable }) = SlowFile::open(directory, append, &check);
        let log = Self::default();
        {
            let mut state = log.state.lock();
            state.resume(operations.into_iter().map(|noted| owned(noted, names)).collect());
            log.set_gates(&state);
            let unreadable = unreadable.into_iter().collect();
            *log.told.lock() = HistoryStatus { bytes: file.bytes, damaged, unreadable, ..HistoryStatus::default() };
            *log.saved.lock() = Some(Saved { file, check });
        }
        log
    }

    /// What an operator should know of the file.
    pub fn status(&self) -> HistoryStatus {
        HistoryStatus { most_bytes: super::file::FILE_BYTES, ..self.told.lock().clone() }
    }

    /// Writes what the file lacks. What cannot be written now waits in memory, within its bounds.
    pub(super) fn write(&self, sync: bool) -> Result<()> {
        self.with_file("writes the slow operations", |Saved { file, check }| {
            let operations = self.state.lock().kept.since(file.last);
            if file.stale || !operations.is_empty() {
                check()?;
                if !file.append(&operations).map_err(failed)? {
                    file.write_anew(&self.state.lock().kept.since(0), check).map_err(failed)?;
                }
            }
            if sync { file.sync().map_err(failed) } else { Ok(()) }
        })
    }

    /// Leaves nothing in the file that is not in memory.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`. The next write tries again then.
    pub(super) fn erase(&self, only_keys: bool) -> Result<()> {
        self.with_file("erases slow operations", |Saved { file, check }| {
            if only_keys && !file.may_have_keys() {
                return Ok(());
            }
            file.stale = true;
            check()?;
            file.erase(&self.state.lock().kept.since(0), check).map_err(failed)
        })
    }

    fn with_file(&self, what: &'static str, work: impl FnOnce(&mut Saved) -> Result<()>) -> Result<()> {
        let mut saved = self.saved.lock();
        let Some(saved) = saved.as_mut() else { return Ok(()) };
        thread_guard::may_wait(what);
        let done = work(saved);
        let mut told = self.told.lock();
        if told.failure.is_none() {
            told.failing_since_ms = clock::unix_millis();
        }
        (told.failure, told.bytes) = (done.as_ref().err().cloned(), saved.file.bytes);
        done
    }

    /// Ends the thread, and brings everything to stable storage. After that nothing is written. Idempotent.
    pub fn close(&self) {
        self.writer.get().into_iter().for_each(Ticker::close);
        // What could not be written is in the status, and gone.
        let _ = self.write(true);
        self.saved.lock().take();
    }
}

/// A look that refused the write keeps its own code.
fn failed(error: io::Error) -> Error {
    let refused = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    refused.cloned().unwrap_or_else(|| Error::io("writing the slow operations", &error))
}

impl State {
    /// Goes on with the operations of earlier runs. How long ago they ended is what the wall clock says.
    fn resume(&mut self, operations: Vec<Noted>) {
        let (now, now_ms) = (Instant::now(), clock::unix_millis());
        for (entry, slow) in operations {
            self.last_id = entry.id;
            let ago = Duration::from_millis(now_ms.saturating_sub(entry.ended_at_ms));
            self.kept.keep(entry, slow, now.checked_sub(ago).unwrap_or(now));
        }
        self.kept.age(now);
    }
}
