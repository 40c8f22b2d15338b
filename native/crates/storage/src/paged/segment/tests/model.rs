use super::rig::{Rig, SIZES, body, step};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(60)))]

    #[test]
    fn agrees_with_a_map(
        size in prop::sample::select(&SIZES[..]), parts in prop::collection::vec(prop::collection::vec(step(150), 1..250), 1..4),
    ) {
        let mut rig = Rig::new(size, 1 << 20);
        for steps in parts {
            steps.iter().for_each(|step| rig.play(step));
            rig.check();
            rig.reopen();
            rig.check();
        }
    }
}

#[test]
fn what_was_removed_leaves_no_page_behind() {
    for size in SIZES {
        let mut rig = Rig::new(size, 1 << 20);
        for n in 0..3000 {
            rig.put((n % 2) as u16, n, n as usize % 4, &body(n as usize % 900 * if n % 40 == 0 { 100 } else { 1 }, n as u8)).unwrap();
        }
        rig.check();
        let used = rig.segments[0].pages().count();
        (0..3000).for_each(|n| rig.remove((n % 2) as u16, n).unwrap());
        rig.check();
        let usage = rig.store.space().usage();
        // One leaf, and the slot map; in as many extents as these lie in.
        let left = rig.segments[0].pages().count();
        assert!(left < used / 3 && usage.free > 0, "{left} of {used} pages, {usage:?}");
        assert_eq!(rig.segments[0].bytes().live, 0);
    }
}

#[test]
fn pages_that_are_nearly_empty_are_joined() {
    let mut rig = Rig::new(16_384, 1 << 20);
    (0..3000).for_each(|n| rig.put(0, n, 1, &body(400, n as u8)).unwrap());
    (0..3000).filter(|n| n % 10 != 0).for_each(|n| rig.remove(0, n).unwrap());
    let before = rig.segments[0].pages().count();
    let mut steps = 0;
    while rig.segments[0].compact().unwrap() {
        steps += 1;
        assert!(steps < 1000, "there is no end to it");
    }
    rig.check();
    let after = rig.segments[0].pages().count();
    assert!(after * 2 < before, "{after} of {before} pages");
    assert_eq!(rig.segments[0].compact(), Ok(false));
    rig.reopen();
    rig.check();
}

#[test]
fn records_that_grow_and_shrink_for_ever_take_a_bounded_space() {
    let mut rig = Rig::new(4096, 1 << 20);
    let mut most = 0;
    for round in 0..40 {
        (0..200).for_each(|n| rig.put(0, n, 1, &body((n * 37 + round * 211) as usize % 1200, round as u8)).unwrap());
        while rig.segments[0].compact().unwrap() {}
        if round < 4 {
            most = most.max(rig.segments[0].bytes().allocated);
        }
    }
    rig.check();
    assert!(rig.segments[0].bytes().allocated <= most * 2, "{} after {most}", rig.segments[0].bytes().allocated);
}

/// Its pages are more than its cell has room to name.
#[test]
fn the_longest_body_there_may_be() {
    for size in [4096, 65_536] {
        let mut rig = Rig::new(size, 1 << 20);
        let long = body(tessera_base::limits::RECORD_BYTES_MAX, 3);
        rig.put(0, 1, 1, &long).unwrap();
        rig.put(0, 2, 1, &long[1..]).unwrap();
        rig.put(0, 1, 1, &long[5..]).unwrap();
        rig.check();
        rig.reopen();
        rig.check();
        rig.remove(0, 1).unwrap();
        rig.remove(0, 2).unwrap();
        rig.check();
        assert!(rig.segments[0].bytes().allocated < 1 << 20);
    }
}

/// An update of one field logs little more than that.
#[test]
fn an_update_of_the_same_length_logs_what_differs() {
    let mut rig = Rig::new(16_384, 1 << 20);
    let mut bytes = body(1000, 1);
    rig.put(0, 1, 1, &bytes).unwrap();
    let end = rig.store.pages().log().end();
    bytes[600] ^= 1;
    rig.put(0, 1, 1, &bytes).unwrap();
    let logged = rig.store.pages().log().end() - end;
    assert!(logged < 160, "{logged} bytes");
}
