//! Hands out blocks, one thread at a time, and reads the header before the first.

use super::split::{Block, Splitter};
use crate::load::plan::resolve::Plan;
use crate::load::plan::spec::{Format, ImportSpec};
use crate::load::rows::csv::CsvReader;
use memchr::memchr_iter;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};

pub struct Feed {
    splitter: Splitter,
    spec: ImportSpec,
    plan: Arc<Plan>,
    started: bool,
}

impl Feed {
    pub fn new(splitter: Splitter, spec: ImportSpec, plan: Plan) -> Self {
        Self { splitter, spec, plan: Arc::new(plan), started: false }
    }

    /// Fills `bytes` with the next block; `None` at the end of the stream.
    ///
    /// # Errors
    /// What ends the import: a damaged stream, a header that does not fit the specification, or that it was stopped.
    pub fn next(&mut self, bytes: &mut Vec<u8>) -> Result<Option<(Block, Arc<Plan>)>> {
        let mut block = self.splitter.next(bytes)?;
        if !std::mem::replace(&mut self.started, true) && self.spec.format == Format::Csv {
            self.columns(bytes, block.as_mut())?;
        }
        Ok(block.map(|block| (block, Arc::clone(&self.plan))))
    }

    /// Resolves the columns, with the header that the first block begins with, or that of the upload before.
    fn columns(&mut self, bytes: &mut Vec<u8>, block: Option<&mut Block>) -> Result<()> {
        let mut plan = Plan::clone(&self.plan);
        let mut names = self.spec.columns.clone();
        if self.spec.has_header() {
            if plan.header.is_empty() {
                plan.header = take_header(bytes, block)?;
            }
            let header =
                std::str::from_utf8(&plan.header).map_err(|_| Error::said(ErrorCode::Utf8Invalid, sentence!("the header is not UTF-8")))?;
            let (found, _) = CsvReader::default().header(header)?;
            plan.first_line = 1 + memchr_iter(b'\n', &plan.header).count() as u64;
            names.get_or_insert(found);
        }
        plan.set_columns(names.unwrap_or_default(), &self.spec)?;
        self.plan = Arc::new(plan);
        Ok(())
    }
}

/// Takes the header off the first block.
fn take_header(bytes: &mut Vec<u8>, block: Option<&mut Block>) -> Result<Vec<u8>> {
    let no_header = || Error::said(ErrorCode::CsvInvalid, sentence!("the input has no header row"));
    let block = block.filter(|block| block.too_long.is_empty()).ok_or_else(no_header)?;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // A fault further down is that row's.
        Err(fault) => std::str::from_utf8(&bytes[..fault.valid_up_to()]).unwrap_or_default(),
    };
    let (_, end) = CsvReader::default().header(text)?;
    if end == text.len() && text.len() < bytes.len() && !text.ends_with('\n') {
        return Err(Error::said(ErrorCode::Utf8Invalid, sentence!("the header is not UTF-8")));
    }
    block.line += memchr_iter(b'\n', &bytes[..end]).count() as u64;
    Ok(bytes.drain(..end).collect())
}
