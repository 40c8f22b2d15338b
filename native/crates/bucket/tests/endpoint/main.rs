//! Buckets of an endpoint that does all that is right, and whatever is wrong.

mod backups;
mod fake;
mod faults;
