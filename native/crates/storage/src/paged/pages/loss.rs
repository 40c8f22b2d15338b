//! What pages, log, snapshot and manifest say of each other, before anything is changed: whether all that was acknowledged is still there.
//!
//! | what tells | what it tells |
//! | --- | --- |
//! | marks in the log | up to where it was stable, and a head of the pages that was there; see `log::record` |
//! | the note in the log | up to where it was stable when nobody had written for a moment |
//! | the head of the pages | up to where the log was stable within a second of its last sync, how long both files were, which run has the log |
//! | the head of the log | which run has it; which head the pages had at an orderly close |
//! | the snapshot | run and mark of the pages that it was taken of: they never come back to an earlier one |
//! | the manifest | the sequence of a head, from the last start or stop |
//!
//! What was never acknowledged may be missing or torn, and none of these says that it was stable.

use super::head::Head;
use crate::paged::log::{self, Behind, LogHead, LogStart, Lsn, Replayed};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{AlignedBuffer, Disk};

/// What is known of the two files from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The pages had a head with this sequence.
    pub sequence: u64,
    /// Run and mark of the pages that the snapshot was taken of.
    pub snapshot: Option<(u32, u64)>,
}

/// Bytes of a change of which none was found to go by.
const CHANGE_BYTES: u64 = 256;
/// After a loss the log goes on so far behind its end: behind every change that any page may have.
const BEHIND_ALL: u64 = 1 << 48;

/// What a start finds on the disks.
pub struct Found {
    pub head: Head,
    log_head: Option<LogHead>,
    lengths: [u64; 2],
    pub replayed: Replayed,
    behind: Behind,
    /// Up to where the log was stable, as marks, note and head say.
    stable: Lsn,
    witness: Witness,
    /// The pages have no head: nobody knows from where on the log is to be done again.
    pub headless: bool,
}

impl Found {
    /// Reads what there is of the log, and changes nothing.
    ///
    /// # Errors
    /// `data_file_foreign` for a log of another namespace, `data_file_version_unknown`, `storage_failed`.
    pub fn read(head: Head, pages: &dyn Disk, log: &dyn Disk, witness: Witness) -> Result<Self> {
        let length = |disk: &dyn Disk| disk.length().map_err(|error| Error::io("asking how long the files of the pages are", &error));
        let log_head = LogHead::read(log)?;
        if log_head.is_some_and(|found| found.namespace_id != head.namespace_id) {
            return Err(Error::said(ErrorCode::DataFileForeign, sentence!("the log belongs to another namespace")));
        }
        let replayed = log::replay(log, head.log_bytes, head.log, &mut |_| Ok(()))?;
        // Of pages that were closed in order nothing is in the log alone.
        let behind = if head.closed { Behind::default() } else { log::look_behind(log, head.log_bytes, head.log, replayed.end)? };
        let stable = behind.mark.stable.max(head.stable).max(log::note::read(log, head.log.incarnation));
        Ok(Self { head, log_head, lengths: [length(pages)?, length(log)?], replayed, behind, stable, witness, headless: false })
    }

    /// As `read`, where both copies of the head are gone: `head` has what the configuration tells, and no page is newer than `newest`.
    ///
    /// # Errors
    /// As `read`.
    pub fn without_head(head: Head, newest: Lsn, pages: &dyn Disk, log: &dyn Disk, witness: Witness) -> Result<Self> {
        let length = log.length().map_err(|error| Error::io("asking how long the log is", &error))?;
        let ring = length.saturating_sub(log::RING_AT);
        let log_bytes = if ring < log::RING_MIN { head.log_bytes } else { ring / log::BLOCK * log::BLOCK };
        let redo = newest.next_multiple_of(log::BLOCK);
        let log_start = LogStart { redo, ..head.log };
        let found = Self::read(Head { log: log_start, log_bytes, stable: redo, closed: true, ..head }, pages, log, witness)?;
        let replayed = Replayed { end: redo, ..Replayed::default() };
        Ok(Self { replayed, headless: true, ..found })
    }

