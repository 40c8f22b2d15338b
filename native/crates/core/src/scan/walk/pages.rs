//! Records that are kept elsewhere, met page by page. No lock is held meanwhile, and a page is in memory until the last of its
//! records is met.

use super::damaged::Damaged;
use super::found::{End, Found};
use super::sets_met::SetsMet;
use super::steps::STEP;
use super::visitor::Visitor;
use super::walk::Walk;
use crate::sets::NO_SET;
use crate::store::remote::{RemotePages, RemoteRecord};
use std::ops::ControlFlow;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// A page has as many rows as so many steps meet. It has those of one if that is a small one: if the job is slow, gives way or wants
/// no more.
const STEPS: usize = 8;

impl Walk<'_> {
    /// Meets all records of `pages` that are of the selection.
    ///
    /// # Errors
    /// Those of the pages and of the visitor; `set_limit`.
    pub(in crate::scan) fn meet_pages(
        &self,
        pages: &mut dyn RemotePages,
        sets: &mut SetsMet,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<()>> {
        let mut end = ControlFlow::Continue(());
        loop {
            let (mut met, mut damaged, mut most) = (0, Vec::new(), visitor.most());
            let rows = if most < STEP { most } else { most * STEPS };
            let more = pages.next(rows, &mut |record| {
                met += 1;
                match self.meet_record(record, sets, &mut damaged, visitor)? {
                    ControlFlow::Break(End::Walk) => {
                        end = ControlFlow::Break(());
                        return Ok(end);
                    }
                    ControlFlow::Continue(()) if met < most as u64 => return Ok(ControlFlow::Continue(())),
                    ControlFlow::Continue(()) | ControlFlow::Break(End::Step) => {}
                }
                visitor.stepped(std::mem::take(&mut met), &std::mem::take(&mut damaged))?;
                most = visitor.most();
                Ok(ControlFlow::Continue(()))
            })?;
            visitor.stepped(met, &damaged)?;
            if end.is_break() || !more {
                return Ok(end);
            }
        }
    }

    fn meet_record(
        &self,
        record: &RemoteRecord<'_>,
        sets: &mut SetsMet,
        damaged: &mut Vec<Damaged>,
        visitor: &mut dyn Visitor,
    ) -> Result<ControlFlow<End>> {
        let &RemoteRecord { digest, set, ref meta, body } = record;
        let Self { store, selection, .. } = self;
        if meta.is_ok() {
            sets.count(set, store.size_elsewhere(set, body.len()));
        }
        let sampled = selection.prefilter.as_ref().is_none_or(|prefilter| prefilter.samples(&digest));
        if !sampled || selection.set.as_ref().is_some_and(|wanted| *wanted.name != *set) {
            return Ok(ControlFlow::Continue(()));
        }
        let (id, meta) = match (sets.id(store, set), meta) {
            (Err(error), _) if error.code == ErrorCode::NameInvalid => {
                (NO_SET, Err(Error::said(ErrorCode::RecordDamaged, sentence!("its set has the name \"{set}\"", set = set))))
            }
            (id, meta) => (id?, meta.clone()),
        };
        match meta {
            Ok(meta) => {
                let size = if selection.sizes { store.size_elsewhere(set, body.len()) } else { 0 };
                Ok(visitor.meet(&Found { segment: 0, slot: 0, set: id, digest, meta, size, body }))
            }
            Err(error) if error.code == ErrorCode::RecordDamaged => {
                damaged.push(Damaged { set: id, digest, error });
                // Its line is to stand where it is met.
                Ok(ControlFlow::Break(End::Step))
            }
            Err(error) => Err(error),
        }
    }
}
