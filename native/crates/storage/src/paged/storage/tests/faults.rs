//! Disks that fail: what is refused, what goes on, and what is there afterwards.

use super::*;
use tessera_base::wait_until;
use tessera_io::faulty::Fault;

fn reopened(disks: &[FaultyDisk]) -> Host {
    let images = disks.iter().map(FaultyDisk::stable_image);
    Host::on(&FaultyDisk::several(images), options()).unwrap()
}

fn code(outcome: Result<()>) -> Option<ErrorCode> {
    outcome.err().map(|error| error.code)
}

#[test]
fn pages_that_cannot_be_written_keep_writes_out_until_they_can() {
    let faults = [
        (Fault::Write(28), ErrorCode::DeviceFull),
        (Fault::ShortWrite(1024), ErrorCode::DeviceFull),
        (Fault::Write(5), ErrorCode::StorageFailed),
    ];
    for (fault, expected) in faults {
        let (host, disks) = Host::fresh();
        host.start_threads();
        (0..300).for_each(|n| host.put(n, 1).unwrap());
        host.sync().unwrap();
        disks[0].set_fault(Some(fault));
        assert_eq!(code(host.storage.checkpoint()), Some(expected), "{fault:?}");
        assert_eq!(host.storage.failure().map(|error| error.code), Some(expected));
        assert_eq!(code(host.put(1, 2)), Some(expected), "{fault:?}");
        assert_eq!(code(host.remove(1)), Some(expected));
        assert_eq!(host.versions(300).len(), 300, "reads go on");
        // A power loss now: the log has all.
        assert_eq!(reopened(&disks).versions(300).len(), 300);
        disks[0].set_fault(None);
        wait_until(|| host.put(1, 2).is_ok());
        host.storage.checkpoint().unwrap();
        let report = Monitor::report(&host.storage);
        assert!(report.failed_flushes > 0 && report.failure.is_none() && report.last_failure.is_some(), "{report:?}");
        host.storage.close().unwrap();
        let again = reopened(&disks);
        assert_eq!((again.version(1).unwrap(), again.versions(300).len()), (Some(2), 300));
    }
}

#[test]
fn a_log_that_cannot_be_written_keeps_writes_out_until_it_can_and_loses_nothing() {
    let faults = [
        (Fault::Write(28), ErrorCode::DeviceFull),
        (Fault::ShortWrite(512), ErrorCode::DeviceFull),
        (Fault::Write(5), ErrorCode::StorageFailed),
        (Fault::Sync(5), ErrorCode::StorageFailed),
    ];
    for (fault, expected) in faults {
        let (host, disks) = Host::fresh();
        host.start_threads();
        (0..100).for_each(|n| host.put(n, 1).unwrap());
        host.sync().unwrap();
        disks[1].set_fault(Some(fault));
        host.put(100, 1).unwrap();
        assert_eq!(code(host.sync()), Some(expected), "{fault:?}");
        assert_eq!(code(host.put(101, 1)), Some(expected), "{fault:?}");
        assert_eq!(code(host.storage.checkpoint()), Some(expected));
        assert_eq!(host.versions(102).len(), 101, "reads go on, and see what was not acknowledged");
        assert_eq!(reopened(&disks).versions(102).len(), 100);
        disks[1].set_fault(None);
        // Whoever waits next tries again.
        host.sync().unwrap();
        host.put(101, 1).unwrap();
        host.sync().unwrap();
        assert_eq!(reopened(&disks).versions(102).len(), 102);
        host.storage.close().unwrap();
        assert_eq!(reopened(&disks).versions(102).len(), 102);
    }
}

#[test]
fn a_sync_of_the_pages_that_fails_ends_checkpoints_until_the_next_start() {
    let (host, disks) = Host::fresh();
    host.start_threads();
    (0..200).for_each(|n| host.put(n, 1).unwrap());
    host.storage.checkpoint().unwrap();
    (0..200).for_each(|n| host.put(n, 2).unwrap());
    host.sync().unwrap();
    disks[0].set_fault(Some(Fault::Sync(5)));
    assert_eq!(code(host.storage.checkpoint()), Some(ErrorCode::StorageFailed));
    disks[0].set_fault(None);
    assert_eq!(code(host.storage.checkpoint()), Some(ErrorCode::StorageFailed), "what was written before may be lost");
    assert_eq!(code(host.put(1, 3)), Some(ErrorCode::StorageFailed));
    host.storage.close().unwrap();
    let again = reopened(&disks);
    assert!(again.versions(200).values().all(|version| *version == 2));
    assert!(again.storage.failure().is_none());
    again.put(1, 3).unwrap();
    again.storage.checkpoint().unwrap();
}

