mod history;

use super::ledger::Ledger;
use super::*;
use crate::paged::change::{Change, Room};
use crate::paged::page::{HEADER, Kind};
use crate::paged::pages::{Pages, PagesOptions};
use tessera_io::Backend;
use tessera_io::faulty::{Fault, FaultyDisk};

const SIZE: usize = 4096;

fn options() -> PagesOptions {
    let page_size = PageSize::new(SIZE as u32).unwrap();
    PagesOptions {
        namespace_id: [1; 16],
        page_size,
        cache_bytes: 2048 * SIZE as u64,
        log_bytes: 128 << 20,
        pages: 1 << 20,
        backend: Backend::Threads,
        witness: crate::paged::pages::loss::Witness::default(),
        // They are opened again without their log.
        accept_loss: true,
    }
}

pub fn pages(disk: &FaultyDisk) -> Pages {
    Pages::create(&options(), Arc::new(disk.clone()), Arc::new(FaultyDisk::default()), Ledger::default()).unwrap()
}

/// Writes `word` into a page that is made for it.
pub fn put(pages: &Pages, id: u32, word: u64) {
    let mut room = Room::default();
    let mut change = Change::begin(pages.cache(), 0, &mut room);
    let page = change.format(PageId(id), Kind::Data).unwrap();
    change.write(page, HEADER, &word.to_le_bytes());
    change.commit().unwrap();
}

fn word(pages: &Pages, id: u32) -> u64 {
    page::u64_at(&pages.cache().read(PageId(id)).unwrap(), HEADER)
}

#[test]
fn more_pages_than_frames_come_and_go() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    (2..6000).for_each(|id| put(&pages, id, u64::from(id) * 7));
    (2..6000).rev().for_each(|id| assert_eq!(word(&pages, id), u64::from(id) * 7, "page {id}"));
    let (read, written) = pages.cache().transfers();
    assert!(read > 3000 && written > 3000, "{read} read, {written} written");
}

#[test]
fn a_page_that_stays_is_read_once() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    put(&pages, 9, 5);
    assert!(pages.checkpoint(&mut || true).unwrap());
    let image = disk.stable_image();
    let again = Pages::open(&options(), Arc::new(FaultyDisk::with(image)), Arc::new(FaultyDisk::default()), Ledger::default()).unwrap().0;
    (0..10).for_each(|_| assert_eq!(word(&again, 9), 5));
    assert_eq!(again.cache().transfers(), (1, 0));
}

#[test]
fn what_cannot_be_read_is_an_error_each_time_and_nothing_else() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    put(&pages, 3, 1);
    assert!(pages.checkpoint(&mut || true).unwrap());
    let bad = FaultyDisk::with(disk.stable_image());
    let again = Pages::open(&options(), Arc::new(bad.clone()), Arc::new(FaultyDisk::default()), Ledger::default()).unwrap().0;
    bad.set_fault(Some(Fault::Read { from: 0, to: u64::MAX, code: 5 }));
    (0..3).for_each(|_| assert_eq!(again.cache().read(PageId(3)).err().map(|error| error.code), Some(ErrorCode::StorageFailed)));
    bad.set_fault(None);
    assert_eq!(word(&again, 3), 1);
    for id in [0, u32::MAX] {
        assert_eq!(again.cache().read(PageId(id)).err().map(|error| error.code), Some(ErrorCode::RecordDamaged), "page {id}");
    }
}

#[test]
fn a_flipped_bit_is_named_and_never_served() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    put(&pages, 3, 1);
    assert!(pages.checkpoint(&mut || true).unwrap());
    let bad = FaultyDisk::with(disk.stable_image());
    bad.flip(3 * SIZE as u64 + 2000, 4);
    let again = Pages::open(&options(), Arc::new(bad), Arc::new(FaultyDisk::default()), Ledger::default()).unwrap().0;
    let error = again.cache().read(PageId(3)).err().unwrap();
    assert_eq!((error.code, error.message.contains("page 3")), (ErrorCode::RecordDamaged, true), "{error:?}");
}

#[test]
fn threads_that_share_pages_see_whole_words() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    (2..5000).for_each(|id| put(&pages, id, u64::from(id)));
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let pages = &pages;
            scope.spawn(move || {
                let mut room = Room::default();
                // Each has pages of its own to change, as segments do, and looks at everybody's.
                for round in 1..4u64 {
                    for id in (2..5000).filter(|id| id % 4 == thread) {
                        let mut change = Change::begin(pages.cache(), thread as u16, &mut room);
                        let page = change.page(PageId(id)).unwrap();
                        change.write(page, HEADER, &(u64::from(id) + round * 10_000).to_le_bytes());
                        change.commit().unwrap();
                        let other = (id * 31) % 4998 + 2;
                        assert_eq!(word(pages, other) % 10_000, u64::from(other));
                    }
                }
            });
        }
        scope.spawn(|| (0..5).for_each(|_| assert!(pages.checkpoint(&mut || true).unwrap())));
    });
    (2..5000).for_each(|id| assert_eq!(word(&pages, id), u64::from(id) + 30_000));
}

#[test]
fn a_cache_has_room_for_all_threads() {
    let small = PagesOptions { cache_bytes: 2047 * SIZE as u64, ..options() };
    let error = Pages::create(&small, Arc::new(FaultyDisk::default()), Arc::new(FaultyDisk::default()), Ledger::default()).err().unwrap();
    assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("cacheBytes")));
}

#[test]
fn an_offer_waits_for_no_frame_and_writes_none() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    let cache = pages.cache();
    let offered = PageId(5000);
    let copy = vec![0; SIZE];
    (2..2050).for_each(|id| put(&pages, id, 1));
    let before = cache.transfers();
    assert!(cache.dirty() > 2000);
    cache.offer(offered, &copy, cache.stamp(offered)).unwrap();
    assert_eq!((cache.transfers(), cache.has(offered)), (before, false), "nothing was written to make room");

    assert!(pages.checkpoint(&mut || true).unwrap());
    let held: Vec<_> = (2..2050).map(|id| cache.read(PageId(id)).unwrap()).collect();
    cache.offer(offered, &copy, cache.stamp(offered)).unwrap();
    assert!(!cache.has(offered), "every page is in use");
    std::thread::scope(|scope| {
        // Who needs a page waits for one of them.
        let waiting = scope.spawn(|| cache.fresh(offered).map(drop));
        drop(held);
        waiting.join().unwrap().unwrap();
    });
    let another = PageId(5001);
    cache.offer(another, &copy, cache.stamp(another)).unwrap();
    assert!(cache.has(another));
}
