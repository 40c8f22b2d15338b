//! Slot sets against `BTreeSet`, and what they weigh.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use tessera_base::dice::Dice;

fn check(set: &SlotSet, model: &BTreeSet<u32>) {
    assert_eq!((set.len() as usize, set.is_empty()), (model.len(), model.is_empty()));
    assert_eq!(set.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
    assert_eq!(*set, SlotSet::from_sorted_iter(model.iter().copied()));
    assert_eq!(*set, SlotSet::from_chunks(set.chunks()));
    assert!((0..700).all(|slot| set.contains(slot) == model.contains(&slot)));
}

/// Slots around a few places, dense enough to fill chunks, and far enough apart to need several groups.
fn slot() -> impl Strategy<Value = u32> {
    prop_oneof![0..600u32, 65_400..66_100u32, Just(1 << 20), any::<u32>()]
}

fn slots() -> impl Strategy<Value = BTreeSet<u32>> {
    prop_oneof![
        prop::collection::btree_set(slot(), 0..6),
        prop::collection::btree_set(slot(), 0..400),
        (0..2000u32, 0..2000u32).prop_map(|(a, b)| (a.min(b)..a.max(b)).collect()),
    ]
}

proptest! {
    #[test]
    fn agrees_with_a_tree(operations in prop::collection::vec((slot(), 0..3u8), 1..1500)) {
        let (mut set, mut model) = (SlotSet::new(), BTreeSet::new());
        for (slot, operation) in operations {
            if operation == 0 {
                prop_assert_eq!(set.remove(slot), model.remove(&slot));
            } else {
                prop_assert_eq!(set.insert(slot), model.insert(slot));
            }
            prop_assert_eq!(set.contains(slot), model.contains(&slot));
        }
        check(&set, &model);
    }

    #[test]
    fn filling_and_emptying_goes_through_every_form(order in Just((0..700u32).collect::<Vec<_>>()).prop_shuffle()) {
        let (mut set, mut model) = (SlotSet::new(), BTreeSet::new());
        for slot in &order {
            prop_assert!(set.insert(*slot) && model.insert(*slot));
        }
        check(&set, &model);
        for slot in order.iter().rev() {
            prop_assert!(set.remove(*slot) && model.remove(slot));
            if model.len() % 50 == 0 {
                check(&set, &model);
            }
        }
        prop_assert_eq!(set.heap_bytes(), 0);
    }

    #[test]
    fn combines_as_trees_do(a in slots(), b in slots()) {
        let (left, right) = (SlotSet::from_sorted_iter(a.iter().copied()), SlotSet::from_sorted_iter(b.iter().copied()));
        check(&left, &a);
        check(&left.and(&right), &a.intersection(&b).copied().collect());
        check(&left.or(&right), &a.union(&b).copied().collect());
    }

    #[test]
    fn walking_from_a_slot_skips_whole_chunks(a in slots(), from in slot()) {
        let set = SlotSet::from_sorted_iter(a.iter().copied());
        let found: Vec<u32> = set.chunks_from(from).flat_map(|(base, words)| bits(base, words)).collect();
        let wanted: Vec<u32> = a.range(from & !0xff..).copied().collect();
        prop_assert_eq!(found, wanted);
    }
}

#[test]
fn sets_are_told_apart() {
    let set = |slots: &[u32]| SlotSet::from_sorted_iter(slots.iter().copied());
    assert_ne!(set(&[1, 2]), set(&[1, 3]));
    assert_ne!(set(&[1, 2]), set(&[1, 2, 3]));
}

/// Bytes of a set of many slots, with so many in the one allocation of each group.
fn of_groups(bytes: &[usize]) -> usize {
    let block = tessera_base::heap::block;
    block(size_of::<Many>()) + block(bytes.len() * size_of::<Group>()) + bytes.iter().map(|&bytes| block(bytes)).sum::<usize>()
}

/// The first `members` slots of each of eight chunks.
fn eight_chunks(members: u32) -> impl Iterator<Item = u32> {
    (0..8).flat_map(move |chunk| (0..members).map(move |member| chunk * 256 + member))
}

#[test]
fn a_chunk_takes_the_shortest_form() {
    let cost = |slots: &mut dyn Iterator<Item = u32>| SlotSet::from_sorted_iter(slots).heap_bytes();
    assert_eq!(cost(&mut (0..3)), 0);
    assert_eq!(cost(&mut (0..4)), of_groups(&[2 + 4]));
    assert_eq!(cost(&mut [1, 2, 1 << 16, 2 << 16].into_iter()), of_groups(&[2 + 2, 2 + 1, 2 + 1]));
    assert_eq!(cost(&mut eight_chunks(4)), of_groups(&[8 * (2 + 4)]));
    assert_eq!(cost(&mut eight_chunks(60)), of_groups(&[8 * (2 + 32)]));
    assert_eq!(cost(&mut eight_chunks(256)), of_groups(&[8 * 2]));
}

#[test]
fn a_slot_that_comes_and_goes_does_not_change_the_form() {
    let mut set = SlotSet::from_sorted_iter(0..4);
    set.remove(0);
    assert_ne!(set.heap_bytes(), 0);
    set.remove(1);
    assert_eq!(set.heap_bytes(), 0);
}

#[test]
fn chunks_that_have_shrunk_are_lists_again() {
    let mut set = SlotSet::from_sorted_iter(eight_chunks(60));
    (0..8).for_each(|chunk| (10..60).for_each(|member| assert!(set.remove(chunk * 256 + member))));
    assert!(set.heap_bytes() <= of_groups(&[2 * 8 * (2 + 10)]));
}

/// Sixteen slots in each chunk of a group: a byte each, and two bytes a chunk.
#[test]
fn room_is_an_eighth_when_a_set_grows_and_at_most_as_much_again_when_it_shrinks() {
    let slots = || (0..1_u32 << 12).map(|slot| slot << 4);
    let (mut set, mut sizes) = (SlotSet::new(), BTreeSet::new());
    for (at, slot) in slots().enumerate() {
        set.insert(slot);
        let bytes = at + 1 + 2 * (at / 16 + 1);
        assert!(set.heap_bytes() <= of_groups(&[bytes + bytes / 8 + 3]), "{at}");
        sizes.insert(set.heap_bytes());
    }
    assert!(sizes.len() < 70, "moved {} times", sizes.len());
    sizes.clear();
    for (at, slot) in slots().enumerate().take(4000) {
        let before = set.heap_bytes();
        set.remove(slot);
        let bytes = (1 << 12) - at - 1 + 2 * (256 - (at + 1) / 16);
        assert!(set.heap_bytes() <= of_groups(&[2 * bytes + 1]), "{at}");
        assert!(set.heap_bytes() == before || set.heap_bytes() == of_groups(&[bytes + bytes / 8]), "{at}");
        sizes.insert(set.heap_bytes());
    }
    assert!(sizes.len() < 12, "moved {} times", sizes.len());
}

/// A spread of slots that is the same on every machine.
fn random_slots(segment_slots: u32, members: u32, seed: u64) -> BTreeSet<u32> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut slots = BTreeSet::new();
    while slots.len() < members as usize {
        slots.insert(dice.roll(u64::from(segment_slots)) as u32);
    }
    slots
}

