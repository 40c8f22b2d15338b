//! What an import leaves in the data directory: the rows that it did not take, and how to go on after a restart.

use super::header_file::read_header;
use super::journal::{Interrupted, Journal};
use super::progress::Progress;
use super::reject_file::RejectFile;
use super::report::Reject;
use crate::JobFiles;
use crate::load::plan::spec::{Format, ImportSpec};
use tessera_base::Result;

/// Where an import keeps its files, and what it goes on from.
#[derive(Debug)]
pub struct Keep {
    pub files: JobFiles,
    /// Of the job.
    pub id: String,
    pub namespace: String,
    /// What was asked for, in the words of whoever did; `None`: there is no going on after a restart.
    pub query: Option<String>,
    /// What a stop of the server cut off.
    pub from: Option<Interrupted>,
}

/// The files of an import under way, and where it begins.
#[derive(Debug, Default)]
pub(in crate::load) struct Kept {
    pub rejects: Option<RejectFile>,
    pub journal: Option<Journal>,
    pub progress: Progress,
    /// The first rejects before a stop of the server.
    pub told: Vec<Reject>,
    /// The header of the upload before.
    pub header: Vec<u8>,
    /// There was an upload before.
    pub again: bool,
}

impl Kept {
    /// `lasting`: as `RowSink::lasting`; `told`: rejects that are told one by one.
    ///
    /// # Errors
    /// As `read_header`, of the upload before.
    pub fn open(keep: Option<Keep>, lasting: Option<u64>, spec: &ImportSpec, told: usize) -> Result<Self> {
        let Some(Keep { files, id, namespace, query, from }) = keep.filter(|_| !spec.dry_run) else { return Ok(Self::default()) };
        let journal = match (query, lasting) {
            (Some(query), Some(lasting)) => Some(Journal::new(files.clone(), &id, &namespace, lasting, query)),
            _ => None,
        };
        let Some(from) = from else {
            return Ok(Self { rejects: Some(RejectFile::new(files, &id)), journal, ..Self::default() });
        };
        let has_header = spec.format == Format::Csv && spec.has_header() && from.mark.bytes > 0;
        let header = if has_header { read_header(&files, &id, from.header)? } else { vec![] };
        let (rejects, told) = RejectFile::going_on(files, &id, &from, told);
        Ok(Self { rejects: Some(rejects), journal, progress: Progress::at(from.mark, from.counts), told, header, again: true })
    }
}
