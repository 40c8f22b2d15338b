use super::*;
use proptest::prelude::*;
use tessera_base::wait_until;
use tessera_io::faulty::{Fault, FaultyDisk};

const CAPACITY: u64 = 2 * (RECORD_HEADER + PAYLOAD_MAX) as u64 / BLOCK * BLOCK + BLOCK;

fn log(disk: &FaultyDisk, start: LogStart) -> Log {
    Log::open(Arc::new(disk.clone()), CAPACITY, start.redo, start.incarnation).unwrap()
}

fn found(image: Vec<u8>, start: LogStart) -> (Vec<(u16, Vec<u8>, Lsn)>, Lsn) {
    let mut all = Vec::new();
    let disk = FaultyDisk::with(image);
    let end = replay(&disk, CAPACITY, start, &mut |record| {
        all.push((record.segment, record.payload.to_vec(), record.end));
        Ok(())
    });
    end.unwrap();
    let end = all.last().map_or(start.redo, |(_, _, end)| *end);
    (all, end)
}

const START: LogStart = LogStart { redo: 0, incarnation: 1 };

#[test]
fn what_was_synced_is_found_and_what_was_not_may_be_missing() {
    let disk = FaultyDisk::default();
    let log = log(&disk, START);
    let first = log.append(3, b"one", 0, 0).unwrap();
    let second = log.append(4, &[9; 10_000], 0, 0).unwrap();
    log.sync(second).unwrap();
    let third = log.append(5, b"three", 0, 0).unwrap();
    assert_eq!(log.end(), third);
    assert!(log.durable() >= second && log.durable() <= third - RECORD_HEADER as u64 - 5, "up to the mark behind the second");
    let expected = vec![(3, b"one".to_vec(), first), (4, vec![9; 10_000], second)];
    assert_eq!(found(disk.stable_image(), START), (expected.clone(), second));
    log.sync(third).unwrap();
    let (all, end) = found(disk.stable_image(), START);
    assert_eq!((all.len(), end), (3, third));
}

#[test]
fn a_record_of_an_earlier_start_is_not_taken_for_one() {
    let disk = FaultyDisk::default();
    let before = log(&disk, START);
    let end = before.append(1, &[1; 100], 0, 0).and_then(|_| before.append(1, &[2; 100], 0, 0)).unwrap();
    before.sync(end).unwrap();
    // The second record was lost to the one who started anew, and wrote one of the same length in place of the first.
    let again = LogStart { incarnation: 2, ..START };
    let after = log(&disk, again);
    let end = after.append(7, &[3; 100], 0, 0).unwrap();
    after.sync(end).unwrap();
    assert_eq!(found(disk.image(), again), (vec![(7, vec![3; 100], end)], end));
}

#[test]
fn redo_begins_at_a_checkpoint_and_reads_over_one_that_never_ended() {
    let disk = FaultyDisk::default();
    let log = log(&disk, START);
    log.append(1, b"before", 0, 0).unwrap();
    let redo = log.begin_checkpoint().unwrap();
    assert!(redo.is_multiple_of(BLOCK) && redo > 0);
    assert!(matches!(log.append(1, b"late", 0, 0), Err(Refused::RedoMoved)));
    let end = log.append(2, b"after", 0, redo).unwrap();
    log.sync(end).unwrap();
    assert_eq!(
        found(disk.image(), START).0.iter().map(|(_, payload, _)| &payload[..]).collect::<Vec<_>>(),
        [b"before".as_slice(), b"after"]
    );
    assert_eq!(found(disk.image(), LogStart { redo, ..START }).0, [(2, b"after".to_vec(), end)]);
    assert_eq!(log.begin_checkpoint().unwrap(), end.next_multiple_of(BLOCK));
}

