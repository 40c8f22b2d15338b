//! The fuzz target of a page: whatever lies in one that is whole by its checksum, all that reads pages takes it for something or for nothing.

pub use super::log::fuzz::{log, log_seeds};

use super::cache::ledger::Ledger;
use super::cells;
use super::page::{Kind, PageId, PageSize};
use super::pages::{Pages, PagesOptions};
use super::segment::PagedSegment;
use super::segment::bodies::{self, Content, PART, Spread};
use super::segment::{extents, slot_map, tree};
use super::store::Store;
use crate::RecordImage;
use std::io::{ErrorKind, Result};
use std::sync::Arc;
use tessera_io::{Disk, Meter};
use tessera_record::{Digest, KeyRef, Meta};

const SIZE: usize = 4096;

/// The first bytes of a page; the rest of it is zeros.
pub fn page(data: &[u8]) {
    let mut page = data[..data.len().min(SIZE)].to_vec();
    page.resize(SIZE, 0);
    if cells::is_sound(&page) {
        assert!(cells::room(&page) <= cells::most(SIZE));
    }
    for (cell, bytes) in cells::all(&page) {
        assert!(bytes.len() < SIZE && cells::get(&page, cell) == Some(bytes));
        match bodies::content(&page, cell) {
            Some((version, Content::Body(body))) => assert_eq!([&version.bytes(false)[..], body].concat(), bytes),
            Some((version, Content::Long(long))) => {
                assert_eq!(version.bytes(true), bytes[..bodies::VERSION]);
                assert_eq!(long.pages.len(), Spread::new(SIZE, long.length).named());
                assert!(bodies::part(&page, version, 0).is_none(), "a page is not of cells and a part");
            }
            None => {}
        }
    }
    for n in 0..8 {
        tree::probe(&page, &Digest::of("s", KeyRef::Integer(n)));
    }
    slot_map::probe(&page);
    extents::probe(&page, PageSize::new(SIZE as u32));
    if let Some(kind) = Kind::of(&page) {
        assert!(!kind.name().is_empty() && page[16] == kind as u8 && PART < SIZE);
    }
}

/// A disk that keeps nothing: all pages stay in the cache.
#[derive(Default)]
struct Nowhere(Meter);

impl Disk for Nowhere {
    fn meter(&self) -> &Meter {
        &self.0
    }

    fn read_at(&self, _: &mut [u8], _: u64) -> Result<()> {
        Err(ErrorKind::UnexpectedEof.into())
    }

    fn write_at(&self, _: &[u8], _: u64) -> Result<()> {
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn length(&self) -> Result<u64> {
        Ok(0)
    }

    fn set_len(&self, _: u64) -> Result<()> {
        Ok(())
    }
}

/// A page of each kind, of a segment with short and long records.
pub fn seeds() -> Vec<Vec<u8>> {
    filled().unwrap_or_default()
}

fn filled() -> tessera_base::Result<Vec<Vec<u8>>> {
    let page_size = PageSize::new(SIZE as u32)?;
    let options = PagesOptions {
        namespace_id: [7; 16],
        page_size,
        cache_bytes: 2048 * SIZE as u64,
        log_bytes: 128 << 20,
        pages: 4096,
        backend: tessera_io::Backend::Threads,
        witness: super::pages::loss::Witness::default(),
        accept_loss: false,
    };
    let pages = Pages::create(&options, Arc::new(Nowhere::default()), Arc::new(Nowhere::default()), Ledger::default())?;
    let store = Arc::new(Store::create(pages, 1, options.pages)?);
    let mut segment = PagedSegment::new(Arc::clone(&store), 0);
    for n in 0..300u32 {
        let (digest, body) = (Digest::of("s", KeyRef::Integer(n.into())), vec![n as u8; if n % 60 == 1 { 9000 } else { n as usize % 90 }]);
        let meta = Meta { generation: 1, expires_at: n, updated_at: 1_700_000_000_000 };
        segment.insert(1, &RecordImage { digest, slot: segment.next_slot(), meta, set: "s", body: &body })?;
    }
    let mut seeds =
        vec![store.pages().cache().read(Store::page_of(0))?.to_vec(), store.pages().cache().read(PageId(Pages::FIRST + 1))?.to_vec()];
    for kind in Kind::ALL {
        if let Some((id, ..)) = segment.pages().find(|(_, of, _)| *of == kind) {
            seeds.push(store.pages().cache().read(id)?.to_vec());
        }
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn there_is_a_seed_of_every_kind() {
        let seeds = seeds();
        seeds.iter().for_each(|seed| page(seed));
        assert!(Kind::ALL.iter().all(|kind| seeds.iter().any(|seed| Kind::of(seed) == Some(*kind))));
    }

    proptest! {
        #[test]
        fn any_page_is_something_or_nothing(
            kind in 0..11u8, bytes in prop::collection::vec(prop_oneof![Just(0u8), 0..64u8, any::<u8>()], SIZE), zeros in 0..SIZE,
        ) {
            let mut bytes = bytes;
            bytes[16] = kind;
            bytes[zeros.max(40)..].fill(0);
            page(&bytes);
        }
    }
}
