//! A walk through the slots of one segment, in steps, each under one hold of the segment's lock; or through pages of records that
//! are kept elsewhere.

mod body_reads;
mod count;
mod damaged;
mod found;
mod gather;
mod grouped;
mod live;
mod moved;
mod pages;
mod prefetch;
mod scratch;
mod sets_met;
mod step;
mod steps;
mod visitor;
#[expect(clippy::module_inception, reason = "a walk is what the folder is about")]
mod walk;

pub(super) use body_reads::PendingRead;
pub(super) use damaged::unless_damaged;
pub(crate) use damaged::{Damaged, note_damaged, pack_all_damaged, write_damaged_lines};
pub(crate) use found::End;
pub use found::Found;
pub(crate) use scratch::Scratch;
pub(crate) use sets_met::SetsMet;
pub(crate) use steps::{ALL_SLOTS, STEP, step_size};
pub(super) use steps::{COPIED_BYTES, STEP_WANTED, StepOutcome};
pub(crate) use visitor::Visitor;
pub(crate) use walk::Walk;