#[test]
fn a_flipped_bit_costs_what_is_in_its_page_and_is_named() {
    let (host, disks) = Host::fresh();
    (0..400).for_each(|n| host.put(n, 1).unwrap());
    host.storage.close().unwrap();
    let victim = host.segment(7).read().seek(&digest(7)).unwrap().unwrap().1;
    let page = bodies::Place::of(victim.location).page;
    let images: Vec<_> = disks.iter().map(FaultyDisk::stable_image).collect();
    let disks = FaultyDisk::several(images);
    disks[0].flip(page.offset(options().page_size) + 1000, 2);
    let again = Host::on(&disks, options()).unwrap();
    let error = again.version(7).unwrap_err();
    assert_eq!((error.code, error.message.contains(&format!("page {}", page.0))), (ErrorCode::RecordDamaged, true), "{error}");
    let sound = (0..400).filter(|n| again.version(*n).is_ok_and(|version| version == Some(1))).count();
    assert!((300..400).contains(&sound), "{sound} of 400");
}

#[test]
fn a_slow_log_lets_reads_go_on_and_writers_wait_no_longer_than_they_are_told() {
    let disks = FaultyDisk::several([vec![], vec![]]);
    let host = Host::on(&disks, PagedOptions { create: true, stall_timeout: Duration::from_millis(30), ..options() }).unwrap();
    host.start_threads();
    (0..50).for_each(|n| host.put(n, 1).unwrap());
    host.sync().unwrap();
    let held = disks[1].hold_syncs();
    let refused = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| host.sync());
        let refused = (0..).map(|round| (0..50).try_for_each(|n| host.put(n, round as u16 % 1000 + 2))).find_map(Result::err);
        assert_eq!(host.versions(50).len(), 50);
        drop(held);
        waiting.join().unwrap().unwrap();
        refused.unwrap()
    });
    assert_eq!(refused.code, ErrorCode::DeviceOverload, "{refused}");
    wait_until(|| host.put(1, 1).is_ok());
}

#[test]
fn a_page_that_is_torn_as_it_is_written_is_whole_again_after_the_start() {
    let (host, disks) = Host::fresh();
    (0..300).for_each(|n| host.put(n, 1).unwrap());
    host.storage.checkpoint().unwrap();
    (0..300).for_each(|n| host.put(n, 2).unwrap());
    host.sync().unwrap();
    let before = disks[0].moment();
    // A checkpoint that is under way: of each sector of what it writes, another fate.
    host.storage.checkpoint().unwrap();
    let after = disks[0].moment();
    for moment in (before..after).step_by(3) {
        let mut dice = 0u32;
        let images: Vec<_> = disks
            .iter()
            .map(|disk| {
                disk.after_power_loss(moment, &mut || {
                    dice = dice.wrapping_mul(1_664_525).wrapping_add(moment as u32 | 1);
                    dice >> 31 == 0
                })
            })
            .collect();
        let again = Host::on(&FaultyDisk::several(images), options()).unwrap();
        let found = again.versions(300);
        assert!(found.len() == 300 && found.values().all(|version| *version == 2), "moment {moment} of {before}..{after}");
    }
}

/// Faults of both disks come and go between writes, checkpoints and notes in the head; then the power goes at some moment of it all.
#[test]
fn whatever_fails_before_a_power_loss_nothing_acknowledged_is_lost_and_nothing_is_called_so() {
    const FAULTS: [Option<Fault>; 7] = [
        None,
        None,
        Some(Fault::Write(5)),
        Some(Fault::Write(28)),
        Some(Fault::ShortWrite(512)),
        Some(Fault::ShortWrite(4096)),
        Some(Fault::Sync(5)),
    ];
    for seed in 1..=80u64 {
        let mut word = seed;
        let mut roll = |sides: u64| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 33) % sides
        };
        let (host, disks) = Host::fresh();
        let (mut state, first) = (BTreeMap::new(), disks[0].moment());
        let (mut states, mut promised) = (vec![BTreeMap::new()], vec![(first, 0)]);
        for step in 0..90 {
            let n = roll(40);
            match roll(12) {
                0 => drop(host.storage.checkpoint()),
                1 => drop(host.storage.pages().note_stable()),
                2 | 3 => disks[roll(2) as usize].set_fault(FAULTS[roll(7) as usize]),
                4..6 if host.sync().is_ok() => promised.push((disks[0].moment(), states.len() - 1)),
                4..6 => {}
                6 if host.remove(n).is_ok() => drop(state.remove(&n)),
                6 => {}
                _ if host.put(n, step + 1).is_ok() => drop(state.insert(n, step + 1)),
                _ => {}
            }
            states.push(state.clone());
        }
        assert_eq!(host.versions(40), state, "seed {seed}: what was refused has changed nothing");
        let last = disks[0].moment();
        for moment in [last, first + roll((last - first) as u64 + 1) as usize, first + roll((last - first) as u64 + 1) as usize] {
            let images: Vec<_> = disks.iter().map(|disk| disk.after_power_loss(moment, &mut || roll(2) == 0)).collect();
            let again = Host::on(&FaultyDisk::several(images), options()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let from = promised.iter().rev().find(|(at, _)| *at <= moment).map_or(0, |(_, states)| *states);
            let found = again.versions(40);
            assert!(states[from..].contains(&found), "seed {seed}, moment {moment}: {found:?} is none of the states from {from} on");
        }
    }
}
