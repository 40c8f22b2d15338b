use super::*;
use crate::paged::cache::ledger::Ledger;
use crate::paged::change::{Change, Room};
use crate::paged::page::{self, HEADER, Kind, PageId};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tessera_io::Backend;
use tessera_io::faulty::FaultyDisk;

const SIZE: usize = 4096;
const IDS: std::ops::Range<u32> = 2..40;

fn options() -> PagesOptions {
    let page_size = PageSize::new(SIZE as u32).unwrap();
    PagesOptions {
        namespace_id: [1; 16],
        page_size,
        cache_bytes: 2048 * SIZE as u64,
        log_bytes: 128 << 20,
        pages: 1 << 20,
        backend: Backend::Threads,
        witness: crate::paged::pages::loss::Witness::default(),
        accept_loss: false,
    }
}

fn open(disks: &[FaultyDisk]) -> Result<(Pages, Redone)> {
    Pages::open(&options(), Arc::new(disks[0].clone()), Arc::new(disks[1].clone()), Ledger::default())
}

/// All pages that were ever made, without what lies in their headers.
fn contents(pages: &Pages, made: &[u32]) -> BTreeMap<u32, Vec<u8>> {
    made.iter().map(|id| (*id, pages.cache().read(PageId(*id)).unwrap()[HEADER..].to_vec())).collect()
}

#[derive(Clone, Debug)]
enum Step {
    /// Changes of some pages at once: page, offset, byte, times.
    Change(Vec<(u32, u16, u8, u16)>),
    /// Bytes move within a page.
    Shift(u32, u16, u16, u16),
    Abandon(u32),
    Sync,
    Checkpoint,
    /// A checkpoint that gives up after so many pages.
    HalfCheckpoint(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let spot = || (IDS, 0..3000u16, any::<u8>(), 1..900u16);
    prop_oneof![
        6 => prop::collection::vec(spot(), 1..4).prop_map(Step::Change),
        2 => (IDS, 0..2000u16, 0..2000u16, 1..1500u16).prop_map(|(id, from, to, length)| Step::Shift(id, from, to, length)),
        1 => IDS.prop_map(Step::Abandon),
        2 => Just(Step::Sync),
        1 => Just(Step::Checkpoint),
        1 => (0..20usize).prop_map(Step::HalfCheckpoint),
    ]
}

/// What was promised: the events so far on the disks when it was, and how many changes.
struct History {
    states: Vec<BTreeMap<u32, Vec<u8>>>,
    promised: Vec<(usize, usize)>,
}

/// Does the steps, and remembers what there was after each change.
fn play(pages: &Pages, disks: &[FaultyDisk], steps: &[Step], first: BTreeMap<u32, Vec<u8>>) -> History {
    let mut room = Room::default();
    let mut history = History { states: vec![first.clone()], promised: vec![] };
    let mut model = first;
    for step in steps {
        match step {
            Step::Change(spots) => {
                let mut change = Change::begin(pages.cache(), 0, &mut room);
                for (id, at, byte, times) in spots {
                    let page = match model.contains_key(id) {
                        true => change.page(PageId(*id)).unwrap(),
                        false => change.format(PageId(*id), Kind::Data).unwrap(),
                    };
                    let bytes = vec![*byte; usize::from(*times)];
                    change.write(page, HEADER + usize::from(*at), &bytes);
                    let kept = model.entry(*id).or_insert_with(|| vec![0; SIZE - HEADER]);
                    kept[usize::from(*at)..][..bytes.len()].copy_from_slice(&bytes);
                }
                change.commit().unwrap();
            }
            Step::Shift(id, from, to, length) => {
                let Some(kept) = model.get_mut(id) else { continue };
                let (from, to, length) = (usize::from(*from), usize::from(*to), usize::from(*length));
                let mut change = Change::begin(pages.cache(), 0, &mut room);
                let page = change.page(PageId(*id)).unwrap();
                change.shift(page, HEADER + from, HEADER + to, length);
                change.commit().unwrap();
                kept.copy_within(from..from + length, to);
            }
            Step::Abandon(id) => {
                if model.contains_key(id) {
                    let mut change = Change::begin(pages.cache(), 0, &mut room);
                    let page = change.page(PageId(*id)).unwrap();
                    change.write(page, HEADER, &[255; 2000]);
                }
                continue;
            }
            Step::Sync => {
                pages.log().sync(pages.log().end()).unwrap();
                history.promised.push((disks[0].moment(), history.states.len() - 1));
                continue;
            }
            Step::Checkpoint => {
                assert!(pages.checkpoint(&mut || true).unwrap());
                continue;
            }
            Step::HalfCheckpoint(some) => {
                let mut written = 0;
                let mut goes_on = || {
                    written += 1;
                    written <= *some
                };
                pages.checkpoint(&mut goes_on).unwrap();
                continue;
            }
        }
        history.states.push(model.clone());
    }
    history
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(500)))]

    /// Twice, as the second start builds on what the first one made of the log.
    #[test]
    fn after_any_crash_there_is_a_prefix_with_all_that_was_promised(
        before in prop::collection::vec(step(), 1..40), after in prop::collection::vec(step(), 1..25),
        cuts: [prop::sample::Index; 2], dice in prop::collection::vec(any::<bool>(), 97),
    ) {
        let mut dice = dice.iter().cycle();
        let mut disks = FaultyDisk::several([vec![], vec![]]);
        let mut pages = Pages::create(&options(), Arc::new(disks[0].clone()), Arc::new(disks[1].clone()), Ledger::default()).unwrap();
        let created = disks[0].moment();
        let mut known = BTreeMap::new();
        for (steps, cut) in [&before, &after].into_iter().zip(cuts) {
            let first = if known.is_empty() { created } else { disks[0].moment() };
            let history = play(&pages, &disks, steps, known);
            drop(pages);
            let moment = first + cut.index(disks[0].moment() + 1 - first);
            let images: Vec<_> = disks.iter().map(|disk| disk.after_power_loss(moment, &mut || *dice.next().unwrap())).collect();
            disks = FaultyDisk::several(images);
            pages = open(&disks).unwrap().0;
            let promised = history.promised.iter().rev().find(|(at, _)| *at <= moment).map_or(0, |(_, states)| *states);
            let found = history.states[promised..].iter().position(|state| {
                state.iter().all(|(id, bytes)| pages.cache().read(PageId(*id)).is_ok_and(|page| page[HEADER..] == bytes[..]))
            });
            prop_assert!(found.is_some(), "none of the states from {promised} of {} on", history.states.len());
            // The last that fits: a later state may be the same where a change has changed nothing.
            let state = history.states[promised..].iter().rev().find(|state| {
                state.iter().all(|(id, bytes)| pages.cache().read(PageId(*id)).is_ok_and(|page| page[HEADER..] == bytes[..]))
            });
            known = state.cloned().unwrap_or_default();
        }
        // Another start finds the same.
        let made: Vec<u32> = known.keys().copied().collect();
        drop(pages);
        let again = open(&disks).unwrap().0;
        prop_assert_eq!(contents(&again, &made), known);
    }
}

