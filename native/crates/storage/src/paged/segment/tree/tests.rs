use super::*;
use crate::paged::cache::ledger::Ledger;
use crate::paged::change::Room;
use crate::paged::page::PageSize;
use crate::paged::pages::{Pages, PagesOptions};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_io::Backend;
use tessera_io::faulty::FaultyDisk;
use tessera_record::KeyRef;

/// Pages by counting, used again.
#[derive(Default)]
struct Heap {
    made: u32,
    free: Vec<PageId>,
}

impl Allocator for Heap {
    fn take(&mut self, _: Kind) -> Result<PageId> {
        Ok(self.free.pop().unwrap_or_else(|| {
            self.made += 1;
            PageId(self.made + 1)
        }))
    }

    fn give_back(&mut self, page: PageId) -> Result<()> {
        assert!(!self.free.contains(&page));
        self.free.push(page);
        Ok(())
    }
}

struct Fixture {
    pages: Pages,
    heap: Heap,
    room: Room,
    root: PageId,
}

impl Fixture {
    fn new() -> Self {
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
        let pages = Pages::create(&options, Arc::new(FaultyDisk::default()), Arc::new(FaultyDisk::default()), Ledger::default()).unwrap();
        let (mut heap, mut room) = (Heap::default(), Room::default());
        let mut change = Change::begin(pages.cache(), 0, &mut room);
        let root = create(&mut change, &mut heap).unwrap();
        change.commit().unwrap();
        Self { pages, heap, room, root }
    }

    fn change(&mut self, with: impl FnOnce(&Cache, &mut Change<'_>, &mut Heap, PageId) -> Result<PageId>) -> Result<()> {
        let mut change = Change::begin(self.pages.cache(), 0, &mut self.room);
        let root = with(self.pages.cache(), &mut change, &mut self.heap, self.root)?;
        change.commit()?;
        self.root = root;
        Ok(())
    }

    fn insert(&mut self, digest: &Digest, slot: u32) -> Result<()> {
        self.change(|cache, change, heap, root| insert(cache, change, heap, root, digest, slot))
    }

    fn remove(&mut self, digest: &Digest) {
        self.change(|cache, change, heap, root| remove(cache, change, heap, root, digest)).unwrap();
    }

    fn find(&self, digest: &Digest) -> Option<u32> {
        find(self.pages.cache(), self.root, digest).unwrap()
    }

    fn all(&self) -> (BTreeMap<[u8; 20], u32>, usize) {
        let mut all = BTreeMap::new();
        let mut pages = 0;
        walk(self.pages.cache(), self.root, &mut |_, _| pages += 1, &mut |digest, slot| assert!(all.insert(digest.0, slot).is_none()))
            .unwrap();
        assert_eq!(pages + self.heap.free.len(), self.heap.made as usize, "pages in the tree and given back");
        (all, pages)
    }
}

fn digest(n: i64) -> Digest {
    Digest::of("s", KeyRef::Integer(n))
}

#[test]
fn thousands_come_and_go() {
    let mut tree = Fixture::new();
    for n in 0..20_000 {
        tree.insert(&digest(n), n as u32).unwrap();
    }
    assert_eq!(tree.insert(&digest(7), 1).map_err(|error| error.code), Err(ErrorCode::RecordExists));
    let (all, full) = tree.all();
    assert_eq!(all.len(), 20_000);
    assert!(full < 20_000 * ENTRY / 4096 * 2, "{full} pages");
    for n in 0..20_000 {
        assert_eq!((tree.find(&digest(n)), tree.find(&digest(-n - 1))), (Some(n as u32), None));
    }
    for n in (0..20_000).filter(|n| n % 10 != 3) {
        tree.remove(&digest(n));
        tree.remove(&digest(-n - 1));
    }
    let (all, left) = tree.all();
    assert_eq!(all.len(), 2000);
    assert!(left < full / 2, "{left} of {full} pages");
    (0..20_000).filter(|n| n % 10 == 3).for_each(|n| tree.remove(&digest(n)));
    assert_eq!(tree.all(), (BTreeMap::new(), 1));
}

#[test]
fn a_page_that_is_none_of_it_is_damage() {
    let mut tree = Fixture::new();
    let mut change = Change::begin(tree.pages.cache(), 0, &mut tree.room);
    change.format(PageId(500), Kind::Data).unwrap();
    let page = change.format(PageId(501), Kind::Leaf).unwrap();
    change.write(page, COUNT, &u16::MAX.to_le_bytes());
    let round = change.format(PageId(502), Kind::Inner).unwrap();
    change.write(round, FIRST_CHILD, &502u32.to_le_bytes());
    change.commit().unwrap();
    for bad in [500, 501, 502] {
        let error = find(tree.pages.cache(), PageId(bad), &digest(1)).unwrap_err();
        assert_eq!(error.code, ErrorCode::RecordDamaged, "page {bad}");
        assert!(walk(tree.pages.cache(), PageId(bad), &mut |_, _| (), &mut |_, _| ()).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Digests close together as well as far apart: guesses are bad then.
    #[test]
    fn agrees_with_a_map(operations in prop::collection::vec((0..2u8, 0..3000i64, any::<bool>()), 1..4000)) {
        let mut tree = Fixture::new();
        let mut model = BTreeMap::new();
        for (operation, n, near) in operations {
            let mut digest = digest(n);
            if near {
                digest.0[..12].fill(0x55);
            }
            match (operation, model.contains_key(&digest.0)) {
                (0, true) => {
                    tree.remove(&digest);
                    model.remove(&digest.0);
                }
                (0, false) => tree.remove(&digest),
                (_, true) => prop_assert!(tree.insert(&digest, 0).is_err()),
                (_, false) => {
                    tree.insert(&digest, n as u32).unwrap();
                    model.insert(digest.0, n as u32);
                }
            }
            prop_assert_eq!(tree.find(&digest), model.get(&digest.0).copied());
        }
        prop_assert_eq!(tree.all().0, model);
    }
}
