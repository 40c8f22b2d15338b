use super::rig::{Rig, SIZES, body, code, digest};
use crate::paged::page::{PageId, Seal};
use crate::paged::pages::Pages;
use crate::paged::segment::bodies::Place;
use proptest::prelude::*;
use tessera_base::ErrorCode;
use tessera_io::faulty::FaultyDisk;

/// Records in both segments, short and long, all of them on the disk.
fn filled(size: u32) -> Rig {
    let mut rig = Rig::new(size, 1 << 20);
    for n in 0..400 {
        let length = if n % 50 == 7 { size as usize * 2 } else { n as usize * 7 % 500 };
        rig.put((n % 2) as u16, n, n as usize % 4, &body(length, n as u8)).unwrap();
    }
    rig.checkpoint();
    rig
}

fn with_image(rig: &mut Rig, change: impl FnOnce(&mut [u8])) -> Result<(), tessera_base::Error> {
    let mut images: Vec<_> = rig.disks.iter().map(FaultyDisk::image).collect();
    change(&mut images[0]);
    rig.open(FaultyDisk::several(images))
}

#[test]
fn a_damaged_page_of_records_costs_those_and_no_others() {
    let mut rig = filled(4096);
    let (_, record) = rig.segments[0].seek(&digest(8)).unwrap().unwrap();
    let bad = Place::of(record.location).page;
    with_image(&mut rig, |image| image[bad.0 as usize * 4096 + 300] ^= 4).unwrap();
    let mut lost = vec![];
    for (segment, n) in rig.model.keys().copied().collect::<Vec<_>>() {
        match rig.read(segment, n) {
            Ok(found) => assert_eq!(found.as_deref(), Some(&rig.model[&(segment, n)].2[..])),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::RecordDamaged);
                lost.push((segment, n));
            }
        }
    }
    assert!(lost.contains(&(0, 8)) && lost.len() < 200, "{} are lost", lost.len());
    // They can be replaced and removed, and the segment takes others.
    for (turn, (segment, n)) in lost.into_iter().enumerate() {
        match turn % 2 {
            0 => rig.put(segment, n, 1, &body(100, 1)).unwrap(),
            _ => rig.remove(segment, n).unwrap(),
        }
    }
    (1000..1400).for_each(|n| rig.put(0, n, 1, &body(200, n as u8)).unwrap());
    for (segment, n) in rig.model.keys().copied().collect::<Vec<_>>() {
        assert_eq!(rig.read(segment, n).unwrap().as_deref(), Some(&rig.model[&(segment, n)].2[..]), "{n}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(60)))]

    #[test]
    fn a_flipped_bit_is_an_error_and_never_other_bytes(size in prop::sample::select(&SIZES[..3]), at: prop::sample::Index, bit in 0..8u8) {
        let mut rig = filled(size);
        let opened = with_image(&mut rig, |image| {
            let first = (Pages::FIRST * size) as usize;
            let at = first + at.index(image.len() - first);
            image[at] ^= 1 << bit;
        });
        match opened {
            Err(error) => prop_assert_eq!(error.code, ErrorCode::RecordDamaged),
            Ok(()) => for ((segment, n), (_, _, body)) in &rig.model {
                match rig.read(*segment, *n) {
                    Ok(found) => prop_assert_eq!(found.as_ref(), Some(body)),
                    Err(error) => prop_assert_eq!(error.code, ErrorCode::RecordDamaged),
                }
            }
        }
    }

    /// Pages that are whole by their checksum, and nonsense: a segment does not open or refuses, and what it does has an end.
    #[test]
    fn nonsense_in_any_page_is_refused(
        size in prop::sample::select(&SIZES[..2]), page: prop::sample::Index, from: prop::sample::Index, short: bool,
        junk in prop::collection::vec(prop_oneof![Just(0u8), Just(255), any::<u8>()], 1..4000),
    ) {
        let mut rig = filled(size);
        let seal = Seal::new(&rig.options.namespace_id);
        let opened = with_image(&mut rig, |image| {
            let size = size as usize;
            let count = image.len() / size;
            let id = Pages::FIRST as usize + page.index(count - Pages::FIRST as usize);
            let bytes = &mut image[id * size..(id + 1) * size];
            let junk = if short { &junk[..junk.len().min(6)] } else { &junk[..] };
            let from = 16 + from.index(if short { 60 } else { size - 16 });
            let end = size.min(from + junk.len());
            bytes[from..end].copy_from_slice(&junk[..end - from]);
            seal.set(bytes, PageId(id as u32));
        });
        if opened.is_ok() {
            for ((segment, n), _) in rig.model.clone() {
                let store = &rig.segments[usize::from(segment)];
                if let Ok(Some((_, record))) = store.seek(&digest(n)) {
                    let mut out = Vec::new();
                    let _ = super::super::bodies::read(&rig.store, record.location, &record.digest, &record.meta, &mut out);
                }
            }
            prop_assert!(rig.segments[0].pages().count() <= 1 << 20);
        }
    }
}

#[test]
fn a_record_that_has_moved_is_not_found_where_it_was() {
    let mut rig = Rig::new(4096, 1 << 20);
    for length in [100, 10_000] {
        rig.put(0, 1, 1, &body(length, 1)).unwrap();
        let (_, old) = rig.segments[0].seek(&digest(1)).unwrap().unwrap();
        let read = |rig: &Rig| super::super::bodies::read(&rig.store, old.location, &old.digest, &old.meta, &mut Vec::new());
        assert_eq!(read(&rig), Ok(true));
        rig.put(0, 1, 1, &body(length, 2)).unwrap();
        assert_eq!(read(&rig), Ok(false), "another version");
        rig.remove(0, 1).unwrap();
        assert_eq!(read(&rig), Ok(false), "gone");
        assert_eq!(code(rig.read(0, 1)), None);
    }
}
