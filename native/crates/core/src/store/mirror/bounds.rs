//! What a store that follows can hold. The store that decides after a cut-over takes no other records: nobody could roll back then.

use super::Mirror;
use crate::config::EngineConfig;
use crate::store::RecordStore;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tessera_base::limits;
use tessera_record::KeyLimit;
use tessera_storage::device::{BLOCK_OVERHEAD, ENTRY_HEADER_BYTES};

#[derive(Clone)]
pub(in crate::store) struct Bounds {
    pub(in crate::store) key: KeyLimit,
    /// Most bytes of a body, whatever the set.
    pub(in crate::store) record_bytes: usize,
    /// The store does not follow any more, so nothing has to be held there.
    pub(super) mirror_fails: Arc<AtomicBool>,
}

impl Mirror {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { key: self.target.config.key_limit(), record_bytes: self.target.largest_body(), mirror_fails: self.failing.clone() }
    }
}

impl RecordStore {
    fn largest_body(&self) -> usize {
        match &self.config.engine {
            EngineConfig::Device(device) => {
                (device.write_block_bytes as usize).saturating_sub(BLOCK_OVERHEAD + ENTRY_HEADER_BYTES + limits::NAME_BYTES)
            }
            EngineConfig::Memory | EngineConfig::Paged(_) | EngineConfig::Cassandra(_) => usize::MAX,
        }
    }
}
