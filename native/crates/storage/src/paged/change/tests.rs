use super::*;
use crate::paged::cache::ledger::Ledger;
use crate::paged::page::{HEADER, PageSize};
use crate::paged::pages::{Pages, PagesOptions};
use proptest::prelude::*;
use std::sync::Arc;
use tessera_io::Backend;
use tessera_io::faulty::FaultyDisk;

fn pages() -> Pages {
    let page_size = PageSize::new(4096).unwrap();
    let options = PagesOptions {
        namespace_id: [1; 16],
        page_size,
        cache_bytes: 2048 * 4096,
        log_bytes: 128 << 20,
        pages: 1 << 20,
        backend: Backend::Threads,
        witness: crate::paged::pages::loss::Witness::default(),
        accept_loss: false,
    };
    Pages::create(&options, Arc::new(FaultyDisk::default()), Arc::new(FaultyDisk::default()), Ledger::default()).unwrap()
}

#[test]
fn a_change_that_is_dropped_has_never_been() {
    let pages = pages();
    let mut room = Room::default();
    let mut change = Change::begin(pages.cache(), 1, &mut room);
    let page = change.format(PageId(5), Kind::Data).unwrap();
    change.write(page, HEADER, &[1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(change.commit().unwrap() > 0);
    let before = pages.cache().read(PageId(5)).unwrap().to_vec();
    let end = pages.log().end();
    {
        let mut change = Change::begin(pages.cache(), 1, &mut room);
        let page = change.page(PageId(5)).unwrap();
        assert_eq!(change.page(PageId(5)).unwrap(), page, "a page is locked once");
        change.write(page, HEADER + 2, &[9; 100]);
        change.shift(page, HEADER, HEADER + 1, 50);
        change.write(page, HEADER, &[7]);
        assert_ne!(change.bytes(page), &before[..]);
    }
    assert_eq!((&*pages.cache().read(PageId(5)).unwrap(), pages.log().end()), (&before[..], end));
}

#[test]
fn a_page_that_was_formatted_in_vain_is_written_behind_all_that_came_before() {
    let pages = pages();
    let mut room = Room::default();
    let mut change = Change::begin(pages.cache(), 1, &mut room);
    change.format(PageId(5), Kind::Data).unwrap();
    let made = change.commit().unwrap();
    let mut change = Change::begin(pages.cache(), 1, &mut room);
    change.format(PageId(6), Kind::Data).unwrap();
    let freed = change.commit().unwrap();
    let mut change = Change::begin(pages.cache(), 1, &mut room);
    change.format(PageId(5), Kind::Data).unwrap();
    drop(change);
    assert!(made < freed);
    assert_eq!(page::lsn(&pages.cache().read(PageId(5)).unwrap()), freed);
}

#[test]
fn room_keeps_no_more_than_it_may() {
    let mut room = Room { entries: vec![0; 9000], payload: vec![0; 100], ..Room::default() };
    room.shrink(4096);
    assert!((4196..=8192).contains(&room.heap_bytes()), "{}", room.heap_bytes());
}

#[test]
fn a_change_of_nothing_logs_nothing() {
    let pages = pages();
    let mut room = Room::default();
    assert_eq!(Change::begin(pages.cache(), 1, &mut room).commit(), Ok(0));
    assert_eq!(pages.log().end(), 0);
}

proptest! {
    #[test]
    fn any_bytes_are_an_entry_within_its_page_or_none(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Some((_, entry, rest)) = parse(&bytes, 4096) {
            prop_assert!(rest.len() < bytes.len());
            match entry {
                Entry::Image { hole, length, rest } => prop_assert!(rest.len() + length == 4096 && hole <= rest.len()),
                Entry::Format(_) => {}
                Entry::Write { at, bytes } => prop_assert!(at >= HEADER && at + bytes.len() <= 4096),
                Entry::Shift { from, to, length } => prop_assert!(from.min(to) >= HEADER && from.max(to) + length <= 4096),
            }
        }
    }

    #[test]
    fn an_image_is_what_it_was(parts in prop::collection::vec((any::<u8>(), 0..600usize), 0..12)) {
        let mut page: Vec<u8> = parts.iter().flat_map(|(byte, times)| vec![byte / 100; *times]).collect();
        page.resize(4096, 0);
        page[..8].copy_from_slice(&[1, 2, 3, 4, 9, 0, 0, 0]);
        let mut payload = Vec::new();
        push_image(&mut payload, PageId(9), &page);
        let Some((id, Entry::Image { hole, length, rest }, [])) = parse(&payload, 4096) else { return Err(TestCaseError::fail("no image")) };
        prop_assert_eq!(id, PageId(9));
        prop_assert_eq!([&rest[..hole], &vec![0; length], &rest[hole..]].concat(), page);
    }
}
