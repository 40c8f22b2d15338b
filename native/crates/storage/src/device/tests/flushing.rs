//! Group commit, the flush interval, and writers that wait for a slow device.

use super::rig::{Rig, options};
use crate::device::DeviceOptions;
use crate::{Admission, Storage};
use std::sync::mpsc;
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_base::wait_until;
use tessera_io::Disk;
use tessera_io::faulty::FaultyDisk;

#[test]
fn one_sync_serves_all_who_wait() {
    let rig = Rig::new();
    let (before, start) = (rig.disk.meter().read(), rig.storage.write_point());
    let since = || rig.disk.meter().read().since(&before);
    std::thread::scope(|scope| {
        let held = rig.disk.hold_syncs();
        let first = scope.spawn(|| {
            rig.put(0, b"first").unwrap();
            rig.sync().unwrap();
        });
        wait_until(|| since().writes.count == 1);
        for key in 1..16 {
            let rig = &rig;
            scope.spawn(move || {
                rig.put(key, b"next").unwrap();
                rig.sync().unwrap();
            });
        }
        wait_until(|| rig.storage.write_point() == start + 16);
        drop(held);
        first.join().unwrap();
    });
    assert_eq!(since().syncs.count, 2);
    assert_eq!(Rig::open(&FaultyDisk::with(rig.disk.stable_image()), options()).unwrap().index.live().len(), 16);
}

#[test]
fn what_nobody_waits_for_is_stored_when_the_interval_is_over() {
    let quick = DeviceOptions { flush_interval: Duration::from_millis(5), ..options() };
    let rig = Rig::open(&FaultyDisk::default(), quick).unwrap();
    for key in 0..3 {
        let before = rig.disk.meter().read();
        rig.put(key, b"x").unwrap();
        wait_until(|| rig.disk.meter().read().since(&before).syncs.count > 0);
    }
    let stable = || Rig::open(&FaultyDisk::with(rig.disk.stable_image()), options()).unwrap();
    wait_until(|| stable().index.live().len() == 3);
}

#[test]
fn full_blocks_are_written_without_being_asked_for() {
    let rig = Rig::new();
    let before = rig.disk.meter().read();
    for key in 0..40 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    let since = || rig.disk.meter().read().since(&before);
    wait_until(|| since().writes.bytes >= 2 * 15_000);
    assert_eq!(since().syncs.count, 0);
}

#[test]
fn who_waits_for_a_sync_does_not_wait_behind_full_blocks() {
    let rig = Rig::new();
    rig.put(0, b"waited for").unwrap();
    let before = rig.disk.meter().read();
    // As a thread does that finds another one flushing.
    rig.storage.shared.state.lock().wanted = rig.storage.write_point();
    for key in 1..40 {
        rig.put(key, &[1; 1000]).unwrap();
    }
    wait_until(|| rig.disk.meter().read().since(&before).syncs.count > 0);
}

#[test]
fn writers_are_let_in_without_the_lock() {
    let rig = Rig::new();
    rig.put(0, b"x").unwrap();
    let (tell, told) = mpsc::channel();
    let admitted = std::thread::scope(|scope| {
        let held = rig.storage.shared.state.lock();
        scope.spawn(|| tell.send(rig.storage.admit(Admission::Write)));
        let admitted = told.recv_timeout(Duration::from_secs(120));
        drop(held);
        admitted
    });
    admitted.unwrap().unwrap();
}

#[test]
fn writers_meet_a_bound_when_the_device_stalls() {
    let small = DeviceOptions { buffer_bytes: 1, stall_timeout: Duration::from_millis(20), ..options() };
    let rig = Rig::open(&FaultyDisk::default(), small).unwrap();
    let held = rig.disk.hold_syncs();
    let mut accepted = 0;
    let error = loop {
        match rig.put(accepted, &[7; 3600]) {
            Ok(_) => accepted += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code, ErrorCode::DeviceOverload);
    assert!(error.retryable());
    assert_eq!(rig.storage.admit(Admission::Write).unwrap_err().code, ErrorCode::DeviceOverload);
    // Twice the buffer of four blocks, which are not full to the end, and at most one record over.
    assert!(rig.storage.usage().memory_bytes <= 11 * 16_384);
    drop(held);
    wait_until(|| rig.storage.admit(Admission::Write).is_ok());
    rig.put(accepted, b"on we go").unwrap();
    rig.sync().unwrap();
    assert_eq!(rig.reopened().index.live().len() as u32, accepted + 1);
}
