//! Runs against a map, when they are merged, and what they weigh.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn put(runs: &mut Runs<u64>, slot: u32, key: u32) {
    runs.begin(slot);
    runs.push(u64::from(key) << 32 | u64::from(slot));
    runs.finish();
}

/// Runs after writes one after the other, each of so many pairs of slots of their own.
fn of_writes(writes: &[u32]) -> Runs<u64> {
    let (mut runs, mut next) = (Runs::new(), 0);
    for pairs in writes {
        for slot in next..next + pairs {
            runs.begin(slot);
            runs.push(u64::from(slot));
        }
        runs.finish();
        next += pairs;
    }
    runs
}

fn lengths(runs: &Runs<u64>) -> Vec<usize> {
    runs.runs().iter().map(|run| run.pairs().len()).collect()
}

/// What counts: the slot and the key of each pair.
fn counted(runs: &Runs<u64>) -> Vec<(u32, u32)> {
    let of_runs = runs.runs().iter().flat_map(|run| run.pairs().iter().filter(|pair| runs.current(pair.slot(), run.newest())));
    let mut pairs: Vec<_> = of_runs.chain(runs.tail()).map(|pair| (pair.slot(), (pair >> 32) as u32)).collect();
    pairs.sort_unstable();
    pairs
}

#[derive(Clone, Debug)]
enum Step {
    /// So many slots from the first one on.
    Write(u32, u32),
    Forget(u32),
    Freeze,
    Install,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..40_u32, prop_oneof![2 => 1..4_u32, 1 => 1..600_u32]).prop_map(|(first, count)| Step::Write(first, count)),
        1 => (0..600_u32).prop_map(Step::Forget),
        2 => Just(Step::Freeze),
        2 => Just(Step::Install),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn what_was_written_last_counts_whatever_is_merged_meanwhile(steps in prop::collection::vec(step(), 1..40), based in any::<bool>()) {
        let (mut runs, mut model, mut begun) = (Runs::new(), BTreeMap::new(), Vec::new());
        for (key, step) in (0..).zip(steps) {
            match step {
                Step::Write(first, count) => (first..first + count).for_each(|slot| {
                    put(&mut runs, slot, key);
                    model.insert(slot, key);
                }),
                Step::Forget(slot) => {
                    runs.begin(slot);
                    runs.finish();
                    model.remove(&slot);
                }
                Step::Freeze => begun.push(runs.freeze()),
                // The latest one is not void; the one before is.
                Step::Install => for frozen in begun.drain(begun.len().saturating_sub(2)..).rev() {
                    let merged = Arc::new(frozen.merge(Vec::new()));
                    if based {
                        runs.install_base(frozen.ticket(), merged);
                    } else {
                        runs.install_run(frozen.ticket(), merged);
                    }
                },
            }
            prop_assert_eq!(counted(&runs), model.iter().map(|(slot, key)| (*slot, *key)).collect::<Vec<_>>());
        }
        prop_assert_eq!(runs.into_merged().len(), model.len());
    }
}

#[test]
fn a_merge_is_installed_once_and_not_after_another_was_begun() {
    let mut runs = of_writes(&[3]);
    let first = runs.freeze().ticket();
    let second = runs.freeze().ticket();
    assert!(!runs.install(first) && runs.install(second) && !runs.install(second));
    let third = runs.freeze().ticket();
    assert!(!runs.install(first) && !runs.install(second));
    runs.thaw();
    assert!(!runs.install(third));
    runs.freeze();
    assert!(!runs.install(third));
}

#[test]
fn what_is_written_while_a_merge_runs_is_not_in_the_base() {
    let mut runs = Runs::new();
    (0..3).for_each(|slot| put(&mut runs, slot, 0));
    let frozen = runs.freeze();
    put(&mut runs, 1, 1);
    assert!(runs.install_base(frozen.ticket(), Arc::new(frozen.merge(Vec::new()))));
    assert_eq!((runs.base().len(), runs.recent(), runs.is_untouched()), (3, 1, false));
    assert_eq!([0, 1, 2, 9].map(|slot| runs.current_in_base(slot)), [true, false, true, true]);
    let frozen = runs.freeze();
    assert!(runs.install_base(frozen.ticket(), Arc::new(frozen.merge(Vec::new()))));
    assert_eq!((runs.base().len(), runs.recent(), runs.is_untouched()), (3, 0, true));
}

#[test]
fn generations_are_numbered_anew_before_they_reach_their_end() {
    let mut runs = Runs::new();
    for round in 0..80 {
        put(&mut runs, 0, round);
        let ticket = runs.freeze().ticket();
        assert!(runs.install(ticket) && runs.generation <= RENUMBER);
    }
    assert_eq!(runs.numbering, 80 / RENUMBER);
}

#[test]
fn a_tail_is_sorted_into_a_run_when_it_is_long() {
    let mut runs = Runs::new();
    (0..TAIL as u32 - 1).for_each(|slot| put(&mut runs, slot, 7 - slot % 7));
    assert_eq!((runs.tail().len(), lengths(&runs).len()), (TAIL - 1, 0));
    put(&mut runs, TAIL as u32, 0);
    assert_eq!((runs.tail().len(), lengths(&runs)), (0, vec![TAIL]));
    assert!(runs.runs()[0].pairs().is_sorted());
}

