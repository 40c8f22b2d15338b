//! Records that change go elsewhere where their page is as on the disk.

use super::rig::{Rig, SIZES, body, code};
use crate::paged::page::{Kind, PageId};
use std::collections::BTreeSet;
use tessera_base::ErrorCode;
use tessera_io::faulty::Fault;

const RECORDS: i64 = 300;

/// Records of a 16th of a page, all on the disk.
fn filled(size: u32, pages: u32) -> Rig {
    let mut rig = Rig::new(size, pages);
    (0..RECORDS).for_each(|n| rig.put(0, n, 1, &body(size as usize / 16, n as u8)).unwrap());
    rig.checkpoint();
    rig
}

fn data_pages(rig: &Rig) -> BTreeSet<PageId> {
    rig.segments[0].pages().filter(|(_, kind, _)| *kind == Kind::Data).map(|(id, ..)| id).collect()
}

fn dirty(rig: &Rig) -> usize {
    let pages = data_pages(rig);
    pages.iter().filter(|id| rig.store.pages().cache().is_dirty(**id)).count()
}

fn change(rig: &mut Rig, n: i64, byte: u8) {
    let length = rig.model[&(0, n)].2.len();
    rig.put(0, n, 1, &body(length, byte)).unwrap();
}

#[test]
fn many_changes_cost_few_pages() {
    for size in SIZES {
        let mut rig = filled(size, 1 << 20);
        assert_eq!(dirty(&rig), 0);
        (0..RECORDS).step_by(10).for_each(|n| change(&mut rig, n, 7));
        // 30 of a 16th are two or three pages; each of them alone would have been in a page of its own.
        assert!((1..=3).contains(&dirty(&rig)), "{} of {size}", dirty(&rig));
        // What was changed lies in pages that are to be written, and stays there.
        let before = data_pages(&rig);
        (0..RECORDS).step_by(10).for_each(|n| change(&mut rig, n, 8));
        assert_eq!(data_pages(&rig), before);
        rig.check();
        rig.reopen();
        rig.check();
    }
}

#[test]
fn what_is_left_behind_is_used_again_also_after_a_start() {
    let mut rig = filled(16_384, 1 << 20);
    let first = data_pages(&rig).len();
    for round in 0..60 {
        (0..RECORDS).filter(|n| (n * 7 + round) % 3 == 0).for_each(|n| change(&mut rig, n, round as u8));
        rig.checkpoint();
        if round % 20 == 10 {
            rig.reopen();
        }
        let now = data_pages(&rig).len();
        assert!(now <= first * 5 / 2, "{now} pages after {round} rounds, {first} before");
    }
    rig.check();
    while rig.segments[0].compact().unwrap() {}
    rig.check();
    let now = data_pages(&rig).len();
    assert!(now <= first * 2, "{now} pages, {first} before");
}

#[test]
fn a_page_that_all_have_left_is_free() {
    let mut rig = filled(16_384, 1 << 20);
    let first = data_pages(&rig);
    for round in 0..2 {
        (0..RECORDS).for_each(|n| change(&mut rig, n, round));
        rig.checkpoint();
        rig.check();
    }
    // All have gone twice, the second time to pages of before.
    let now = data_pages(&rig);
    assert!(now.len() <= first.len() + 1 && now.intersection(&first).count() > first.len() / 2, "{} and {} pages", first.len(), now.len());
}

/// A random case of the model that failed: no more than what its records take at most was known of the page.
#[test]
fn a_page_that_was_cleared_out_for_nothing_is_known_as_full_as_it_is() {
    let mut rig = Rig::new(4096, 1 << 20);
    let put = |rig: &mut Rig, keys: &[i64], lengths: &[usize]| {
        keys.iter().zip(lengths).for_each(|(n, length)| rig.put(0, *n, 0, &body(*length, 0)).unwrap());
    };
    put(
        &mut rig,
        &[
            17, 22, 17, 5, 11, 12, 22, 0, 22, 22, 22, 12, 14, 6, 95, 4, 96, 95, 41, 42, 44, 38, 46, 46, 7, 43, 45, 47, 17, 13, 13, 1, 40,
            18, 8, 40, 14, 15, 48, 9,
        ],
        &[
            0, 0, 0, 193, 97, 0, 0, 97, 0, 0, 0, 0, 1351, 37, 0, 12, 0, 0, 124, 16, 696, 80, 0, 124, 115, 204, 282, 0, 212, 1105, 62, 261,
            0, 0, 31, 0, 167, 32, 655, 12,
        ],
    );
    (9..100).for_each(|n| rig.remove(0, n).unwrap());
    rig.checkpoint();
    put(&mut rig, &[5, 2, 8, 8, 9, 3, 0, 9, 10, 11, 12], &[129, 33, 81, 113, 49, 97, 65, 737, 778, 1187, 197]);
    rig.check();
}

#[test]
fn small_records_and_those_of_a_store_that_fills_up_stay_where_they_are() {
    let mut small = Rig::new(16_384, 1 << 20);
    (0..RECORDS).for_each(|n| small.put(0, n, 1, &body(100, 1)).unwrap());
    small.checkpoint();
    // More than half of it is taken.
    let full = filled(16_384, 64);
    assert!(!full.store.space().is_roomy());
    for mut rig in [small, full] {
        let before = data_pages(&rig);
        (0..RECORDS).for_each(|n| change(&mut rig, n, 9));
        assert_eq!((data_pages(&rig), dirty(&rig)), (before.clone(), before.len()));
        rig.check();
    }
}

#[test]
fn a_change_that_the_log_refuses_leaves_nothing_behind() {
    let mut rig = filled(16_384, 1 << 20);
    let big = body(4 << 20, 7);
    while rig.put(1, 1, 1, &big).is_ok() {}
    let refused = (0..RECORDS).cycle().find_map(|n| {
        let length = rig.model[&(0, n)].2.len();
        code(rig.put(0, n, 1, &body(length, n as u8 ^ 9)))
    });
    assert_eq!(refused, Some(ErrorCode::DeviceOverload));
    // What memory has of each page is what its records say: `check` compares them.
    rig.check();
    rig.checkpoint();
    (0..RECORDS).for_each(|n| change(&mut rig, n, 4));
    rig.check();
}

/// A file system that is full: a change that needs no more room than the record has is made where it lies.
#[test]
fn without_room_for_another_page_records_change_where_they_are() {
    let mut rig = filled(16_384, 1 << 20);
    rig.disks[0].set_fault(Some(Fault::Room(0)));
    let mut n = RECORDS;
    while rig.put(0, n, 1, &body(1024, 1)).is_ok() {
        n += 1;
    }
    assert_eq!(code(rig.put(0, n, 1, &body(1024, 1))), Some(ErrorCode::DeviceFull));
    for round in 0..2 {
        rig.checkpoint();
        (0..n).for_each(|n| change(&mut rig, n, round));
        rig.check();
    }
}
