//! What is left of a segment: the entries of its slot maps whose bodies are there.
//!
//! A page of a slot map does not say which of them it is: the cells of its records do, as each
//! names its slot. Of two that are the same page, and of two entries for one digest, that in the
//! newer page counts: a page that was written later has what was there later.

use crate::SlotRecord;
use crate::paged::cache::Cache;
use crate::paged::cells;
use crate::paged::log::Lsn;
use crate::paged::page::{self, Kind, PageId};
use crate::paged::segment::Left;
use crate::paged::segment::bodies::{self, Content, Place};
use crate::paged::segment::extents::Used;
use crate::paged::segment::slot_map::{self, SLOTS};
use crate::paged::store::Store;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use tessera_record::Digest;

/// An entry of a slot map.
struct Entry {
    /// The page, by its place in the list of them, and which of its entries it is.
    map: usize,
    at: usize,
    record: SlotRecord,
}

/// An entry whose body is there.
struct Sound {
    map: usize,
    slot: u32,
    digest: Digest,
    page: PageId,
    /// Pages of a long body.
    parts: Vec<PageId>,
}

/// Where records are looked for.
pub struct Gather<'a> {
    pub store: &'a Store,
    pub segment: u16,
    /// The pages of its slot maps, each with its LSN.
    pub maps: &'a [(PageId, Lsn)],
    /// Whether a page may be the segment's.
    pub owns: &'a dyn Fn(PageId) -> bool,
}

impl Gather<'_> {
    pub fn run(&self) -> Left {
        let (cache, mut left) = (self.cache(), Left::default());
        let mut entries = self.entries(&mut left);
        // Each data page is read once.
        entries.sort_unstable_by_key(|entry| entry.record.location.0);
        let (mut data, mut sound) = (HashMap::new(), vec![]);
        let (mut current, mut bytes) = (PageId::NONE, vec![]);
        for Entry { map, at, record } in entries {
            let id = Place::of(record.location).page;
            if id != current {
                (current, bytes) = (id, self.page(id, Kind::Data).filter(|page| cells::is_sound(page)).unwrap_or_default());
            }
            match self.body(&bytes, at, &record) {
                Some((slot, parts)) => {
                    let used = Used { kind: Kind::Data, bytes: bytes.len() - cells::room(&bytes) };
                    data.insert(id, (used, page::lsn(&bytes)));
                    sound.push(Sound { map, slot, digest: record.digest, page: id, parts });
                }
                None => {
                    left.lost.insert(record.digest);
                }
            }
        }
        let per_page = slot_map::per_page(cache.size().bytes());
        let order = self.order(&sound, per_page);
        sound.retain(|sound| {
            let kept = order.get(&(sound.slot as usize / per_page)) == Some(&sound.map);
            if !kept {
                left.lost.insert(sound.digest);
            }
            kept
        });
        sound.sort_unstable_by_key(|sound| (sound.digest.0, std::cmp::Reverse(self.maps[sound.map].1)));
        sound.dedup_by_key(|sound| sound.digest);
        let slots: HashSet<u32> = sound.iter().map(|sound| sound.slot).collect();
        for (index, map) in order {
            let (id, lsn) = self.maps[map];
            let Some(page) = self.page(id, Kind::SlotMap) else { continue };
            let entries = slot_map::entries(&page).map(|(at, ..)| (index * per_page + at) as u32);
            left.free.extend(entries.filter(|slot| !slots.contains(slot)));
            left.maps.insert(index, id);
            left.pages.insert(id, (Used { kind: Kind::SlotMap, bytes: 0 }, lsn));
        }
        let kept: HashSet<PageId> = left.maps.values().copied().collect();
        left.retired.extend(self.maps.iter().filter(|(id, _)| !kept.contains(id)));
        for Sound { digest, page, parts, .. } in &sound {
            left.lost.remove(digest);
            left.pages.insert(*page, data[page]);
            for part in parts {
                left.pages.insert(*part, (Used { kind: Kind::Overflow, bytes: 0 }, cache.read(*part).map_or(0, |page| page::lsn(&page))));
            }
        }
        left.records = sound.into_iter().map(|sound| (sound.digest, sound.slot)).collect();
        left
    }

    fn cache(&self) -> &Cache {
        self.store.pages().cache()
    }

    /// A copy of a page of the segment, if it is sound.
    fn page(&self, id: PageId, kind: Kind) -> Option<Vec<u8>> {
        let page = self.cache().read(id).ok().filter(|_| (self.owns)(id))?;
        (Kind::of(&page) == Some(kind) && page::segment(&page) == self.segment).then(|| page.to_vec())
    }

    /// The entries of all slot maps, of sets that are known; the others are lost.
    fn entries(&self, left: &mut Left) -> Vec<Entry> {
        let mut entries = vec![];
        for (map, (id, _)) in self.maps.iter().enumerate() {
            let Ok(page) = self.cache().read(*id) else { continue };
            for (at, record, set) in slot_map::entries(&page) {
                if (self.owns)(*id) && self.store.knows_set(set) {
                    entries.push(Entry { map, at, record });
                } else {
                    left.lost.insert(record.digest);
                }
            }
        }
        entries
    }

    /// The slot of a record whose body is in this page, and the pages of a long body.
    fn body(&self, page: &[u8], at: usize, record: &SlotRecord) -> Option<(u32, Vec<PageId>)> {
        let SlotRecord { digest, location, meta } = record;
        if page.is_empty() {
            return None;
        }
        let (slot, content) = bodies::find_with_slot(page, *location, digest, meta)?;
        if slot as usize % slot_map::per_page(page.len()) != at || slot >= SLOTS {
            return None;
        }
        match content {
            Content::Body(body) => bodies::check_nesting(body).ok().map(|()| (slot, vec![])),
            Content::Long(long) => {
                let (bodies, lists) = bodies::pages_of(self.cache(), &long).ok()??;
                let parts = [bodies, lists].concat();
                let whole = bodies::read_long(self.cache(), &long, &mut vec![]).is_ok_and(|whole| whole);
                let ours = |id: &PageId| self.cache().read(*id).is_ok_and(|page| page::segment(&page) == self.segment);
                (whole && parts.iter().all(|id| (self.owns)(*id) && ours(id))).then_some((slot, parts))
            }
        }
    }

    /// Which page of the slot map each is, as most of its records say; of two that are the same the
    /// newer one.
    fn order(&self, sound: &[Sound], per_page: usize) -> BTreeMap<usize, usize> {
        let mut says = HashMap::<usize, HashMap<usize, u32>>::new();
        for Sound { map, slot, .. } in sound {
            *says.entry(*map).or_default().entry(*slot as usize / per_page).or_default() += 1;
        }
        let mut order = BTreeMap::<usize, usize>::new();
        for (map, votes) in says {
            let Some((index, _)) = votes.into_iter().max_by_key(|(index, votes)| (*votes, *index)) else { continue };
            let age = |map: usize| (self.maps[map].1, self.maps[map].0);
            if order.get(&index).is_none_or(|other| age(*other) < age(map)) {
                order.insert(index, map);
            }
        }
        order
    }
}
