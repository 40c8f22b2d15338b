//! What a storage gave up to be opened, on a storage that says so.

use super::*;
use crate::manifest::ManifestFile;
use crate::namespace::rig::host_in;
use crate::{Namespace, NamespaceConfig};
use std::sync::Arc;
use tessera_base::pool::Pool;
use tessera_base::{Error, ErrorCode};
use tessera_record::{Digest, Meta};
use tessera_storage::memory::MemoryStorage;
use tessera_storage::{Location, RecoveryReport, RecoverySink, SegmentPart, Storage, StorageUsage};

/// Recovers nothing, and gives up what it is told to.
struct Lossy(MemoryStorage, Vec<Error>);

impl Storage for Lossy {
    fn segment(&self, segment: u16) -> SegmentPart {
        self.0.segment(segment)
    }
    fn read(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
        self.0.read(location, digest, meta, out)
    }
    fn write_point(&self) -> u64 {
        self.0.write_point()
    }
    fn sync(&self, point: u64) -> Result<()> {
        self.0.sync(point)
    }
    fn recover(&self, _: usize, _: &dyn RecoverySink) -> Result<RecoveryReport> {
        Ok(RecoveryReport { losses: self.1.clone(), ..RecoveryReport::default() })
    }
    fn usage(&self) -> StorageUsage {
        self.0.usage()
    }
    fn live_bytes(&self) -> u64 {
        self.0.live_bytes()
    }
    fn close(&self) -> Result<()> {
        self.0.close()
    }
}

fn loss(at_ms: u64, code: ErrorCode, message: &str) -> Loss {
    Loss::of(at_ms, &Error::new(code, message))
}

#[test]
fn what_the_opening_met_takes_the_place_of_what_was_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let earlier = loss(1, ErrorCode::DataRolledBack, "long ago");
    let accepted = loss(7, ErrorCode::LogDamaged, "as it was first seen");
    let config = NamespaceConfig { segments: 4, ..NamespaceConfig::memory("n") };
    let losses = vec![earlier.clone(), accepted];
    let record = NamespaceRecord { losses, ..NamespaceRecord::new(1, [1; 16], 1, config) };
    let host = host_in(directory.path(), record, Pool::new());
    let met = ["from 4,096 on", "a set's records"].map(|message| Error::new(ErrorCode::LogDamaged, message));
    let open = |progress: &Progress, losses: &[Error]| {
        let storage = Arc::new(Lossy(MemoryStorage::new(None), losses.to_vec()));
        Namespace::on(&host.manifest.read().namespaces[0], directory.path(), host.clone(), storage as Arc<dyn Storage>, false, progress)
            .unwrap()
    };

    let namespace = open(&Progress::default().accepting_loss(), &met);
    let kept = [earlier.clone(), loss(7, ErrorCode::LogDamaged, "from 4,096 on"), loss(7, ErrorCode::LogDamaged, "a set's records")];
    assert_eq!(namespace.losses(), kept);
    // They are there after a restart, and an opening that accepts nothing adds none.
    let again = ManifestFile::open(directory.path(), true).unwrap().read();
    assert_eq!(again.namespaces[0].losses, kept);
    assert_eq!(open(&Progress::default(), &[]).losses(), kept);

    // Files that were put right in the meantime: the last acceptance led to no loss.
    host.manifest
        .update(|manifest| {
            manifest.namespaces[0].losses = vec![earlier.clone(), loss(9, ErrorCode::LogDamaged, "as it was")];
            Ok(())
        })
        .unwrap();
    assert_eq!(open(&Progress::default().accepting_loss(), &[]).losses(), [earlier]);
}

#[test]
fn the_newest_losses_stay() {
    let config = NamespaceConfig::memory("n");
    let mut record = NamespaceRecord::new(1, [1; 16], 1, config);
    for at_ms in 0..150 {
        record.add_losses([loss(at_ms, ErrorCode::LogDamaged, "it is gone")]);
    }
    assert_eq!(record.losses.len(), tessera_base::limits::LOSSES);
    assert_eq!((record.losses[0].at_ms, record.losses[99].at_ms), (50, 149));
}
