//! Records that moved past a walk, from segments it had yet to come to into ones it was through with.

use super::damaged::{Damaged, unless_damaged};
use super::found::Found;
use super::scratch::Scratch;
use super::walk::Walk;
use crate::store::Follower;
use std::ops::ControlFlow;
use tessera_base::Result;
use tessera_record::Digest;

/// What the search for records that moved has done.
#[derive(Default)]
pub(crate) struct Moved {
    pub(crate) met: u64,
    pub(crate) damaged: Vec<Damaged>,
}

impl Walk<'_> {
    /// Meets the records that went from segments the walk had yet to come to into ones it was through with; for the end of
    /// a walk. `each` is called as in `step`.
    ///
    /// # Errors
    /// As `step`.
    pub(crate) fn moved(&self, scratch: &mut Scratch, each: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>) -> Result<Moved> {
        let Moved { mut met, mut damaged } = Moved::default();
        for (set, digest) in self.unmet() {
            let mut end = ControlFlow::Continue(());
            self.meet_moved(set, digest, scratch, &mut damaged, &mut |found| {
                met += 1;
                end = each(found);
            })?;
            if end.is_break() {
                break;
            }
        }
        Ok(Moved { met, damaged })
    }

    /// The records, by set and digest, that `moved` meets: to be asked for once, at the end of a walk.
    pub(crate) fn unmet(&self) -> Vec<(u16, Digest)> {
        let mut unmet = self.follower.map(Follower::unmet).unwrap_or_default();
        unmet.retain(|(set, digest)| {
            let sampled = self.selection.prefilter.as_ref().is_none_or(|prefilter| prefilter.samples(digest));
            sampled && self.selection.set.as_ref().is_none_or(|wanted| wanted.id == *set)
        });
        unmet
    }

    /// Meets one of them, if it is there still.
    ///
    /// # Errors
    /// As `step`.
    pub(crate) fn meet_moved(
        &self,
        set: u16,
        digest: Digest,
        scratch: &mut Scratch,
        damaged: &mut Vec<Damaged>,
        each: &mut dyn FnMut(&Found<'_>),
    ) -> Result<()> {
        let read = self.elsewhere(set, &digest, &mut scratch.body);
        if let Some(found) = unless_damaged(read, set, digest, damaged)? {
            each(&found);
        }
        Ok(())
    }
}
