//! One thread that takes records away, expired ones and what has to go for room, at a bounded cost a second, tidies indexes
//! once writes have paused, and gives back memory that nobody has taken again.

use crate::namespace::Namespace;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::ticker::Ticker;
use tessera_base::{Result, arena, heap, sentence};

const PERIOD: Duration = Duration::from_secs(1);
/// Slots looked at in one namespace a second: a few milliseconds of one core.
const BUDGET: u64 = 500_000;

/// Starts it. `namespaces` is asked once a second, and so are `followers`: stores that follow those of namespaces, and take nothing away
/// by themselves.
///
/// # Errors
/// `internal` when the system refuses a thread.
pub(crate) fn start(
    namespaces: impl Fn() -> Vec<Arc<Namespace>> + Send + 'static,
    followers: impl Fn() -> Vec<Arc<Namespace>> + Send + 'static,
) -> Result<Ticker> {
    Ticker::start("sweeper", PERIOD, move || {
        // One that panics is stopped, and the others go on.
        let all = namespaces();
        all.iter().filter(|namespace| namespace.poisoned().is_none()).for_each(tend);
        for follower in followers().iter().filter(|follower| follower.poisoned().is_none()) {
            follower.store().or_poison(|| sentence!("building an index"), || follower.tend_indexes());
        }
        arena::age();
        heap::give_back_if_due();
    })
}

fn tend(namespace: &Arc<Namespace>) {
    namespace.store().or_poison(
        || sentence!("removing what has expired"),
        || {
            // A storage that refuses now is asked again in a second; writers meet its error meanwhile.
            let _ = namespace.store().sweep(BUDGET);
            namespace.tend_truncations();
            let _ = namespace.store().evict(BUDGET);
            namespace.store().settle_indexes();
            namespace.tend();
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamespaceConfig;
    use crate::WriteOptions;
    use crate::namespace::rig::on;
    use tessera_base::pool::Pool;
    use tessera_base::wait_until;
    use tessera_base::{Error, ErrorCode};
    use tessera_record::{BodyBuilder, Digest, KeyRef, Meta, Ttl};
    use tessera_storage::memory::MemoryStorage;
    use tessera_storage::{Location, RecoveryReport, RecoverySink, SegmentPart, Storage, StorageUsage};

    /// Panics as soon as it is asked what is wrong with it.
    struct Broken(MemoryStorage);

    impl Storage for Broken {
        fn segment(&self, segment: u16) -> SegmentPart {
            self.0.segment(segment)
        }

        fn read(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
            self.0.read(location, digest, meta, out)
        }

        fn failure(&self) -> Option<Error> {
            panic!("a storage that is broken")
        }

        fn write_point(&self) -> u64 {
            self.0.write_point()
        }

        fn sync(&self, point: u64) -> Result<()> {
            self.0.sync(point)
        }

        fn recover(&self, threads: usize, sink: &dyn RecoverySink) -> Result<RecoveryReport> {
            self.0.recover(threads, sink)
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

    #[test]
    fn a_namespace_that_panics_is_stopped_and_the_others_are_swept() {
        let memory = |name: &str, storage: Arc<dyn Storage>| on(NamespaceConfig::memory(name), storage, Pool::new());
        let (_first, broken) = memory("broken", Arc::new(Broken(MemoryStorage::new(None))));
        let (_second, sound) = memory("sound", Arc::new(MemoryStorage::new(None)));
        let mut body = Vec::new();
        BodyBuilder::new(&mut body, KeyRef::Integer(1)).finish();
        let options = WriteOptions { ttl: Ttl::Seconds(1), ..WriteOptions::default() };
        sound.put("s", KeyRef::Integer(1), &body, &options).unwrap();
        let both = vec![broken.clone(), sound.clone()];
        let sweeper = start(move || both.clone(), Vec::new).unwrap();
        wait_until(|| sound.records() == 0);
        let stopped = broken.poisoned().unwrap();
        assert_eq!(stopped.code, ErrorCode::NamespacePoisoned);
        assert_eq!(stopped.message, "writes are stopped: a worker failed while removing what has expired");
        assert!(sound.poisoned().is_none());
        sweeper.close();
    }
}
