//! Writes and syncs that fail: waiters hear of it, nothing acknowledged is lost, reads go on, and writes come back.

use super::rig::{Rig, options};
use crate::device::DeviceOptions;
use crate::{Admission, Storage};
use tessera_base::ErrorCode;
use tessera_base::wait_until;
use tessera_io::faulty::{Fault, FaultyDisk};

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

fn outage(fault: Fault, code: ErrorCode) {
    let rig = Rig::new();
    let before = rig.put(1, b"durable").unwrap();
    rig.sync().unwrap();
    let buffered = rig.put(2, &[2; 9000]).unwrap();
    let second_block = rig.put(3, &[3; 9000]).unwrap();
    rig.disk.set_fault(Some(fault));
    assert_eq!(rig.sync().unwrap_err().code, code);
    assert_eq!(rig.storage.failure().unwrap().code, code);
    assert_eq!(rig.put(4, b"refused").unwrap_err().code, code);
    assert_eq!(rig.remove(1, before).unwrap_err().code, code);
    assert_eq!(rig.storage.admit(Admission::Write).unwrap_err().code, code);
    assert_eq!(rig.read(1, before).unwrap(), b"durable");
    assert_eq!(rig.read(2, buffered).unwrap(), [2; 9000]);
    assert_eq!(rig.read(3, second_block).unwrap(), [3; 9000]);

    rig.disk.set_fault(None);
    wait_until(|| rig.storage.failure().is_none());
    rig.storage.admit(Admission::Write).unwrap();
    rig.put(4, b"accepted").unwrap();
    rig.sync().unwrap();
    let after = Rig::open(&FaultyDisk::with(rig.disk.stable_image()), options()).unwrap();
    assert_eq!((after.index.live().len(), after.report.damaged, after.report.torn), (4, 0, 0));
    assert_eq!(after.index.live()[&4], b"accepted");
}

#[test]
fn a_full_disk() {
    outage(Fault::Write(ENOSPC), ErrorCode::DeviceFull);
}

#[test]
fn a_disk_that_refuses_writes() {
    outage(Fault::Write(EIO), ErrorCode::StorageFailed);
}

#[test]
fn a_disk_that_fills_up_in_the_middle_of_a_write() {
    outage(Fault::ShortWrite(100), ErrorCode::DeviceFull);
}

#[test]
fn a_failed_sync_that_loses_what_was_written() {
    outage(Fault::Sync(EIO), ErrorCode::StorageFailed);
}

#[test]
fn closing_over_a_dead_disk_says_so_and_ends() {
    let rig = Rig::new();
    rig.put(1, b"lost").unwrap();
    rig.disk.set_fault(Some(Fault::Write(EIO)));
    assert_eq!(rig.storage.close().unwrap_err().code, ErrorCode::StorageFailed);
    assert_eq!(rig.put(2, b"x").unwrap_err().code, ErrorCode::Closed);
}

#[test]
fn opening_over_a_dead_disk_says_so() {
    let disk = FaultyDisk::default();
    disk.set_fault(Some(Fault::Write(ENOSPC)));
    assert_eq!(Rig::open(&disk, options()).err().unwrap().code, ErrorCode::DeviceFull);
    disk.set_fault(None);
    Rig::open(&disk, DeviceOptions { ..options() }).unwrap().put(1, b"x").unwrap();
}
