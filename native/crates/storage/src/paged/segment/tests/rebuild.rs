//! The index made anew: from sound pages, from damaged ones, and when the power fails meanwhile.

use super::rig::{Model, Rig, SEGMENTS, SIZES, body, code, step};
use crate::paged::page::Kind;
use crate::paged::pages::Pages;
use proptest::prelude::*;
use std::collections::BTreeMap;
use tessera_base::ErrorCode;
use tessera_io::faulty::FaultyDisk;

fn images(rig: &Rig) -> Vec<Vec<u8>> {
    rig.disks.iter().map(FaultyDisk::image).collect()
}

/// Records of every length in both segments, some of them changed and removed since, all of it on
/// the disk.
fn filled(size: u32) -> Rig {
    let mut rig = Rig::new(size, 1 << 20);
    let length = |n: i64| if n % 50 == 7 { size as usize * 2 } else { n as usize * 7 % 500 };
    (0..400).for_each(|n| rig.put((n % 2) as u16, n, n as usize % 4, &body(length(n), n as u8)).unwrap());
    rig.checkpoint();
    (0..400).step_by(3).for_each(|n| rig.put((n % 2) as u16, n, n as usize % 4, &body(length(n), 99)).unwrap());
    (0..400).step_by(11).for_each(|n| rig.remove((n % 2) as u16, n).unwrap());
    rig.checkpoint();
    rig
}

/// What is there is as it was, and all that an operation needs is.
fn goes_on(rig: &mut Rig, before: &Model) {
    let found = rig.contents();
    found.iter().for_each(|(key, record)| assert_eq!(before.get(key), Some(record), "{key:?}"));
    rig.model = found;
    for n in 0..60 {
        rig.put((n % 2) as u16, n * 7, n as usize % 4, &body(if n % 20 == 3 { 9000 } else { 100 }, 5)).unwrap();
        rig.remove((n % 2) as u16, n * 7 + 2).unwrap();
    }
    rig.check();
    rig.reopen();
    rig.check();
    rig.checkpoint();
    rig.reopen();
    rig.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(40)))]

    /// Twice: what the first one has left behind is of no record.
    #[test]
    fn of_sound_pages_nothing_is_lost(
        size in prop::sample::select(&SIZES[..]), parts in prop::collection::vec(prop::collection::vec(step(150), 1..150), 1..4),
    ) {
        let mut rig = Rig::new(size, 1 << 20);
        for steps in parts {
            steps.iter().for_each(|step| rig.play(step));
            rig.sync();
            rig.accept(FaultyDisk::several(images(&rig))).unwrap();
            prop_assert_eq!(&rig.report, &None);
            rig.check();
            rig.reopen();
            rig.check();
        }
    }

    /// Several pages are damaged at once.
    #[test]
    fn of_damaged_pages_the_rest_is_left(size in prop::sample::select(&SIZES[..3]), pages in prop::collection::vec(any::<prop::sample::Index>(), 1..6), whole: bool) {
        let mut rig = filled(size);
        let (before, mut images, size) = (rig.model.clone(), images(&rig), size as usize);
        for page in pages {
            let at = (Pages::FIRST as usize + page.index(images[0].len() / size - Pages::FIRST as usize)) * size;
            if whole { images[0][at..at + size].fill(0) } else { images[0][at + 40] ^= 8 }
        }
        rig.accept(FaultyDisk::several(images)).unwrap();
        goes_on(&mut rig, &before);
    }
}

