//! Many records at once: what is asked for is what comes, whatever happens to the pages meanwhile.

use super::*;
use crate::BodyReader;

const RECORDS: u64 = 3000;

/// A storage with nothing in its cache but what opening looked at.
fn cold() -> (Host, Vec<FaultyDisk>) {
    let (host, disks) = Host::fresh();
    (0..RECORDS).for_each(|n| host.put(n, 1).unwrap());
    host.storage.close().unwrap();
    let disks = FaultyDisk::several(disks.iter().map(FaultyDisk::stable_image));
    (Host::on(&disks, options()).unwrap(), disks)
}

/// Reads every record by a reader; answers those that were there as their index entry said, and the errors.
fn read_all(host: &Host, mut reader: Box<dyn BodyReader>, between: &mut dyn FnMut(u64)) -> (u64, Vec<ErrorCode>) {
    let mut wanted: Vec<_> = (0..RECORDS)
        .map(|n| {
            let (_, record) = host.segment(n).read().seek(&digest(n)).unwrap().unwrap();
            (n, record)
        })
        .collect();
    wanted.sort_unstable_by_key(|(_, record)| host.storage.order_of(record.location));
    let (mut next, mut found, mut errors, mut given) = (0, 0, vec![], 0);
    loop {
        while next < wanted.len() && reader.has_room() {
            reader.start(next as u64, wanted[next].1.location).unwrap();
            next += 1;
        }
        let Some(tag) = reader.next() else { break };
        given += 1;
        let (n, record) = &wanted[tag as usize];
        between(*n);
        match reader.check(record.location, &record.digest, &record.meta) {
            Ok(true) => {
                assert_eq!(reader.body(), body(*n, record.meta.generation));
                found += 1;
            }
            Ok(false) => {}
            Err(error) => errors.push(error.code),
        }
    }
    assert_eq!(given, RECORDS);
    (found, errors)
}

#[test]
fn one_at_a_time_many_in_flight_or_neighbours_together() {
    let missed = |host: &Host| {
        let report = host.storage.report();
        report.cache.kinds.iter().find(|kind| kind.kind == "data").map_or(0, |kind| kind.misses)
    };
    for depth in [1, 16] {
        let (host, _) = cold();
        assert_eq!(read_all(&host, host.storage.reader(depth).unwrap().unwrap(), &mut |_| {}), (RECORDS, vec![]));
        let (first, reader) = (missed(&host), host.storage.reader(depth).unwrap().unwrap());
        assert_eq!(read_all(&host, reader, &mut |_| {}), (RECORDS, vec![]));
        assert!(first > 100 && missed(&host) == first, "{first} pages, and the second time {}", missed(&host) - first);
    }
    for gap in [0, 4096, 1 << 20] {
        let (host, _) = cold();
        assert_eq!(read_all(&host, host.storage.reader_of_neighbours(gap).unwrap().unwrap(), &mut |_| {}), (RECORDS, vec![]));
        let reader = host.storage.reader_of_neighbours(gap).unwrap().unwrap();
        let first = missed(&host);
        assert_eq!(read_all(&host, reader, &mut |_| {}), (RECORDS, vec![]));
        assert!(missed(&host) > first * 3 / 2, "a scan leaves the cache as it was");
    }
    let (host, _) = cold();
    assert_eq!(host.storage.reader(0).err().map(|error| error.code), Some(ErrorCode::ConfigInvalid));
}

#[test]
fn neighbours_come_with_fewer_reads() {
    let reads = |gap: Option<u64>| {
        let (host, disks) = cold();
        let before = disks[0].meter().read().reads.count;
        let reader = match gap {
            Some(gap) => host.storage.reader_of_neighbours(gap),
            None => host.storage.reader(8),
        };
        read_all(&host, reader.unwrap().unwrap(), &mut |_| {});
        disks[0].meter().read().reads.count - before
    };
    let (alone, together) = (reads(None), reads(Some(16_384)));
    assert!(together * 2 < alone, "{together} and {alone} reads");
}

#[test]
fn a_record_that_is_changed_meanwhile_is_this_version_or_none() {
    let (host, _) = cold();
    let reader = host.storage.reader(16).unwrap().unwrap();
    let (found, errors) = read_all(&host, reader, &mut |n| {
        host.put((n * 7 + 1) % RECORDS, 2).unwrap();
        if n % 3 == 0 {
            host.remove((n * 11 + 5) % RECORDS).unwrap();
        }
    });
    assert!(errors.is_empty() && found > RECORDS / 10 && found < RECORDS, "{found} found, {errors:?}");
}

#[test]
fn a_damaged_page_costs_its_own_records_alone() {
    let (host, disks) = cold();
    let victim = host.segment(7).read().seek(&digest(7)).unwrap().unwrap().1;
    let page = bodies::Place::of(victim.location).page;
    disks[0].flip(page.offset(options().page_size) + 2000, 1);
    for gap in [None, Some(65_536)] {
        let reader = match gap {
            Some(gap) => host.storage.reader_of_neighbours(gap),
            None => host.storage.reader(4),
        };
        let (found, errors) = read_all(&host, reader.unwrap().unwrap(), &mut |_| {});
        assert!(!errors.is_empty() && errors.len() < 40 && errors.iter().all(|code| *code == ErrorCode::RecordDamaged), "{errors:?}");
        assert_eq!(found + errors.len() as u64, RECORDS);
    }
}
