//! Bodies in memory, against a model.

use super::*;
use crate::{RecordImage, SegmentStore};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tessera_base::ErrorCode;

fn image(slot: u32, body: &[u8]) -> RecordImage<'_> {
    RecordImage { digest: Digest::default(), slot, meta: Meta::default(), set: "", body }
}

proptest! {
    #[test]
    fn bodies_survive_updates_removals_and_compaction(
        operations in prop::collection::vec((0..40u32, 0..3000usize, any::<bool>()), 1..600)
    ) {
        let storage = MemoryStorage::new(None);
        let mut store = storage.bodies();
        let mut model: BTreeMap<u32, (Location, Vec<u8>)> = BTreeMap::new();
        for (n, (slot, length, remove)) in operations.into_iter().enumerate() {
            if remove {
                if let Some((location, _)) = model.remove(&slot) {
                    store.forget(location);
                }
            } else {
                let body = vec![n as u8; length];
                let location = store.put(&image(slot, &body), model.get(&slot).map(|m| m.0)).unwrap();
                model.insert(slot, (location, body));
            }
            store.compact(&mut |slot, from, to| {
                let known = model.get_mut(&slot).unwrap();
                assert_eq!(known.0, from);
                known.0 = to;
            });
            let live: usize = model.values().map(|(_, body)| room(body.len())).sum();
            prop_assert_eq!(store.bytes().live, live as u64);
            prop_assert!(store.bytes().allocated >= live as u64);
        }
        for (location, body) in model.values() {
            prop_assert_eq!(store.resident(*location).unwrap(), &body[..]);
        }
        prop_assert_eq!(storage.usage().memory_bytes, store.bytes().allocated);
        drop(store);
        prop_assert_eq!(storage.usage(), StorageUsage::default());
    }
}

#[test]
fn updates_run_for_ever_in_bounded_space() {
    let storage = MemoryStorage::new(None);
    let mut store = storage.bodies();
    let mut places: Vec<Option<Location>> = vec![None; 500];
    for round in 0..40usize {
        for slot in 0..places.len() {
            let body = vec![round as u8; 900 + (slot * 7 + round * 13) % 200];
            places[slot] = Some(store.put(&image(slot as u32, &body), places[slot]).unwrap());
            store.compact(&mut |slot, _, to| places[slot as usize] = Some(to));
        }
    }
    let bytes = store.bytes();
    assert!(bytes.allocated < bytes.live * 2, "{bytes:?}");
}

#[test]
fn namespaces_without_a_limit_share_one_and_give_back_what_they_leave() {
    let share = Arc::new(MemoryShare::new(40_000));
    let (first, second) = (MemoryStorage::sharing(share.clone()), MemoryStorage::sharing(share.clone()));
    let (mut one, mut other) = (first.bodies(), second.bodies());
    let put = |store: &mut Extents, slot| store.put(&image(slot, &[1; 3000]), None);
    let full = (0..).find_map(|slot| put(&mut one, slot).err()).unwrap();
    assert!(full.code == ErrorCode::MemoryFull && full.message.contains("that they share"), "{}", full.message);
    assert!(share.used() <= share.limit());
    assert_eq!(put(&mut other, 0).unwrap_err().code, ErrorCode::MemoryFull);
    share.note_dropped(3000);
    assert!(put(&mut other, 0).unwrap_err().message.ends_with("those that can be restored hold 3,000 bytes (GET /api/v1/dropped)"));
    // One with a limit of its own takes nothing of it.
    let own = MemoryStorage::new(Some(10_000));
    put(&mut own.bodies(), 0).unwrap();
    drop(one);
    assert_eq!(share.used(), 0);
    put(&mut other, 0).unwrap();
    share.note_indexes(40_000);
    assert!((1..50).any(|slot| put(&mut other, slot).is_err()), "indexes count, too");
}

#[test]
fn a_limit_refuses_the_write_and_changes_nothing() {
    let storage = MemoryStorage::new(Some(10_000));
    let mut store = storage.bodies();
    let first = store.put(&image(0, &[1; 3000]), None).unwrap();
    store.put(&image(1, &[2; 3000]), None).unwrap();
    let before = store.bytes();
    let error = store.put(&image(0, &[3; 5000]), Some(first)).unwrap_err();
    assert_eq!(error.code, ErrorCode::MemoryFull);
    assert!(error.retryable());
    assert_eq!(store.bytes(), before);
    assert_eq!(store.resident(first).unwrap(), [1; 3000]);
}
