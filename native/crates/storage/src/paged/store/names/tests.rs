use super::*;
use crate::paged::cache::ledger::Ledger;
use crate::paged::page::PageSize;
use crate::paged::pages::{Pages, PagesOptions};
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_io::faulty::FaultyDisk;

const SIZE: u32 = 65_536;

fn options() -> PagesOptions {
    let page_size = PageSize::new(SIZE).unwrap();
    PagesOptions {
        namespace_id: [1; 16],
        page_size,
        cache_bytes: 2048 * u64::from(SIZE),
        log_bytes: 128 << 20,
        pages: 1 << 16,
        backend: tessera_io::Backend::Threads,
        witness: crate::paged::pages::loss::Witness::default(),
        accept_loss: false,
    }
}

fn create(disks: &[FaultyDisk]) -> Store {
    let pages = Pages::create(&options(), Arc::new(disks[0].clone()), Arc::new(disks[1].clone()), Ledger::default()).unwrap();
    Store::create(pages, 1, 1 << 16).unwrap()
}

fn open(disks: &[FaultyDisk]) -> Result<Store> {
    let (pages, _) = Pages::open(&options(), Arc::new(disks[0].clone()), Arc::new(disks[1].clone()), Ledger::default())?;
    Store::open(pages, 1, 1 << 16)
}

fn name(n: u16) -> String {
    format!("{n:060}")
}

/// More names than one extent of pages has.
#[test]
fn numbers_stay_while_ids_change() {
    const COUNT: u16 = 10_000;
    let disks = FaultyDisk::several([vec![], vec![]]);
    let store = create(&disks);
    assert_eq!((store.set_number(0, ""), store.set_id(0), store.set_id(1)), (Ok(0), Some(0), None));
    for n in 1..=COUNT {
        assert_eq!(store.set_number(n + 7, &name(n)), Ok(n));
    }
    let end = store.pages().log().end();
    assert_eq!((store.set_number(8, &name(1)), store.set_id(COUNT)), (Ok(1), Some(COUNT + 7)));
    assert_eq!(store.pages().log().end(), end, "a known set is logged no more");
    store.pages().log().sync(end).unwrap();
    drop(store);

    let store = open(&disks).unwrap();
    assert_eq!(store.set_id(1), None, "until it is bound");
    store.bind(&|name| Ok(name.trim_start_matches('0').parse::<u16>().unwrap() + 100)).unwrap();
    assert!((1..=COUNT).all(|n| store.set_id(n) == Some(n + 100) && store.set_number(n + 100, &name(n)) == Ok(n)));
    assert_eq!(store.set_number(3, "another"), Ok(COUNT + 1));
    store.space().loaded();
    let usage = store.space().usage();
    assert_eq!((usage.free, usage.extents), (0, 5), "its extents are its own");
    let refused = store.bind(&|_| Err(Error::new(ErrorCode::SetLimit, "no more")));
    assert_eq!(refused.unwrap_err().code, ErrorCode::SetLimit);
}

#[test]
fn there_are_only_so_many_and_so_long_ones() {
    let disks = FaultyDisk::several([vec![], vec![]]);
    let store = create(&disks);
    assert_eq!(store.set_number(1, &"x".repeat(256)).unwrap_err().code, ErrorCode::NameInvalid);
    for n in 1..=limits::SETS {
        store.set_number(n as u16, &n.to_string()).unwrap();
    }
    assert_eq!(store.set_number(u16::MAX, "one more").unwrap_err().code, ErrorCode::SetLimit);
    store.pages().log().sync(store.pages().log().end()).unwrap();
    drop(store);
    assert!(open(&disks).is_ok());
}

/// Their pages are whole by their checksums.
#[test]
fn what_is_no_name_of_a_set_is_damage() {
    for junk in [&b"\x03a\0b"[..], b"\x00", b"\x01a\x01a", b"\x05name", b"\x02\xff\xfe", b"\x03a b"] {
        let disks = FaultyDisk::several([vec![], vec![]]);
        let store = create(&disks);
        let id = store.space().page(store.take_extent().unwrap(), 0);
        store
            .change(|change, namespace| {
                let page = change.format(id, Kind::Namespace)?;
                change.write(page, FIRST, junk);
                change.write(page, NUMBER, &1u16.to_le_bytes());
                change.write(page, USED, &(junk.len() as u16).to_le_bytes());
                let namespace = change.page(namespace)?;
                Store::set_names(change, namespace, id);
                Ok(())
            })
            .unwrap();
        store.pages().log().sync(store.pages().log().end()).unwrap();
        drop(store);
        assert_eq!(open(&disks).err().map(|error| error.code), Some(ErrorCode::RecordDamaged), "{junk:?}");
    }
}
