//! What the disks say of a loss, and what is there once it has been accepted.

use super::*;
use crate::paged::log::RING_AT;
use tessera_base::wait_until;
use tessera_io::faulty::Event;

/// What is done to a log.
type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);

fn images(disks: &[FaultyDisk]) -> Vec<Vec<u8>> {
    disks.iter().map(FaultyDisk::stable_image).collect()
}

fn open(images: &[Vec<u8>], accept_loss: bool) -> Result<Host> {
    Host::on(&FaultyDisk::several(images.to_vec()), PagedOptions { accept_loss, ..options() })
}

/// Why it does not open, and what is there where that is accepted; a start after that has nothing to say any more.
fn accepted(images: &[Vec<u8>]) -> (Error, BTreeMap<u64, u16>) {
    let error = open(images, false).err().unwrap();
    let disks = FaultyDisk::several(images.to_vec());
    let host = Host::on(&disks, PagedOptions { accept_loss: true, ..options() }).unwrap();
    assert_eq!(host.storage.recover(1, &NoSink).unwrap().losses, std::slice::from_ref(&error));
    let found = host.versions(1000);
    host.put(999, 7).unwrap();
    host.sync().unwrap();
    let after_a_crash = self::images(&disks);
    host.storage.close().unwrap();
    for images in [after_a_crash, self::images(&disks)] {
        let again = open(&images, false).unwrap();
        assert_eq!((again.version(999).unwrap(), again.versions(999)), (Some(7), found.clone()));
    }
    (error, found)
}

#[test]
fn damage_before_the_end_of_the_log_is_told_and_what_comes_before_it_is_left() {
    let (host, disks) = Host::fresh();
    // None is long: each is one record of the log.
    let key = |n: u64| n * 10 + 3;
    let put = |n: u64| {
        host.put(key(n), 1).unwrap();
        host.sync().unwrap();
    };
    (0..30).for_each(put);
    let from = host.storage.pages().log().end();
    (30..60).for_each(put);
    let mut images = images(&disks);
    images[1][(RING_AT + from) as usize + 60] ^= 1;
    let (error, found) = accepted(&images);
    assert_eq!(error.code, ErrorCode::LogDamaged, "{error}");
    assert!(error.message.contains("about 30 changes are missing; 29 of them are whole"), "{error}");
    assert!(error.message.contains(&format!("to byte {}", host.storage.pages().log().durable())), "{error}");
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), (0..30).map(key).collect::<Vec<_>>());
}

#[test]
fn damage_in_the_last_records_is_known_once_the_head_has_been_told_of_them() {
    let (host, disks) = Host::fresh();
    (0..30).for_each(|n| host.put(n, 1).unwrap());
    host.sync().unwrap();
    let from = host.storage.pages().log().durable();
    host.remove(3).unwrap();
    host.put(30, 1).unwrap();
    host.sync().unwrap();
    let damaged = |change: Damage<'_>| {
        let mut images = images(&disks);
        change(&mut images[1]);
        images
    };
    let at = (RING_AT + from) as usize;
    let cases: [Damage<'_>; 3] =
        [&|log| log[at + 30] ^= 1, &|log| log[at..].fill(0), &|log| log.truncate(at.next_multiple_of(4096) - 4096)];
    // Nobody knows yet that it was stable, as nothing was written since.
    assert_eq!(open(&damaged(cases[0]), false).unwrap().version(3).unwrap(), Some(1));
    host.storage.pages().note_stable().unwrap();
    for (case, change) in cases.iter().enumerate() {
        let (error, found) = accepted(&damaged(*change));
        assert_eq!(error.code, ErrorCode::LogDamaged, "case {case}: {error}");
        assert!(found.len() <= 30 && (case == 2 || found.len() == 30), "case {case}: {found:?}");
    }
    host.storage.pages().note_stable().unwrap();
    let written = disks[0].moment();
    host.storage.pages().note_stable().unwrap();
    assert_eq!(disks[0].moment(), written, "nothing is written while nothing is new");
}

