use super::*;
use crate::paged::cache::ledger::Ledger;
use crate::paged::change::Room;
use crate::paged::page::{Kind, PageId, PageSize};
use crate::paged::pages::{Pages, PagesOptions};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_io::Backend;
use tessera_io::faulty::FaultyDisk;

fn pages(bytes: u32) -> Pages {
    let page_size = PageSize::new(bytes).unwrap();
    let options = PagesOptions {
        namespace_id: [1; 16],
        page_size,
        cache_bytes: 2048 * u64::from(bytes),
        log_bytes: 128 << 20,
        pages: 1 << 20,
        backend: Backend::Threads,
        witness: crate::paged::pages::loss::Witness::default(),
        accept_loss: false,
    };
    Pages::create(&options, Arc::new(FaultyDisk::default()), Arc::new(FaultyDisk::default()), Ledger::default()).unwrap()
}

fn with_page<R>(bytes: u32, work: impl FnOnce(&mut Change<'_>, Touched) -> R) -> R {
    let pages = pages(bytes);
    let mut room = Room::default();
    let mut change = Change::begin(pages.cache(), 0, &mut room);
    let page = change.format(PageId(9), Kind::Data).unwrap();
    work(&mut change, page)
}

#[test]
fn a_page_takes_one_cell_as_long_as_it_says() {
    for bytes in [4096, 16_384, 65_536] {
        with_page(bytes, |change, page| {
            let longest = most(bytes as usize);
            assert_eq!(room(change.bytes(page)), longest);
            assert_eq!(add(change, page, &vec![7; longest + 1]), None);
            assert_eq!(add(change, page, &[]), None);
            assert_eq!(add(change, page, &vec![7; longest]), Some(0), "{bytes}");
            assert_eq!((room(change.bytes(page)), get(change.bytes(page), 0)), (0, Some(&vec![7; longest][..])));
            remove(change, page, 0);
            assert_eq!((room(change.bytes(page)), all(change.bytes(page)).count()), (longest, 0));
        });
    }
}

#[test]
fn a_cell_of_a_full_page_does_not_grow() {
    with_page(4096, |change, page| {
        let half = (4096 - FIRST - 2 * ENTRY) / 2;
        assert_eq!((add(change, page, &vec![1; half]), add(change, page, &vec![2; half])), (Some(0), Some(1)));
        assert!(!replace(change, page, 1, &vec![3; half + 1]));
        assert!(
            replace(change, page, 1, &vec![3; half])
                && replace(change, page, 1, &vec![4; half - 1])
                && replace(change, page, 0, &vec![5; half + 1])
        );
        assert_eq!((get(change.bytes(page), 0), get(change.bytes(page), 1)), (Some(&vec![5; half + 1][..]), Some(&vec![4; half - 1][..])));
    });
}

#[derive(Clone, Debug)]
enum Step {
    Add(usize, u8),
    Remove(prop::sample::Index),
    Replace(prop::sample::Index, usize, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let length = || prop_oneof![3 => 1..120usize, 1 => 1..2500usize];
    prop_oneof![
        3 => (length(), any::<u8>()).prop_map(|(length, byte)| Step::Add(length, byte)),
        1 => any::<prop::sample::Index>().prop_map(Step::Remove),
        2 => (any::<prop::sample::Index>(), length(), any::<u8>()).prop_map(|(index, length, byte)| Step::Replace(index, length, byte)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_map_and_uses_every_byte(steps in prop::collection::vec(step(), 1..200)) {
        with_page(4096, |change, page| {
            let mut model: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
            for step in steps {
                let used: usize = model.values().map(Vec::len).sum();
                let chosen = |index: &prop::sample::Index| (!model.is_empty()).then(|| *model.keys().nth(index.index(model.len())).unwrap());
                match step {
                    Step::Add(length, byte) => {
                        let cell = vec![byte; length];
                        let fits = room(change.bytes(page)) >= length;
                        let number = add(change, page, &cell);
                        prop_assert_eq!(number.is_some(), fits);
                        if let Some(number) = number {
                            prop_assert!(model.insert(number, cell).is_none());
                        }
                    }
                    Step::Remove(index) => if let Some(cell) = chosen(&index) {
                        remove(change, page, cell);
                        model.remove(&cell);
                    },
                    Step::Replace(index, length, byte) => if let Some(cell) = chosen(&index) {
                        let mut new = model[&cell].clone();
                        new.resize(length, byte);
                        let half = new.len() / 2;
                        new[half] = byte;
                        let directory = (usize::from(*model.keys().max().unwrap()) + 1) * ENTRY;
                        let fits = FIRST + used - model[&cell].len() + length + directory <= 4096;
                        prop_assert_eq!(replace(change, page, cell, &new), fits);
                        if fits {
                            model.insert(cell, new);
                        }
                    },
                }
                let there: BTreeMap<u16, Vec<u8>> = all(change.bytes(page)).map(|(cell, bytes)| (cell, bytes.to_vec())).collect();
                prop_assert_eq!(&there, &model);
            }
            Ok(())
        })?;
    }
}