#[test]
fn a_clean_start_has_nothing_to_do_again() {
    let disks = FaultyDisk::several([vec![], vec![]]);
    let pages = Pages::create(&options(), Arc::new(disks[0].clone()), Arc::new(disks[1].clone()), Ledger::default()).unwrap();
    play(&pages, &disks, &[Step::Change(vec![(3, 1, 2, 3)]), Step::Checkpoint], BTreeMap::new());
    drop(pages);
    let (pages, redone) = open(&disks).unwrap();
    assert_eq!((redone.records, redone.log_bytes), (0, 0));
    assert_eq!(page::u32_at(&pages.cache().read(PageId(3)).unwrap(), HEADER), 0x0202_0200);
    // Nothing was written since, but no later start finds the same head.
    let (first, second) = (redone.settled.unwrap(), pages.settled().unwrap());
    assert!(second.log.incarnation == first.log.incarnation + 1 && second.sequence > first.sequence && second.mark != first.mark);
    play(&pages, &disks, &[Step::Change(vec![(3, 1, 2, 3)])], BTreeMap::new());
    assert_eq!(pages.settled(), None);
    pages.log().sync(pages.log().end()).unwrap();
    drop(pages);
    let (pages, redone) = open(&disks).unwrap();
    assert_eq!((redone.settled, redone.records), (None, 1));
    drop(pages);
    let other = PagesOptions { namespace_id: [2; 16], ..options() };
    let refused = Pages::open(&other, Arc::new(disks[0].clone()), Arc::new(disks[1].clone()), Ledger::default()).err().unwrap();
    assert_eq!(refused.code, ErrorCode::DataFileForeign);
}