#[test]
fn a_run_is_merged_with_one_that_is_not_much_longer_nor_too_long_for_a_write() {
    assert_eq!(lengths(&of_writes(&[STEP as u32 * 256, 256])), [2304]);
    assert_eq!(lengths(&of_writes(&[2304, 256])), [2304, 256]);
    assert_eq!(lengths(&of_writes(&[2304, 256, 256])), [2816]);
    assert_eq!(lengths(&of_writes(&[55_536, 10_000])), [INLINE]);
    assert_eq!(lengths(&of_writes(&[55_537, 10_000])), [55_537, 10_000]);
    let mut runs = of_writes(&[300]);
    runs.freeze();
    (300..600).for_each(|slot| put(&mut runs, slot, 0));
    assert_eq!(lengths(&runs), [300, 256], "what is frozen stays as it is");
}

#[test]
fn a_base_is_due_when_recent_writes_are_a_share_of_it() {
    let due = |base, recent, touched, slots| Runs::<u64> { beside: recent, touched, written: vec![0; slots], ..Runs::new() }.due(base);
    for (base, most, most_ahead) in [(0, 8192, 1 << 20), (1 << 20, 1 << 18, 2 << 20)] {
        let of_recent = [most, most + 1, most_ahead, most_ahead + 1].map(|recent| due(base, recent, 0, 0));
        assert_eq!(of_recent, [Due::No, Due::Soon, Due::Soon, Due::Now]);
    }
    assert_eq!([1024, 1025].map(|touched| due(0, 0, touched, 0)), [Due::No, Due::Soon]);
    assert_eq!([5001, 5002].map(|touched| due(0, 0, touched, 10_003)), [Due::No, Due::Soon]);
    let due_when_idle = |recent| Runs::<u64> { beside: recent, ..Runs::new() }.due_when_idle(650);
    assert_eq!([10, 11].map(due_when_idle), [false, true]);
}

#[test]
fn without_a_base_a_long_first_run_counts_as_one() {
    for (first, most, most_ahead) in [(0, 1 << 16, 1 << 20), (1 << 20, 1 << 18, 2 << 20)] {
        let runs = vec![Run { pairs: Arc::new(vec![0_u64; first]), newest: 0 }];
        let due = |more| Runs { runs: runs.clone(), beside: first + more, ..Runs::new() }.due_without_base();
        assert_eq!([most, most + 1, most_ahead, most_ahead + 1].map(due), [Due::No, Due::Soon, Due::Soon, Due::Now]);
    }
}

#[test]
fn a_mark_changes_with_each_write() {
    let mut runs = Runs::new();
    let mut marks = vec![WriteMark::NONE, runs.mark()];
    put(&mut runs, 0, 0);
    marks.push(runs.mark());
    assert_eq!(marks.last(), Some(&runs.mark()));
    runs.begin(0);
    runs.finish();
    marks.push(runs.mark());
    runs.freeze();
    marks.push(runs.mark());
    assert!(marks.windows(2).all(|two| two[0] != two[1]));
    let one = WriteMark { generation: 1, tail: 2, touched: 3 };
    assert_eq!(one.and(WriteMark { generation: 4, tail: 3, touched: 3 }), WriteMark { generation: 5, tail: 5, touched: 3 });
}

#[test]
fn the_heap_is_counted_whole() {
    let run = |pairs| Run { pairs: Arc::new(Vec::with_capacity(pairs)), newest: 0 };
    let (tail, written) = (Vec::with_capacity(100), Vec::with_capacity(50));
    let runs = Runs::<u64> { tail, runs: vec![run(1000), run(2000), run(3000)], written, ..Runs::new() };
    assert_eq!(runs.heap_bytes(), 100 * 8 + 6000 * 8 + 3 * size_of::<Run<u64>>() + 50 * 4);
}

#[test]
fn room_for_slots_grows_by_an_eighth_and_a_long_tail_gives_its_room_back() {
    let (mut runs, mut rooms) = (Runs::new(), BTreeSet::new());
    for slot in 0..10_000 {
        put(&mut runs, slot, 0);
        if rooms.insert(runs.written.capacity()) {
            assert_eq!(runs.written.capacity(), slot as usize + slot as usize / 8 + 65);
        }
    }
    assert!(rooms.len() < 40);
    assert_eq!(of_writes(&[10_000]).tail.capacity(), 2 * TAIL);
}

#[test]
fn a_merge_of_rewrites_without_a_base_is_not_due_again() {
    let mut runs = Runs::<u64>::new();
    let slots = INLINE as u64 + 5000;
    // Runs as long as these are not merged on the way of a write, so what is written anew stays until then.
    for round in 0..2 {
        for slot in 0..slots {
            runs.begin(slot as u32);
            runs.push(round << 32 | slot);
            runs.finish();
        }
    }
    assert_eq!(runs.due_without_base(), Due::Soon);
    let frozen = runs.freeze();
    runs.install_run(frozen.ticket(), Arc::new(frozen.merge(Vec::new())));
    assert_eq!((runs.recent() as u64, runs.due_without_base()), (slots, Due::No));
}
