//! The disks of a store: what they cost and hold, and the jobs that go over them.

mod compact;
mod costs;
mod defrag;
mod monitor;
mod pages;
mod scrub;

pub(super) use costs::Costs;
