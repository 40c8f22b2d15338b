//! Histories of pages: whatever comes and goes meanwhile, a page is as whoever wrote it last has left it.

use super::*;
use crate::paged::threads::page_writer;
use std::collections::BTreeMap;

const PAGES: u32 = 5000;
const WRITERS: u32 = 3;

/// Moments have one order for all threads.
#[derive(Default)]
struct Clock(AtomicU64);

impl Clock {
    fn now(&self) -> u64 {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst)
    }
}

/// A value of a page that was written or read, between two moments.
#[derive(Clone, Copy, Debug)]
struct Event {
    page: u32,
    value: u64,
    begun: u64,
    ended: u64,
}

fn roll(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as u32
}

/// Each writer's pages are its own, and their values count its writes of them.
fn write(pages: &Pages, clock: &Clock, writer: u32) -> Vec<Event> {
    let (mut room, mut seed, mut values) = (Room::default(), u64::from(writer), BTreeMap::<u32, u64>::new());
    (0..12_000)
        .map(|_| {
            let page = 2 + roll(&mut seed) % (PAGES / WRITERS) * WRITERS + writer;
            let value = values.entry(page).or_default();
            *value += 1;
            let begun = clock.now();
            let mut change = Change::begin(pages.cache(), writer as u16, &mut room);
            let touched = change.page(PageId(page)).unwrap();
            change.write(touched, HEADER, &value.to_le_bytes());
            change.write(touched, SIZE - 8, &value.to_le_bytes());
            change.commit().unwrap();
            Event { page, value: *value, begun, ended: clock.now() }
        })
        .collect()
}

fn read(pages: &Pages, clock: &Clock, reader: u64) -> Vec<Event> {
    let mut seed = 1000 + reader;
    (0..20_000)
        .map(|_| {
            let page = 2 + roll(&mut seed) % (PAGES / WRITERS * WRITERS);
            let begun = clock.now();
            let found = pages.cache().read(PageId(page)).unwrap();
            let value = page::u64_at(&found, HEADER);
            assert_eq!(value, page::u64_at(&found, SIZE - 8), "page {page} is of two writes");
            drop(found);
            Event { page, value, begun, ended: clock.now() }
        })
        .collect()
}

#[test]
fn a_read_finds_the_newest_value_that_was_there_at_a_moment_of_it() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    (2..2 + PAGES).for_each(|id| put(&pages, id, 0));
    let clock = Clock::default();
    let (mut writes, mut reads) = (vec![], vec![]);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (pages, clock, over) = (&pages, &clock, &over);
        scope.spawn(move || page_writer::run(pages.cache()));
        scope.spawn(move || {
            while !over.load(Relaxed) {
                assert!(pages.checkpoint(&mut || true).unwrap());
            }
        });
        let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(pages, clock, writer))).collect();
        let readers: Vec<_> = (0..2).map(|reader| scope.spawn(move || read(pages, clock, reader))).collect();
        writes.extend(writers.into_iter().flat_map(|writer| writer.join().unwrap()));
        reads.extend(readers.into_iter().flat_map(|reader| reader.join().unwrap()));
        over.store(true, Relaxed);
        pages.cache().late().stop();
    });
    let (read, written) = pages.cache().transfers();
    assert!(read > 1000 && written > 1000, "{read} read, {written} written: pages hardly came and went");
    let mut of_page: BTreeMap<u32, Vec<Event>> = BTreeMap::new();
    writes.iter().for_each(|write| of_page.entry(write.page).or_default().push(*write));
    let mut seen: BTreeMap<u32, Vec<Event>> = BTreeMap::new();
    for read in &reads {
        let writes = of_page.get(&read.page).map_or(&[][..], Vec::as_slice);
        let at = |value: u64| writes.get((value as usize).wrapping_sub(1));
        assert!(
            read.value == 0 || at(read.value).is_some_and(|write| write.begun < read.ended),
            "{read:?} is of a write that had not begun"
        );
        assert!(at(read.value + 1).is_none_or(|next| next.ended > read.begun), "{read:?} is older than a write that had ended");
        seen.entry(read.page).or_default().push(*read);
    }
    for reads in seen.values_mut() {
        reads.sort_unstable_by_key(|read| read.begun);
        for (at, later) in reads.iter().enumerate() {
            assert!(reads[..at].iter().all(|read| read.ended > later.begun || read.value <= later.value), "a page went back: {later:?}");
        }
    }
}
