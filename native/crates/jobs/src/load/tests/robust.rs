//! The same rows however the stream is cut, packed or broken off.

use super::*;
use proptest::prelude::*;
use std::io::Write as _;

/// Rows of every kind, good and bad, in each format.
fn samples() -> [(ImportSpec, Vec<u8>); 3] {
    let mut table = String::from("id,name,doc\r\n");
    let mut lines = String::new();
    let mut values = vec![];
    for i in 0..40 {
        table.push_str(&format!("{i},\"é \"\"{i}\"\",\nline\",\"{{\"\"n\"\":[{i},\"\"\\\"\"\"\"]}}\"\n"));
        let line = format!("{{\"id\":{i},\"name\":\"é {i}\\n\",\"doc\":{{\"n\":[{i},1.5,null]}}}}\n");
        lines.push_str(&line);
        values.extend(packed::pack(&[line.trim_end()]));
        if i % 7 == 0 {
            table.push_str("short,row\n\n");
            lines.push_str("{\"id\":oops}\n\n");
            values.extend(packed::pack(&["{\"name\":[]}", "7"]));
        }
    }
    let packed = ImportSpec::new("s", crate::load::Format::Msgpack);
    [(keyed(csv(), "id"), table.into_bytes()), (keyed(ndjson(), "id"), lines.into_bytes()), (keyed(packed, "id"), values)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_does_not_matter_where_the_stream_is_cut(
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        block in 1usize..3000,
        threads in 1u32..5,
    ) {
        for (spec, stream) in samples() {
            let whole = import(&[&stream], spec.clone(), Sizes { block: 100_000, row: 4000 });
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).chain([0, stream.len()]).collect();
            places.sort_unstable();
            let chunks: Vec<&[u8]> = places.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
            prop_assert_eq!(import(&chunks, ImportSpec { threads, ..spec }, Sizes { block, row: 4000 }), whole);
        }
    }

    #[test]
    fn any_bytes_are_survived(stream in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"\",\n\r{}[]:1a".to_vec())], 0..400), block in 1usize..100) {
        let packed = ImportSpec::new("s", crate::load::Format::Msgpack);
        for spec in [csv(), ndjson(), packed, ImportSpec { columns: Some(vec!["a".into(), "b".into()]), ..csv() }] {
            let sizes = Sizes { block, row: 100 };
            let (report, records) = import(&[&stream], spec, sizes);
            if let Ok(report) = report {
                prop_assert_eq!(report.rows, report.inserted + report.updated + report.rejected_total);
                prop_assert_eq!(report.inserted, records.len() as u64);
            }
        }
    }
}

#[test]
fn every_truncation_keeps_the_rows_before_it() {
    for (spec, stream) in samples() {
        let (_, all) = import(&[&stream], spec.clone(), SMALL);
        for length in 0..stream.len() {
            let (report, records) = import(&[&stream[..length]], spec.clone(), SMALL);
            let Ok(report) = report else {
                assert!(length < 12, "only a broken header ends the import");
                continue;
            };
            assert_eq!(report.rows, report.inserted + report.rejected_total);
            // Every row that ended before the cut is there; the one that was cut may have lost its end.
            let whole = all.iter().filter(|(key, bins)| records.get(*key) == Some(*bins)).count();
            assert!(whole + 1 >= records.len(), "{length}");
        }
    }
}

#[test]
fn packed_streams_are_read_too() {
    for (spec, stream) in samples() {
        let plain = import(&[&stream], spec.clone(), SMALL);
        let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
        gzip.write_all(&stream).unwrap();
        for packed in [gzip.finish().unwrap(), zstd::encode_all(&stream[..], 1).unwrap()] {
            let bytes: Vec<&[u8]> = packed.chunks(1).collect();
            assert_eq!(import(&bytes, spec.clone(), SMALL), plain);
            let cut = import(&[&packed[..packed.len() / 2]], spec.clone(), SMALL).0.unwrap_err();
            assert_eq!(cut.code, ErrorCode::EncodingInvalid);
        }
    }
}