#[test]
fn damage_in_the_last_records_is_known_once_nobody_has_written_for_a_moment() {
    let (host, disks) = Host::fresh();
    host.start_threads();
    (0..30).for_each(|n| host.put(n, 1).unwrap());
    host.sync().unwrap();
    let from = host.storage.pages().log().durable();
    host.remove(3).unwrap();
    host.sync().unwrap();
    wait_until(|| !host.storage.pages().log().has_news());
    // What the head of the pages may have been told meanwhile does not count: this is of before.
    host.storage.close().unwrap();
    drop(host);
    let events = disks[1].log();
    let noted = events.iter().rev().find(|(_, event)| matches!(event, Event::Write { offset, .. } if *offset == 8192));
    let (moment, _) = noted.unwrap();
    let mut images: Vec<_> = disks.iter().map(|disk| disk.after_power_loss(moment + 1, &mut || true)).collect();
    assert!(open(&images, false).unwrap().version(3).unwrap().is_none());
    images[1][(RING_AT + from) as usize..].fill(0);
    let (error, found) = accepted(&images);
    assert!(error.code == ErrorCode::LogDamaged && found.len() == 30, "{error}: {found:?}");
}

#[test]
fn a_torn_tail_that_nobody_was_told_of_is_no_loss() {
    let (host, disks) = Host::fresh();
    (0..30).for_each(|n| host.put(n, 1).unwrap());
    host.sync().unwrap();
    host.storage.pages().note_stable().unwrap();
    let (before, from) = (disks[0].moment(), host.storage.pages().log().end());
    (30..60).for_each(|n| host.put(n, 1).unwrap());
    assert!(host.storage.pages().log().end() > from + 8192, "one sector of it can be missing");
    host.sync().unwrap();
    // Of the last round's write each sector but one got there, and its sync did not come to its end.
    let events = before + 1;
    let mut found = vec![];
    for lost in 0..16 {
        let images: Vec<_> = disks
            .iter()
            .map(|disk| {
                let mut sector = 0;
                disk.after_power_loss(events, &mut || {
                    sector += 1;
                    sector != lost + 1
                })
            })
            .collect();
        found.push(open(&images, false).unwrap().versions(60).len());
    }
    assert!(found.iter().all(|many| (30..=60).contains(many)) && found.iter().any(|many| *many < 60), "{found:?}");
}

#[test]
fn a_power_loss_within_a_start_or_a_stop_is_no_loss() {
    let (host, disks) = Host::fresh();
    (0..50).for_each(|n| host.put(n, 1).unwrap());
    host.sync().unwrap();
    let begun = disks[0].moment();
    host.storage.close().unwrap();
    drop(host);
    for _ in 0..2 {
        let host = Host::on(&disks, options()).unwrap();
        host.put(3, 1).unwrap();
        host.sync().unwrap();
        host.storage.close().unwrap();
    }
    let mut dice = 7u32;
    let mut roll = || {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        dice >> 31 == 0
    };
    for moment in begun..=disks[0].moment() {
        let images: Vec<_> = disks.iter().map(|disk| disk.after_power_loss(moment, &mut roll)).collect();
        let again = open(&images, false).unwrap_or_else(|error| panic!("moment {moment} of {begun}..: {error}"));
        assert_eq!(again.versions(60).len(), 50, "moment {moment}");
    }
}