#[test]
fn a_full_ring_waits_for_a_checkpoint_and_then_goes_round() {
    let disk = FaultyDisk::default();
    let log = log(&disk, START);
    let (payload, mut redo, mut laps) = (vec![5; 8 * 1024 * 1024], 0, 0);
    while laps < 3 {
        match log.append(1, &payload, 0, redo) {
            Ok(end) => log.sync(end).unwrap(),
            Err(Refused::Full) => {
                redo = log.begin_checkpoint().unwrap();
                log.end_checkpoint(redo);
                laps += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    let end = log.append(2, &payload, 0, redo).and_then(|_| log.append(3, b"last", 0, redo)).unwrap();
    log.sync(end).unwrap();
    let (all, found_end) = found(disk.image(), LogStart { redo, ..START });
    assert_eq!((all.iter().map(|(segment, ..)| *segment).collect::<Vec<_>>(), found_end), (vec![2, 3], end));
    assert!(log.end() > CAPACITY, "the ring was never gone round");
    assert!(disk.length().unwrap() <= RING_AT + CAPACITY);
}

#[test]
fn what_could_not_be_written_is_written_again_before_anything_else() {
    let disk = FaultyDisk::default();
    let log = log(&disk, START);
    let first = log.append(1, b"good", 0, 0).unwrap();
    log.sync(first).unwrap();
    let mut expected = vec![(1, b"good".to_vec(), first)];
    let faults = [
        (Fault::Sync(5), ErrorCode::StorageFailed),
        (Fault::Write(28), ErrorCode::DeviceFull),
        (Fault::ShortWrite(512), ErrorCode::DeviceFull),
        (Fault::Write(5), ErrorCode::StorageFailed),
    ];
    for (fault, code) in faults {
        let payload = vec![7; 9000];
        let end = log.append(2, &payload, 0, 0).unwrap();
        disk.set_fault(Some(fault));
        assert_eq!(log.sync(end).unwrap_err().code, code, "{fault:?}");
        assert_eq!(log.failure().unwrap().code, code);
        assert!(matches!(log.append(1, b"more", 0, 0), Err(Refused::Failed(error)) if error.code == code));
        assert_eq!(log.admit(Instant::now()).unwrap_err().code, code);
        assert!(log.sync(end).is_err() && log.durable() < end);
        assert_eq!(found(disk.stable_image(), START).0, expected);
        disk.set_fault(None);
        log.sync(end).unwrap();
        expected.push((2, payload, end));
        assert_eq!((found(disk.stable_image(), START).0, log.failure()), (expected.clone(), None));
    }
    log.close(Error::new(ErrorCode::Closed, "over"));
    assert!(matches!(log.append(1, b"late", 0, 0), Err(Refused::Failed(error)) if error.code == ErrorCode::Closed));
    assert!(log.sync(log.end()).is_ok(), "all is there");
}

#[test]
fn writers_wait_for_a_checkpoint_while_the_ring_is_nearly_full_and_no_longer_than_they_say() {
    let disk = FaultyDisk::default();
    let log = log(&disk, START);
    let payload = vec![1; 1024 * 1024];
    while log.needed_bytes() <= CAPACITY / 8 * 7 {
        let end = log.append(1, &payload, 0, 0).unwrap();
        log.sync(end).unwrap();
    }
    assert_eq!(log.admit(Instant::now()).unwrap_err().code, ErrorCode::DeviceOverload);
    let far = Instant::now() + std::time::Duration::from_secs(600);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| log.admit(far));
        let redo = log.begin_checkpoint().unwrap();
        log.end_checkpoint(redo);
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(log.needed_bytes(), 0);
}

#[test]
fn a_ring_that_is_full_has_room_for_a_checkpoint_to_begin() {
    let log = log(&FaultyDisk::default(), START);
    let mut length = PAYLOAD_MAX;
    while length > 0 {
        match log.append(1, &vec![1; length], 0, 0) {
            Ok(end) => log.sync(end).unwrap(),
            Err(_) => length /= 2,
        }
    }
    let redo = log.begin_checkpoint().unwrap();
    log.end_checkpoint(redo);
    assert!(log.append(1, &[1; 100], 0, redo).is_ok());
}

/// Three rounds, each synced, and where each ends.
fn rounds() -> (FaultyDisk, Vec<Lsn>) {
    let disk = FaultyDisk::default();
    let log = log(&disk, START);
    let ends = (0..3u8).map(|n| {
        let end = (0..4).map(|_| log.append(1, &vec![n + 1; 3000], 0, 0).unwrap()).last().unwrap();
        log.sync(end).unwrap();
        end
    });
    let ends = ends.collect();
    (disk, ends)
}

#[test]
fn what_follows_damage_tells_that_it_is_no_end() {
    let (disk, ends) = rounds();
    let image = disk.image();
    let look = |image: Vec<u8>| {
        let disk = FaultyDisk::with(image);
        let replayed = replay(&disk, CAPACITY, START, &mut |_| Ok(())).unwrap();
        (replayed, look_behind(&disk, CAPACITY, START, replayed.end).unwrap())
    };
    let (whole, behind) = look(image.clone());
    assert_eq!((whole.records, behind), (12, Behind::default()));
    for at in (0..ends[2] as usize).step_by(97) {
        let mut damaged = image.clone();
        damaged[RING_AT as usize + at] ^= 16;
        let (replayed, behind) = look(damaged);
        assert!(replayed.end <= at as u64 && replayed.records < 12);
        // What lies behind the one record that is damaged is whole; the last round is said to be stable by nothing in the log.
        let of_last_round = at as u64 >= ends[1] + (RECORD_HEADER + Mark::BYTES) as u64;
        assert!(behind.records >= 11 - replayed.records, "{at}: {replayed:?}, {behind:?}");
        assert_eq!(behind.mark.stable > replayed.end, !of_last_round, "{at}: {replayed:?}, {behind:?}");
    }
    // A whole block of zeros, and two that changed places.
    for n in 0..(ends[1] / BLOCK) as usize {
        for swapped in [false, true] {
            let mut damaged = image.clone();
            let (_, ring) = damaged.split_at_mut(RING_AT as usize);
            let (own, next) = ring[n * BLOCK as usize..].split_at_mut(BLOCK as usize);
            if swapped {
                own.swap_with_slice(&mut next[..BLOCK as usize])
            } else {
                own.fill(0)
            }
            let (replayed, behind) = look(damaged);
            assert!(behind.mark.stable > replayed.end, "block {n}: {replayed:?}, {behind:?}");
        }
    }
}

#[test]
fn a_panic_while_the_log_is_written_ends_it_and_lets_everybody_go() {
    let disk = FaultyDisk::default();
    let log = log(&disk, START);
    let end = log.append(1, b"one", 0, 0).unwrap();
    disk.set_fault(Some(Fault::Panic));
    let held = disk.hold_syncs();
    std::thread::scope(|scope| {
        let flushing = scope.spawn(|| log.sync(end));
        wait_until(|| log.pending_bytes() == 0);
        // Waits for the round under way, or comes when it is over.
        let waiting = scope.spawn(|| log.sync(end));
        drop(held);
        let outcomes = [flushing.join(), waiting.join()];
        assert!(outcomes.iter().any(std::result::Result::is_err), "nobody met the panic");
    });
    disk.set_fault(None);
    assert_eq!(log.sync(end).unwrap_err().code, ErrorCode::NamespacePoisoned);
    assert!(matches!(log.append(1, b"more", 0, 0), Err(Refused::Failed(error)) if error.code == ErrorCode::NamespacePoisoned));
    assert_eq!(log.failure().map(|error| error.code), Some(ErrorCode::NamespacePoisoned));
    assert_eq!(log.admit(Instant::now()).unwrap_err().code, ErrorCode::NamespacePoisoned);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_power_loss_leaves_a_prefix_with_all_that_was_acknowledged(
        records in prop::collection::vec((0..300usize, any::<bool>()), 1..60), cut: prop::sample::Index, dice in prop::collection::vec(any::<bool>(), 64),
    ) {
        let disk = FaultyDisk::default();
        let log = log(&disk, START);
        let (mut all, mut acknowledged) = (Vec::new(), Vec::new());
        for (n, (length, sync)) in records.iter().enumerate() {
            let payload = vec![n as u8; *length * 30];
            let end = log.append(n as u16, &payload, 0, 0).unwrap();
            all.push((n as u16, payload, end));
            if *sync {
                log.sync(end).unwrap();
                acknowledged.push((disk.moment(), all.len()));
            }
        }
        let moment = cut.index(disk.moment() + 1);
        let mut dice = dice.iter().cycle();
        let (there, end) = found(disk.after_power_loss(moment, &mut || *dice.next().unwrap()), START);
        let promised = acknowledged.iter().rev().find(|(at, _)| *at <= moment).map_or(0, |(_, count)| *count);
        prop_assert!(there.len() >= promised, "{} of {promised}", there.len());
        prop_assert_eq!(&there[..], &all[..there.len()]);
        prop_assert_eq!(end, there.last().map_or(0, |(_, _, end)| *end));
    }
}
