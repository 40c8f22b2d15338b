use super::rig::{Rig, body, code};
use tessera_base::ErrorCode;

#[test]
fn a_full_disk_refuses_what_needs_room_and_nothing_has_changed() {
    for size in [4096, 16_384, 65_536] {
        // Four extents behind the first pages.
        let mut rig = Rig::new(size, 5 * (256 * 1024 / size));
        let mut n = 0;
        let full = loop {
            n += 1;
            let length = n as usize * 331 % (size as usize * 2);
            if let Err(error) = rig.put((n % 2) as u16, n, 1, &body(length, n as u8)) {
                break error;
            }
        };
        assert_eq!(full.code, ErrorCode::DeviceFull);
        rig.check();
        let long = body(600_000, 1);
        assert_eq!(code(rig.put(0, 3999, 1, &long)), Some(ErrorCode::DeviceFull));
        assert_eq!(code(rig.put(0, 2, 1, &long)), Some(ErrorCode::DeviceFull), "an update");
        rig.check();
        // What has room goes on.
        while rig.put(0, n, 1, &body(10, 1)).is_ok() {
            n += 1;
        }
        rig.check();
        (1..n / 2).for_each(|n| rig.remove((n % 2) as u16, n).unwrap());
        (1..n / 4).for_each(|n| rig.put((n % 2) as u16, n, 1, &body(10, 1)).unwrap());
        rig.check();
        rig.reopen();
        rig.check();
    }
}

#[test]
fn a_full_log_refuses_everything_until_a_checkpoint_and_nothing_has_changed() {
    let mut rig = Rig::new(4096, 1 << 20);
    (0..50).for_each(|n| rig.put(0, n, 1, &body(n as usize * 30, 1)).unwrap());
    let big = body(1 << 20, 7);
    while rig.put(1, 1, 1, &big).is_ok() {}
    // A shorter record may still fit.
    while rig.put(1, 2, 1, &body(900, rig_byte(&rig))).is_ok() {}
    rig.check();
    let refused = Some(ErrorCode::DeviceOverload);
    assert_eq!(code(rig.put(1, 1, 1, &big)), refused);
    assert_eq!(code(rig.put(0, 3000, 2, &body(2000, 1))), refused, "an insert, and the name of a set");
    assert_eq!(code(rig.put(0, 7, 1, &body(2000, 2))), refused, "an update");
    let (slot, old) = rig.segments[0].seek(&super::rig::digest(40)).unwrap().unwrap();
    // A removal needs little: what is left may be enough.
    let removed = rig.segments[0].remove(slot, &old);
    if removed.is_ok() {
        rig.model.remove(&(0, 40));
    }
    rig.check();
    rig.checkpoint();
    rig.put(0, 7, 1, &body(2000, 2)).unwrap();
    rig.put(0, 3000, 2, &body(2000, 1)).unwrap();
    rig.put(1, 1, 1, &body(1000, 1)).unwrap();
    rig.check();
    rig.reopen();
    rig.check();
}

/// Changes with every call.
fn rig_byte(rig: &Rig) -> u8 {
    (rig.store.pages().log().end() / 7) as u8
}

#[test]
fn a_segment_that_is_not_one_of_the_store_takes_nothing() {
    let rig = Rig::new(4096, 1 << 20);
    let mut other = super::super::PagedSegment::new(std::sync::Arc::clone(&rig.store), 9);
    let image =
        crate::RecordImage { digest: super::rig::digest(1), slot: 0, meta: tessera_record::Meta::default(), set: "one", body: &[1] };
    assert_eq!(code(other.insert(1, &image)), Some(ErrorCode::ConfigInvalid));
}
