//! The threads of an import: each takes the feed, cuts a block from the stream, and stores its rows.

use super::block_reader::BlockReader;
use super::{Left, Shared};
use crate::load::batch::{LoadOutcome, Row, RowBatch};
use crate::load::keep::progress::Counts;
use crate::load::keep::reject_file::Rejected;
use crate::load::plan::resolve::Plan;
use crate::load::read::decode::Decoder;
use crate::load::read::feed::Feed;
use crate::load::read::input::InputReader;
use crate::load::read::split::{Block, Splitter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::BodyRef;
use tessera_record::json::write_row;

impl Shared {
    /// Starts workers until there are `wanted`; surplus ones leave by themselves.
    pub(in crate::load) fn set_workers(shared: &Arc<Self>, wanted: u32) -> Result<()> {
        let mut end = shared.end.lock();
        while end.workers < wanted && !end.settled && end.failed.is_none() {
            let worker = Arc::clone(shared);
            let spawned = std::thread::Builder::new().name("import".into()).spawn(move || worker.work());
            match spawned {
                Ok(_) => end.workers += 1,
                Err(_) if end.workers > 0 => break,
                Err(error) => return Err(Error::new(ErrorCode::Internal, format!("start an import thread: {error}"))),
            }
        }
        Ok(())
    }

    fn work(&self) {
        let _lane = self.job.enter_lane(0);
        let left = catch_unwind(AssertUnwindSafe(|| self.blocks()))
            .unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "a thread of the import panicked")));
        match left {
            Ok(Left::Surplus) => {}
            Ok(Left::Finished) => self.leave(),
            Err(error) => {
                self.fail(&error);
                self.leave();
            }
        }
    }

    /// Reads blocks until the stream ends, the import is stopped, or there are too many workers.
    fn blocks(&self) -> Result<Left> {
        let (mut reader, mut bytes) = (BlockReader::default(), vec![]);
        loop {
            self.job.checkpoint().map_err(|_| self.called_off())?;
            let next = {
                let mut feed = self.feed.lock();
                // Behind what one thread could not read, the others would take the rest for another stream.
                self.unfailed()?;
                self.read_next(&mut feed, &mut bytes).inspect_err(|error| self.fail(error))?
            };
            let Some((block, plan)) = next else { return Ok(Left::Finished) };
            let rows = reader.read(&bytes, &block, &plan);
            let counts = self.store(&mut reader, &bytes, &plan)?;
            self.settled(&block, &plan, Counts { rows, ..counts });
            if self.surplus() {
                return Ok(Left::Surplus);
            }
        }
    }

    fn read_next(&self, feed: &mut Option<Feed>, bytes: &mut Vec<u8>) -> Result<Option<(Block, Arc<Plan>)>> {
        match feed {
            Some(feed) => feed.next(bytes),
            none => none.insert(self.open()?).next(bytes),
        }
    }

    fn open(&self) -> Result<Feed> {
        let (job, bytes) = (Arc::clone(&self.job), Arc::clone(&self.bytes));
        let source = InputReader::new(Arc::clone(&self.input), move |taken| {
            bytes.fetch_add(taken, Ordering::Relaxed);
            job.advance(taken);
        });
        let mut splitter = Splitter::new(Decoder::new(source, self.spec.encoding)?, self.spec.format, self.sizes);
        splitter.pass_over(&self.begin)?;
        Ok(Feed::new(splitter, self.spec.clone(), self.plan.clone()))
    }

    /// Stores the rows of a block and keeps those that are refused; returns what became of them.
    fn store(&self, reader: &mut BlockReader, bytes: &[u8], plan: &Plan) -> Result<Counts> {
        let mut counts = Counts::default();
        if let Some(bin) = plan.route.as_deref().filter(|_| self.spec.format.has_fields() || plan.exported.is_some()) {
            let batch = &reader.batch;
            counts.without_route = batch.rows.iter().filter(|row| row.set.is_none() && lacks(batch, row, bin)).count() as u64;
        }
        if self.spec.dry_run {
            let batch = &reader.batch;
            let sample = &mut self.findings.lock().sample;
            for row in batch.rows.iter().take_while(|row| sample.wants(row.line)).collect::<Vec<_>>() {
                let mut text = vec![];
                write_row(&mut text, BodyRef::new(batch.body(row)));
                sample.add(row.line, text);
            }
        } else if !reader.batch.rows.is_empty() {
            let outcome = match reader.batch.sets.is_empty() {
                true => self.sink.load_rows(&self.spec.set, &reader.batch, self.spec.mode)?,
                false => self.load_by_set(&mut reader.batch, &mut counts)?,
            };
            (counts.inserted, counts.updated) = (outcome.inserted, outcome.updated);
            reader.refused(outcome.rejected, bytes);
        }
        if !reader.rejects.is_empty() {
            reader.rejects.iter().for_each(|rejected| counts.reject(rejected.reject.code));
            if let Some(file) = &mut *self.rejects.lock() {
                file.add(&reader.rejects, &plan.header);
            }
            let dry_run = self.spec.dry_run;
            let told = |rejected: Rejected| if dry_run { rejected.shown() } else { rejected.reject };
            self.findings.lock().rejects.add(reader.rejects.drain(..).map(told));
        }
        Ok(counts)
    }

    /// Stores the rows of a batch set by set; the batch is as before.
    fn load_by_set(&self, batch: &mut RowBatch, counts: &mut Counts) -> Result<LoadOutcome> {
        let rows = std::mem::take(&mut batch.rows);
        let mut order = rows.clone();
        // Stable, so that two rows of one key are stored in the order of the input.
        order.sort_by_key(|row| row.set);
        let mut outcome = LoadOutcome::default();
        let stored = order.chunk_by(|a, b| a.set == b.set).try_for_each(|group| {
            batch.rows.clear();
            batch.rows.extend_from_slice(group);
            let other = group.first().and_then(|row| row.set).and_then(|set| batch.sets.name(set));
            if let Some(bin) = other.map(|set| self.prepared(set)).transpose()?.flatten() {
                counts.without_route += group.iter().filter(|row| lacks(batch, row, &bin)).count() as u64;
            }
            outcome.add(self.sink.load_rows(other.unwrap_or(&self.spec.set), batch, self.spec.mode)?);
            Ok(())
        });
        batch.rows = rows;
        outcome.rejected.sort_by_key(|(line, _)| *line);
        stored.map(|()| outcome)
    }

    /// The bin that decides the segment of a row of a set that rows name.
    fn prepared(&self, set: &str) -> Result<Option<String>> {
        if let Some(route) = self.prepared.lock().get(set) {
            return Ok(route.clone());
        }
        let route = self.sink.prepare(set, None)?;
        self.prepared.lock().insert(set.into(), route.clone());
        Ok(route)
    }
}

/// Whether a row has no bin of that name.
fn lacks(batch: &RowBatch, row: &Row, bin: &str) -> bool {
    !BodyRef::new(batch.body(row)).raw_bins().any(|(name, _)| name == bin.as_bytes())
}