/// 100,000 of 2,000,000 records over 256 segments, put in one by one in random order.
#[test]
fn a_large_set_costs_at_most_two_bytes_a_record() {
    let mut bytes = 0;
    for segment in 0..256u64 {
        let mut set = SlotSet::new();
        let mut members: Vec<u32> = random_slots(7813, 391, segment + 1).into_iter().collect();
        members.sort_unstable_by_key(|slot| slot.wrapping_mul(0x9E37_79B1));
        for slot in members {
            set.insert(slot);
        }
        bytes += size_of::<SlotSet>() + set.heap_bytes();
    }
    let each = bytes as f64 / (391.0 * 256.0);
    println!("5% random density: {each:.2} bytes a record");
    assert!(each <= 2.0, "{each}");
}

/// A set of 100 records: at most one or two in each segment, so nothing is allocated at all.
#[test]
fn a_small_set_fits_in_the_segments_themselves() {
    let mut sets = vec![SlotSet::new(); 256];
    for slot in random_slots(1 << 20, 100, 7) {
        sets[slot as usize % 256].insert(slot >> 8);
    }
    let bytes: usize = sets.iter().map(|set| size_of::<SlotSet>() + set.heap_bytes()).sum();
    println!("100 records in 256 segments: {bytes} bytes");
    assert!(bytes <= 16 * 1024, "{bytes}");
    assert_eq!(size_of::<SlotSet>(), 16);
}
