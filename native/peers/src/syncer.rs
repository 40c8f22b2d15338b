//! Puts the writes of a store on stable storage once a second, which is what Tessera's `relaxed` durability promises.

use crate::Trouble;
use crate::store::Store;
use parking_lot::{Condvar, Mutex};
use std::time::Duration;

const EACH: Duration = Duration::from_secs(1);

/// Does `work` while `store` is synced, and a last time after it.
///
/// # Errors
/// What `work` or a sync returns.
pub fn synced<T>(store: &dyn Store, work: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    let (over, changed) = (Mutex::new(false), Condvar::new());
    std::thread::scope(|scope| {
        let syncer = scope.spawn(|| -> Result<(), Trouble> {
            loop {
                let mut over = over.lock();
                if !*over {
                    changed.wait_for(&mut over, EACH);
                }
                let last = *over;
                // Whoever ends the work does not wait for a sync under way to say so.
                drop(over);
                store.sync()?;
                if last {
                    return Ok(());
                }
            }
        });
        let done = work();
        *over.lock() = true;
        changed.notify_all();
        let synced = syncer.join().map_err(|_| "the thread that syncs panicked")?;
        let done = done?;
        synced.map(|()| done)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[derive(Default)]
    struct Counted(AtomicU32);

    impl Store for Counted {
        fn get(&self, _: &[u8], _: &mut Vec<u8>) -> Result<bool, Trouble> {
            Ok(false)
        }

        fn put(&self, _: &[u8], _: &[u8]) -> Result<(), Trouble> {
            Ok(())
        }

        fn update(&self, _: &[u8], _: usize, _: &[u8], _: &mut Vec<u8>) -> Result<bool, Trouble> {
            Ok(false)
        }

        fn sync(&self) -> Result<(), Trouble> {
            match self.0.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(()),
                _ => Err("the disk is gone".into()),
            }
        }
    }

    #[test]
    fn what_was_written_last_is_synced_and_faults_are_told() {
        let store = Counted::default();
        assert_eq!(synced(&store, || Ok(7)).unwrap(), 7);
        assert_eq!(store.0.load(Ordering::Relaxed), 1);
        assert_eq!(synced(&store, || Ok(7)).unwrap_err().to_string(), "the disk is gone");
        assert_eq!(synced(&Counted::default(), || Err::<(), _>("no".into())).unwrap_err().to_string(), "no");
    }
}