#[test]
fn a_file_of_another_time_than_the_other_is_named() {
    let (host, disks) = Host::fresh();
    (0..50).for_each(|n| host.put(n, 1).unwrap());
    host.sync().unwrap();
    let mut times = vec![images(&disks)];
    host.storage.checkpoint().unwrap();
    (0..50).for_each(|n| host.put(n, 2).unwrap());
    host.sync().unwrap();
    host.storage.pages().note_stable().unwrap();
    times.push(images(&disks));
    host.storage.close().unwrap();
    drop(host);
    times.push(images(&disks));
    let host = Host::on(&disks, options()).unwrap();
    (0..50).for_each(|n| host.remove(n).unwrap());
    host.sync().unwrap();
    host.storage.pages().note_stable().unwrap();
    times.push(images(&disks));
    host.storage.close().unwrap();
    drop(host);
    times.push(images(&disks));
    for (newer, images) in times.iter().enumerate() {
        assert!(open(images, false).is_ok(), "time {newer}");
        for (older, before) in times[..newer].iter().enumerate() {
            for mixed in [[&before[0], &images[1]], [&images[0], &before[1]]] {
                let error = open(&mixed.map(Clone::clone), false).err();
                let code = error.as_ref().map(|error| error.code);
                assert!(
                    matches!(code, Some(ErrorCode::DataRolledBack | ErrorCode::LogDamaged)),
                    "{older} and {newer}: {error:?}, the older are the {}",
                    if mixed[0] == &before[0] { "pages" } else { "log" }
                );
            }
        }
    }
    // All of them together are known by what the manifest keeps.
    let stamp = open(&times[4], false).unwrap().storage.stamp();
    for before in &times {
        let error = Host::on(&FaultyDisk::several(before.clone()), PagedOptions { stamp, ..options() }).err().unwrap();
        assert!(error.code == ErrorCode::DataRolledBack && error.message.contains("the manifest knows"), "{error}");
    }
    // Cut off: the pages as long as a head said that they were.
    let mut cut = times[4].clone();
    let half = cut[0].len() / 2;
    cut[0].truncate(half);
    let error = open(&cut, false).err().unwrap();
    assert!(error.code == ErrorCode::DataRolledBack && error.message.contains(&format!("has {half} bytes")), "{error}");
}

#[test]
fn pages_that_are_ahead_of_a_lost_log_are_served_whole_or_not_at_all() {
    let (host, disks) = Host::fresh();
    (0..400).for_each(|n| host.put(n, 1).unwrap());
    host.storage.checkpoint().unwrap();
    (0..400).step_by(7).for_each(|n| host.put(n, 2).unwrap());
    host.sync().unwrap();
    let log = host.storage.pages().log();
    let from = log.durable();
    (0..400).for_each(|n| host.put(n, 3).unwrap());
    host.sync().unwrap();
    // Pages leave the cache, and no checkpoint ends.
    host.storage.pages().cache().write_all_before(log.end(), &mut || true).unwrap();
    host.storage.pages().cache().sync().unwrap();
    host.put(1, 4).unwrap();
    host.sync().unwrap();
    let mut images = images(&disks);
    images[1][(RING_AT + from) as usize + 30] ^= 1;
    assert_eq!(open(&images, false).err().unwrap().code, ErrorCode::LogDamaged);
    let again = open(&images, true).unwrap();
    let (found, losses) = (again.versions(400), again.storage.recover(1, &NoSink).unwrap().losses);
    // As the log has it up to the damage, or newer; and each that is missing is counted.
    let logged = |n: u64| if n.is_multiple_of(7) { 2 } else { 1 };
    assert!(found.iter().all(|(n, version)| [logged(*n), 3].contains(version)), "{found:?}");
    assert!(!found.is_empty() && found.len() < 400, "{} are left", found.len());
    let lost = format!("removed since: {} (", 400 - found.len());
    assert!(losses.len() == 2 && losses[1].message.contains(&lost), "{losses:?}");
    (0..400).for_each(|n| again.put(n, 5).unwrap());
    again.storage.close().unwrap();
    assert!(again.versions(400).values().all(|version| *version == 5));
}

#[test]
fn pages_without_a_head_are_opened_with_what_is_left() {
    let (host, disks) = Host::fresh();
    (0..100).for_each(|n| host.put(n, 1).unwrap());
    host.storage.checkpoint().unwrap();
    (0..10).for_each(|n| host.put(n, 2).unwrap());
    host.sync().unwrap();
    let mut images = images(&disks);
    images[0][..2 * 4096].fill(0);
    let (error, found) = accepted(&images);
    assert!(error.code == ErrorCode::LogDamaged && error.message.contains("both copies"), "{error}");
    assert!(found.len() == 100 && found.values().all(|version| *version == 1), "{found:?}");
}
