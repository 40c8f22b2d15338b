//! Many threads over a cache that holds a part of the pages.

use super::*;
use tessera_base::wait_until;

const RECORDS: u64 = 24_000;

/// Grows with what was asked for and what came of it.
fn roll(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn readers_writers_and_checkpoints_at_once_see_whole_records() {
    let (host, disks) = Host::fresh();
    host.start_threads();
    (0..RECORDS).for_each(|n| host.put(n, 1).unwrap());
    assert!(host.storage.used_bytes() > 2 * options().cache_bytes, "the cache holds all");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..2u64)
            .map(|writer| {
                let host = &host;
                scope.spawn(move || {
                    let mut seed = writer;
                    for round in 2..5u16 {
                        for _ in 0..RECORDS / 4 {
                            // Each has the records of two segments.
                            let n = roll(&mut seed) % (RECORDS / 2) * 2 + writer;
                            let version = host.version(n).unwrap().unwrap_or(0);
                            match roll(&mut seed) % 10 {
                                0 => host.remove(n).unwrap(),
                                _ => host.put(n, version + round).unwrap(),
                            }
                        }
                        host.sync().unwrap();
                    }
                })
            })
            .collect();
        for reader in 0..2u64 {
            let (host, over) = (&host, &over);
            scope.spawn(move || {
                let mut seed = 100 + reader;
                while !over.load(Relaxed) {
                    host.version(roll(&mut seed) % RECORDS).unwrap();
                }
            });
        }
        scope.spawn(|| {
            while !over.load(Relaxed) {
                host.storage.checkpoint().unwrap();
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        over.store(true, Relaxed);
    });
    let expected = host.versions(RECORDS);
    // A power loss now: all was synced.
    host.sync().unwrap();
    let again = Host::on(&FaultyDisk::several(disks.iter().map(FaultyDisk::stable_image)), options()).unwrap();
    assert_eq!(again.versions(RECORDS), expected);
    host.storage.close().unwrap();
    assert_eq!(again.storage.live_bytes(), host.storage.live_bytes());
}

#[test]
fn writers_learn_of_a_thread_that_panicked() {
    let (host, _disks) = Host::fresh();
    host.start_threads();
    host.put(1, 1).unwrap();
    host.sync().unwrap();
    host.storage.spawn("tessera-test", |_| panic!("a thread that fails")).unwrap();
    wait_until(|| host.storage.failure().is_some());
    let refused = host.put(2, 1).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Internal);
    assert_eq!(refused.message, "writes are stopped because the thread tessera-test failed; restart the server");
    assert_eq!(host.version(1).unwrap(), Some(1), "reads go on");
}
