use super::rig::{Model, Rig, SIZES, Step, step};
use crate::paged::cache::ledger::Ledger;
use crate::paged::pages::Pages;
use proptest::prelude::*;
use tessera_io::faulty::FaultyDisk;

/// What there was after each step, and what was promised: events so far on the disks when it was, and how many steps.
fn play(rig: &mut Rig, steps: &[Step]) -> (Vec<Model>, Vec<(usize, usize)>) {
    let (mut states, mut promised) = (vec![rig.model.clone()], vec![]);
    for step in steps {
        // Many removals are as many changes: each is a state.
        if let Step::RemoveMany(segment, from) = step {
            let keys: Vec<_> = rig.model.range((*segment, *from)..=(*segment, i64::MAX)).map(|((_, n), _)| *n).collect();
            for n in keys {
                rig.remove(*segment, n).unwrap();
                states.push(rig.model.clone());
            }
            continue;
        }
        rig.play(step);
        states.push(rig.model.clone());
        if matches!(step, Step::Sync | Step::Checkpoint) {
            rig.sync();
            promised.push((rig.disks[0].moment(), states.len() - 1));
        }
    }
    (states, promised)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(120)))]

    /// Twice, as the second start builds on what the first one found.
    #[test]
    fn after_a_power_loss_there_is_a_prefix_with_all_that_was_promised(
        size in prop::sample::select(&SIZES[..3]), before in prop::collection::vec(step(30), 1..60), after in prop::collection::vec(step(30), 1..40),
        cuts: [prop::sample::Index; 2], dice in prop::collection::vec(any::<bool>(), 97),
    ) {
        let mut dice = dice.iter().cycle();
        let mut rig = Rig::new(size, 1 << 20);
        for (steps, cut) in [&before, &after].into_iter().zip(cuts) {
            let first = rig.disks[0].moment();
            let (states, promised) = play(&mut rig, steps);
            let moment = first + cut.index(rig.disks[0].moment() + 1 - first);
            let images: Vec<_> = rig.disks.iter().map(|disk| disk.after_power_loss(moment, &mut || *dice.next().unwrap())).collect();
            rig.open(FaultyDisk::several(images)).unwrap();
            let found = rig.contents();
            let least = promised.iter().rev().find(|(at, _)| *at <= moment).map_or(0, |(_, states)| *states);
            prop_assert!(states[least..].contains(&found), "none of the states from {} of {} on", least, states.len());
            rig.model = found;
        }
        rig.reopen();
        rig.check();
    }
}

#[test]
fn a_start_with_other_segments_is_refused() {
    let rig = Rig::new(4096, 1 << 20);
    rig.checkpoint();
    let images: Vec<_> = rig.disks.iter().map(FaultyDisk::image).collect();
    let disks = FaultyDisk::several(images);
    for segments in [1, 3, 0, 5000] {
        let (pages, _) =
            Pages::open(&rig.options, std::sync::Arc::new(disks[0].clone()), std::sync::Arc::new(disks[1].clone()), Ledger::default())
                .unwrap();
        assert!(super::super::Store::open(pages, segments, 1 << 20).is_err(), "{segments}");
    }
}
