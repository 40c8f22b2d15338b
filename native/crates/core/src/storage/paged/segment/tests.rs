use super::*;
use crate::record::{KeyRef, Meta};
use crate::storage::io::faulty::FaultyDisk;
use crate::storage::paged::page::PageSize;
use crate::storage::paged::pages::{Pages, PagesOptions};

fn options(bytes: u32, pages: u32) -> PagesOptions {
    let page_size = PageSize::new(bytes).unwrap();
    PagesOptions { namespace_id: [1; 16], page_size, cache_bytes: 2048 * u64::from(bytes), log_bytes: 128 << 20, pages }
}

#[test]
fn records_come_and_go() {
    let disks = FaultyDisk::several([vec![], vec![]]);
    let pages = Pages::create(&options(4096, 1 << 20), Arc::new(disks[0].clone()), Arc::new(disks[1].clone())).unwrap();
    let store = Arc::new(Store::create(pages, 4, 1 << 20).unwrap());
    let mut segment = PagedSegment::new(Arc::clone(&store), 1);
    for n in 0..5000i64 {
        let digest = Digest::of("s", KeyRef::Integer(n));
        let body = vec![n as u8; n as usize % 700 * if n % 50 == 0 { 20 } else { 1 }];
        let meta = Meta { generation: 1, expires_at: 0, updated_at: 1_700_000_000_000 };
        let image = RecordImage { digest, slot: segment.next_slot(), meta, set: "s", body: &body };
        segment.insert(1, &image).unwrap();
        let (_, record) = segment.seek(&digest).unwrap().unwrap();
        let mut out = vec![];
        assert!(bodies::read(&store, record.location, &digest, &meta, &mut out).unwrap());
        assert_eq!(out, body);
    }
    while segment.compact().unwrap() {}
    for n in 0..5000i64 {
        let digest = Digest::of("s", KeyRef::Integer(n));
        let (slot, record) = segment.seek(&digest).unwrap().unwrap();
        segment.remove(slot, &record).unwrap();
    }
    assert_eq!(segment.len(), 0);
}
