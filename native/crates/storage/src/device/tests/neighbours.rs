//! Reading neighbours together: what comes, with how few reads, and what does not come.

use super::rig::{META, Rig, digest, options};
use crate::device::format::place::Place;
use crate::{DeviceReads, Location, Storage};
use std::collections::BTreeMap;
use tessera_base::ErrorCode;
use tessera_io::faulty::FaultyDisk;

const KEYS: u32 = 60;

/// Bodies by key, or why there is none.
type Came = BTreeMap<u32, Result<Vec<u8>, ErrorCode>>;

fn body(key: u32) -> Vec<u8> {
    vec![key as u8; 900]
}

/// Stored records on so many disks, by key.
fn stored(disks: usize) -> (Rig, BTreeMap<u32, Location>) {
    let disks: Vec<_> = (0..disks).map(|_| FaultyDisk::default()).collect();
    let rig = Rig::open_all(&disks, options()).unwrap();
    let places = (0..KEYS).map(|key| (key, rig.put(key, &body(key)).unwrap())).collect();
    rig.sync().unwrap();
    (rig, places)
}

/// Asks for all of them in the order of the device, as fast as there is room, and for what comes in between.
fn read(rig: &Rig, places: &BTreeMap<u32, Location>, gap: u64) -> (DeviceReads, Came) {
    let mut reader = rig.storage.reader_of_neighbours(gap).unwrap().unwrap();
    let mut order: Vec<_> = places.iter().map(|(key, location)| (rig.storage.order_of(*location), *key)).collect();
    order.sort_unstable();
    let (mut order, mut came, mut again) = (order.into_iter(), BTreeMap::new(), Some(7));
    loop {
        while reader.has_room()
            && let Some((_, key)) = order.next()
        {
            reader.start(u64::from(key), places[&key]).unwrap();
        }
        let Some(tag) = reader.next() else { break };
        let key = tag as u32;
        // As for a record that moved: while the bytes of others are looked at.
        if again == Some(key) {
            again = None;
            reader.start(tag, places[&key]).unwrap();
            continue;
        }
        let read = reader.check(places[&key], &digest(key), &META);
        let read = read.map(|found| if found { reader.body().to_vec() } else { Vec::new() }).map_err(|error| error.code);
        assert!(came.insert(key, read).is_none(), "{key} came twice");
    }
    (reader.reads(), came)
}

#[test]
fn every_record_comes_once_and_neighbours_come_together() {
    for disks in [1, 3] {
        let (rig, places) = stored(disks);
        for gap in [0, 4096, u64::MAX] {
            let before = rig.storage.usage().bytes_read;
            let (reads, came) = read(&rig, &places, gap);
            assert!(came.iter().all(|(key, read)| read.as_ref() == Ok(&body(*key))) && came.len() == KEYS as usize);
            // What is in the last block is in memory still.
            assert!(reads.records > u64::from(KEYS) / 2 && reads.bytes == rig.storage.usage().bytes_read - before, "{reads:?}");
        }
        let few: BTreeMap<_, _> = places.into_iter().filter(|(key, _)| key % 10 == 7).collect();
        let bytes = |gap| read(&rig, &few, gap).0.bytes;
        assert!(bytes(0) < bytes(u64::MAX), "what lies between was read");
    }
}

#[test]
fn a_damaged_record_costs_none_of_its_neighbours() {
    let (rig, places) = stored(1);
    let at = Place::unpack(places[&30]).offset;
    rig.disk.flip(at + 500, 1);
    let (_, came) = read(&rig, &places, u64::MAX);
    for (key, read) in came {
        let wanted = if key == 30 { Err(ErrorCode::RecordDamaged) } else { Ok(body(key)) };
        assert_eq!(read, wanted);
    }
}

#[test]
fn neighbours_of_a_place_that_cannot_be_read_are_read_alone() {
    let (rig, mut places) = stored(1);
    // Behind all of them, and behind the end of the file.
    let last = Place::unpack(*places.values().max().unwrap());
    let beyond = Place { offset: last.offset + 40 * 1024, length: last.length };
    places.insert(KEYS, beyond.pack().unwrap());
    let (_, mut came) = read(&rig, &places, u64::MAX);
    assert!(came.remove(&KEYS).unwrap().is_err());
    assert!(came.iter().all(|(key, read)| read.as_ref() == Ok(&body(*key))) && came.len() == KEYS as usize);
}
