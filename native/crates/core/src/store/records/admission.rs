//! Letting writes in while the device has room for them.

use crate::store::RecordStore;
use std::time::{Duration, Instant};
use tessera_base::{ErrorCode, Result};
use tessera_storage::Admission;

/// How long a write is tried again that finds no room, though there was some when it was let in.
const PATIENCE: Duration = Duration::from_secs(5);
/// Removals of records in pages that are done together.
const PAGED_REMOVALS: usize = 32;

impl RecordStore {
    /// Runs `write` once there is room, and again if others have taken the room meanwhile: `write` changes nothing when it
    /// fails. It does not wait itself: it holds a segment's lock, which readers and defragmentation need.
    ///
    /// # Errors
    /// `data_directory_unavailable`; as `Storage::admit`, and what `write` returns.
    pub(in crate::store) fn admitted<T>(&self, admission: Admission, mut write: impl FnMut() -> Result<T>) -> Result<T> {
        let mut begun = None;
        loop {
            self.files.check()?;
            self.storage.admit(admission)?;
            match write() {
                Err(error) if error.code == ErrorCode::DeviceOverload && begun.get_or_insert_with(Instant::now).elapsed() < PATIENCE => {}
                other => return other,
            }
        }
    }

    /// How many records are removed at most with a segment held and one admission: of pages each may have to be read, and logged whole.
    pub(in crate::store) fn removed_at_once(&self, most: usize) -> usize {
        if self.index_resident() { most } else { most.min(PAGED_REMOVALS) }
    }

    /// As `admitted`, for removals without a tombstone: pages alone need room for those. What fails may have removed some.
    ///
    /// # Errors
    /// As `admitted`.
    pub(in crate::store) fn admitted_removal<T>(&self, remove: impl FnMut() -> Result<T>) -> Result<T> {
        let mut remove = remove;
        if self.index_resident() { remove() } else { self.admitted(Admission::Delete, remove) }
    }
}

#[cfg(test)]
mod tests {
    use crate::namespace::rig::on;
    use crate::{DeviceConfig, Durability, Namespace, NamespaceConfig, WriteOptions};
    use std::sync::Arc;
    use std::sync::mpsc;
    use std::time::Duration;
    use tessera_base::pool::Pool;
    use tessera_base::wait_until;
    use tessera_io::faulty::FaultyDisk;
    use tessera_record::{BodyBuilder, KeyRef};
    use tessera_storage::Storage;
    use tessera_storage::device::{DeviceOptions, DeviceStorage};

    const BLOCK: u64 = 16 * 1024;
    /// The least that a device takes: from here on writers wait.
    const BUFFER: u64 = 4 * BLOCK;
    /// More than twice as many as the buffers hold.
    const WRITERS: i64 = 24;

    fn put(namespace: &Namespace, key: i64) {
        let mut body = Vec::new();
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
        builder
            .bin("v", |out| {
                out.string(&"x".repeat(14_000));
                Ok(())
            })
            .unwrap();
        builder.finish();
        namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
    }

    fn is_there(namespace: &Namespace, key: i64) -> bool {
        namespace.get("s", KeyRef::Integer(key), &mut Vec::new()).unwrap().is_some()
    }

    #[test]
    fn readers_do_not_wait_behind_writers_that_wait_for_a_stalled_disk() {
        let disk = FaultyDisk::default();
        let options = DeviceOptions {
            write_block_bytes: BLOCK as u32,
            buffer_bytes: BUFFER,
            stall_timeout: Duration::from_secs(60),
            post_write_cache_bytes: 0,
            create: true,
            ..DeviceOptions::new([1; 16])
        };
        let storage = Arc::new(DeviceStorage::on_faulty(std::slice::from_ref(&disk), options).unwrap());
        // A segment for all, and nobody waits for a sync.
        let config = NamespaceConfig { segments: 1, durability: Durability::None, ..NamespaceConfig::device("a", DeviceConfig::default()) };
        let (_directory, namespace) = on(config, storage.clone(), Pool::new());
        put(&namespace, 0);
        namespace.sync().unwrap();
        std::thread::scope(|scope| {
            let namespace = &namespace;
            let stalled = disk.hold_syncs();
            // All are let in before the first has written.
            let segment = namespace.cells()[0].read();
            let writers: Vec<_> = (1..=WRITERS).map(|key| scope.spawn(move || put(namespace, key))).collect();
            wait_until(|| namespace.cells()[0].waiting() == WRITERS as u32);
            drop(segment);
            wait_until(|| storage.usage().flush_queue_bytes >= 2 * BUFFER);
            let (tell, told) = mpsc::channel();
            scope.spawn(move || {
                // Of a record on the disk, again and again, and of those that are in memory still.
                (0..1000).for_each(|_| assert!(is_there(namespace, 0)));
                let _ = tell.send((1..=WRITERS).filter(|key| is_there(namespace, *key)).count());
            });
            let there = told.recv_timeout(Duration::from_secs(120)).expect("the readers wait for the disk");
            assert!((1..WRITERS as usize).contains(&there), "{there} writers have come through");
            // However many were let in together: one record over at most.
            assert!(storage.usage().flush_queue_bytes < 2 * BUFFER + 2 * BLOCK);
            assert!(writers.iter().any(|writer| !writer.is_finished()));
            drop(stalled);
        });
        assert!((0..=WRITERS).all(|key| is_there(&namespace, key)), "those that waited were written");
    }
}