    /// What is lost that was acknowledged; `None` if nothing is.
    pub fn loss(&self) -> Option<Error> {
        if self.headless {
            let message = "both copies of the head of the pages are damaged, so the log cannot be replayed";
            return Some(Error::new(ErrorCode::LogDamaged, message));
        }
        let (rolled_back, damaged) = (self.rolled_back(), self.damaged());
        let code = if rolled_back.is_empty() { ErrorCode::LogDamaged } else { ErrorCode::DataRolledBack };
        let all: Vec<String> = rolled_back.into_iter().chain(damaged).collect();
        (!all.is_empty()).then(|| Error::new(code, all.join("; ")))
    }

    /// Every sign that a file is older than it was, or shorter.
    fn rolled_back(&self) -> Vec<String> {
        let Self { head, log_head, lengths: [pages, log], witness, .. } = self;
        let mut signs = vec![];
        for (name, length, had) in [("pages", *pages, head.pages_length), ("log", *log, head.log_length)] {
            if length < had {
                signs.push(format!("the file `{name}` has {length} bytes, but had {had}"));
            }
        }
        let mut older = |than: u64, who: &str| {
            if head.sequence < than {
                signs.push(format!("the file `pages` has head number {}, and {who} knows number {than}", head.sequence));
            }
        };
        older(witness.sequence, "the manifest");
        older(self.replayed.mark.head.max(self.behind.mark.head), "the log");
        let run = head.log.incarnation;
        if let Some(found) = log_head {
            older(if found.incarnation == run { found.closed } else { 0 }, "the closed log");
            if found.incarnation > run {
                signs.push(format!("the file `pages` is of run {run}, and the log is of run {}", found.incarnation));
            } else if found.incarnation < head.log_run {
                signs.push(format!("the file `log` is of run {}, and the pages know of run {}", found.incarnation, head.log_run));
            } else if head.closed && found.closed == 0 {
                signs.push(format!("the pages were closed in run {run}, and the file `log` is from before that"));
            }
        }
        if witness.snapshot.is_some_and(|(of, mark)| of > run || of == run && mark != head.mark) {
            let of = witness.snapshot.map_or(0, |(of, _)| of);
            signs.push(format!("the index snapshot was written in run {of}, after the file `pages`, which is of run {run}"));
        }
        signs
    }

    /// What is wrong with the log, from where to where, and about how many changes that is.
    fn damaged(&self) -> Option<String> {
        let Self { head, replayed, behind, stable, .. } = self;
        if head.rebuilding {
            return Some("a rebuild of the index was interrupted, and has to be done again".to_owned());
        }
        if self.log_head.is_none() {
            return Some("both copies of the head of the log are damaged".to_owned());
        }
        let (from, stable) = (replayed.end, *stable);
        if stable <= from {
            return None;
        }
        let to = stable.max(behind.end);
        let known = (replayed.end - head.log.redo + behind.bytes).checked_div(replayed.records + behind.records);
        let unread = (to - from).saturating_sub(behind.bytes);
        let missing = behind.records + (unread / known.unwrap_or(CHANGE_BYTES).max(1)).max(1);
        Some(format!(
            "the log is damaged from byte {from} to byte {to}: about {missing} changes are missing; {} of them are whole, but rest on others",
            behind.records
        ))
    }

    /// Where the log goes on, and the head that says so. It is newer than whatever was found, and no page has a change from behind its log.
    pub fn next_head(&self, lossy: bool, rebuilding: bool) -> Head {
        let Self { head, replayed, behind, witness, .. } = self;
        let known = replayed.end.max(behind.end).max(self.stable);
        let end = if lossy { known + BEHIND_ALL } else { replayed.end };
        let redo = end.next_multiple_of(AlignedBuffer::ALIGNMENT as u64);
        let run = self.log_head.map_or(0, |found| found.incarnation);
        let newest = head.log.incarnation.max(run).max(witness.snapshot.map_or(0, |(run, _)| run));
        let sequence = head.sequence.max(witness.sequence).max(replayed.mark.head).max(behind.mark.head);
        let sequence = sequence.max(self.log_head.map_or(0, |found| found.closed));
        let log = LogStart { redo, incarnation: newest + 1 };
        Head { log, stable: redo, log_run: run, closed: false, rebuilding, ..Head { sequence, ..*head }.next() }
    }
}