#[test]
fn each_page_that_is_damaged_costs_what_it_held_and_nothing_else() {
    let mut rig = filled(4096);
    let (before, sound) = (rig.model.clone(), images(&rig));
    let (mut refused, mut costly, mut met) = (0, vec![], BTreeMap::<_, usize>::new());
    for page in Pages::FIRST as usize..sound[0].len() / 4096 {
        let bytes = &sound[0][page * 4096..(page + 1) * 4096];
        let Some(kind) = Kind::of(bytes) else { continue };
        // The first of each kind, and some of the others.
        let met = met.entry(kind.name()).or_default();
        *met += 1;
        if *met > 2 && !met.is_multiple_of(tessera_base::one_in()) {
            continue;
        }
        let mut damaged = sound.clone();
        damaged[0][page * 4096 + 100] ^= 1;
        refused += u32::from(rig.open(FaultyDisk::several(damaged.clone())).is_err());
        rig.accept(FaultyDisk::several(damaged)).unwrap();
        let report = rig.report.clone().unwrap();
        assert!(report.code == ErrorCode::RecordDamaged && report.message.contains(&format!("damaged pages: 1 ({page})")), "{report}");
        let lost = before.len() - rig.contents().len();
        assert_eq!(report.message.contains(&format!("removed since: {lost} (")), lost > 0, "page {page} ({}): {report}", kind.name());
        if lost > 0 {
            assert!(matches!(kind, Kind::Data | Kind::Overflow | Kind::SlotMap) && lost < 120, "page {page} ({}): {lost}", kind.name());
            costly.push(kind.name());
        }
        goes_on(&mut rig, &before);
    }
    assert!(refused > 3 && ["data", "overflow", "slot_map"].iter().all(|kind| costly.contains(kind)), "{refused} refused, {costly:?}");
}

/// Pages of all kinds but those that hold records are gone.
#[test]
fn without_any_page_that_is_derived_nothing_is_lost() {
    for size in SIZES {
        let mut rig = filled(size);
        let (before, mut images, size) = (rig.model.clone(), images(&rig), size as usize);
        let first = Pages::FIRST as usize + usize::from(SEGMENTS) + 1;
        for (number, page) in images[0].chunks_exact_mut(size).enumerate().skip(Pages::FIRST as usize) {
            let names = number >= first && Kind::of(page) == Some(Kind::Namespace);
            if !names && !matches!(Kind::of(page), Some(Kind::Data | Kind::Overflow | Kind::SlotMap)) {
                page[30] ^= 1;
            }
        }
        rig.accept(FaultyDisk::several(images)).unwrap();
        assert_eq!(rig.contents(), before);
        goes_on(&mut rig, &before);
    }
}

#[test]
fn names_of_sets_are_there_twice() {
    let mut rig = filled(4096);
    let (before, sound) = (rig.model.clone(), images(&rig));
    let first = Pages::FIRST as usize + usize::from(SEGMENTS) + 1;
    let pages = sound[0].chunks_exact(4096).enumerate().skip(first);
    let names: Vec<usize> = pages.filter(|(_, page)| Kind::of(page) == Some(Kind::Namespace)).map(|(number, _)| number).collect();
    assert_eq!(names.len(), 2);
    for lost in [&names[..1], &names[1..], &names[..]] {
        let mut images = sound.clone();
        lost.iter().for_each(|page| images[0][page * 4096..(page + 1) * 4096].fill(7));
        rig.accept(FaultyDisk::several(images)).unwrap();
        let left = rig.contents();
        // Of a name that is gone twice the records are, too: those of no set are left.
        let expected: Model = before.clone().into_iter().filter(|(_, (set, ..))| lost.len() < 2 || *set == 0).collect();
        assert_eq!(left, expected);
        goes_on(&mut rig, &before);
    }
}

#[test]
fn a_power_loss_leaves_what_failed_or_what_was_rebuilt() {
    let mut rig = filled(4096);
    let (before, mut damaged) = (rig.model.clone(), images(&rig));
    // The namespace's own page, so that no start gets by; and a leaf.
    let page = Pages::FIRST as usize + usize::from(SEGMENTS);
    damaged[0][page * 4096 + 100] ^= 1;
    rig.accept(FaultyDisk::several(damaged)).unwrap();
    let (disks, last) = (rig.disks.clone(), rig.disks[0].moment());
    let mut dice = 7u32;
    let mut roll = || {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        dice >> 31 == 0
    };
    let (mut failed, mut whole) = (0, 0);
    for moment in 0..=last {
        let images: Vec<_> = disks.iter().map(|disk| disk.after_power_loss(moment, &mut roll)).collect();
        match rig.open(FaultyDisk::several(images.clone())) {
            Err(error) => {
                assert!(error.is_loss(), "moment {moment}: {error}");
                failed += 1;
                rig.accept(FaultyDisk::several(images)).unwrap();
            }
            Ok(()) => whole += 1,
        }
        assert_eq!(rig.contents(), before, "moment {moment}");
        assert_eq!(code(rig.open(FaultyDisk::several(self::images(&rig)))), None);
    }
    assert!(failed > 10 && whole > 0, "{failed} failed, {whole} were whole");
}
