//! Records whose bodies cannot be read: a walk notes them and goes on.

use crate::store::RecordStore;
use tessera_base::{Error, ErrorCode, Result};
use tessera_jobs::Job;
use tessera_record::Digest;
use tessera_record::json::write_damaged;
use tessera_record::msgpack::pack_damaged;

/// A record whose body cannot be read; the scan goes on without it.
#[derive(Debug)]
pub(crate) struct Damaged {
    pub(crate) set: u16,
    pub(crate) digest: Digest,
    pub(crate) error: Error,
}

/// What was read, or `None` where only that record cannot be: then it is noted.
pub(in crate::scan) fn unless_damaged<T>(
    read: Result<Option<T>>,
    set: u16,
    digest: Digest,
    damaged: &mut Vec<Damaged>,
) -> Result<Option<T>> {
    match read {
        Err(error) if error.code == ErrorCode::RecordDamaged => {
            damaged.push(Damaged { set, digest, error });
            Ok(None)
        }
        read => read,
    }
}

/// Counts records that a job could not read, by place.
pub(crate) fn note_damaged(store: &RecordStore, job: &Job, damaged: &[Damaged]) {
    for Damaged { set, digest, error } in damaged {
        let set = store.set_by_id(*set).map(|set| set.name.to_string()).unwrap_or_default();
        job.damaged(set, digest, error);
    }
}

/// As `write_damaged_lines`, in MessagePack.
pub(crate) fn pack_all_damaged(store: &RecordStore, damaged: &[Damaged], out: &mut Vec<u8>) {
    for Damaged { set, digest, error } in damaged {
        let set = store.set_by_id(*set);
        pack_damaged(out, set.as_ref().map_or("", |set| &*set.name), digest, error);
    }
}

/// Writes the lines that stand for records that could not be read.
pub(crate) fn write_damaged_lines(store: &RecordStore, damaged: &[Damaged], out: &mut Vec<u8>) {
    for Damaged { set, digest, error } in damaged {
        let set = store.set_by_id(*set);
        write_damaged(out, set.as_ref().map_or("", |set| &*set.name), digest, error);
        out.push(b'\n');
    }
}
