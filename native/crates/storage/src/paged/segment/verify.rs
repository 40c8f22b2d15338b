//! Checks a segment as a whole: every page in use is referred to once, as what it is; tree, slot map, cells and map of pages agree, on the disk and in memory.

use super::bodies::{Content, Place};
use super::*;
use crate::paged::cells;
use std::collections::{BTreeMap, BTreeSet};
use tessera_record::Meta;

/// A record as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub slot: u32,
    pub set: u16,
    pub meta: Meta,
    pub body: Vec<u8>,
}

/// Everything that a segment holds.
pub fn verify(segment: &PagedSegment) -> BTreeMap<[u8; 20], Found> {
    let store = &*segment.store;
    let cache = store.pages().cache();
    let mut pages: BTreeMap<PageId, Kind> = BTreeMap::new();
    let mut refer = |id: PageId, kind: Kind| assert!(pages.insert(id, kind).is_none(), "{id:?} is referred to twice, as {kind:?} too");
    if segment.used {
        assert_eq!(Roots::read(&cache.read(Store::page_of(segment.id)).unwrap()), segment.roots, "roots");
    }
    let mut extents = Extents::new(cache.size());
    extents.load(store, segment.roots.extents).unwrap();
    extents.same_as(&segment.extents);
    extents.row().iter().for_each(|id| refer(*id, Kind::Extents));

    let mut slots = SlotMap::new(cache.size());
    let mut records = BTreeMap::new();
    let (mut live, mut cells_of) = (0, BTreeMap::<PageId, BTreeSet<u16>>::new());
    let mut shares = Shares::default();
    slots
        .load(store, &extents, segment.roots.directories, &mut |slot, number, record| {
            let SlotRecord { digest, location, meta } = *record;
            let set = segment.sets.set_of(slot);
            assert_eq!(store.set_id(number), Some(set), "set of slot {slot}");
            let mut body = Vec::new();
            assert!(bodies::read(store, location, &digest, &meta, &mut body)?, "slot {slot} is not at {location:?}");
            assert!(records.insert(digest.0, Found { slot, set, meta, body }).is_none(), "{digest} is twice in the slot map");
            cells_of.entry(Place::of(location).page).or_default().insert(Place::of(location).cell);
            live += bodies::stored_bytes(location) as u64;
            extents.tally(store, &mut shares, location);
            Ok(())
        })
        .unwrap();
    slots.same_as(&segment.slots);
    extents.hold(shares);
    slots.row().for_each(|(id, kind)| refer(id, kind));
    assert_eq!((segment.len(), segment.live), (records.len(), live), "counters");
    let mut taken = Vec::new();
    segment.sets.all(0, usize::MAX, &mut taken);
    assert_eq!(taken.len(), records.len(), "set column");
    assert!(segment.sets.is_free(segment.next_slot()));

    let mut found = BTreeMap::new();
    if segment.roots.tree != PageId::NONE {
        let mut each = |digest: Digest, slot: u32| assert!(found.insert(digest.0, slot).is_none());
        tree::walk(cache, segment.roots.tree, &mut refer, &mut each).unwrap();
    }
    let known: BTreeMap<_, _> = records.iter().map(|(digest, found)| (*digest, found.slot)).collect();
    assert_eq!(found, known, "tree and slot map");

    for (id, known) in cells_of {
        refer(id, Kind::Data);
        let page = cache.read(id).unwrap();
        let cells: BTreeSet<_> = cells::all(&page).map(|(cell, _)| cell).collect();
        assert!(cells.is_superset(&known), "cells of {id:?}");
        let share = extents.share(store, id);
        assert_eq!((share, usize::from(share.cells)), (segment.extents.share(store, id), known.len()), "what is known of {id:?}");
        let all = page.len() - cells::room(&page);
        let least = if cells == known { all } else { all.min(share.used()) };
        extents.level_is(store, id, least..=all);
        let long = known.iter().filter_map(|cell| match bodies::content(&page, *cell) {
            Some((_, Content::Long(long))) => Some(long),
            _ => None,
        });
        let long: Vec<_> = long.collect();
        drop(page);
        for long in long {
            let (bodies, lists) = bodies::pages_of(cache, &long).unwrap().unwrap();
            bodies.iter().chain(&lists).for_each(|id| refer(*id, Kind::Overflow));
        }
    }
    let map: BTreeMap<_, _> = segment.pages().map(|(id, kind, _)| (id, kind)).collect();
    assert_eq!(map, pages, "map of pages");
    records
}
