//! Streams of MessagePack.

use super::*;
use crate::load::{Mapped, RejectForm};
use tessera_record::json::parse_value;
use tessera_record::msgpack::pack_value;

/// Maps one behind the other, each written as JSON.
pub(super) fn pack(rows: &[&str]) -> Vec<u8> {
    let mut stream = vec![];
    for row in rows {
        let mut value = vec![];
        parse_value(row.as_bytes(), &mut value).unwrap();
        pack_value(&mut stream, ValueRef::of(&value));
    }
    stream
}

fn msgpack() -> ImportSpec {
    ImportSpec::new("s", crate::load::Format::Msgpack)
}

/// `{"key":1,"v":<these bytes>}`.
fn holding(value: &[u8]) -> Vec<u8> {
    [&[0x82, 0xa3, b'k', b'e', b'y', 1, 0xa1, b'v'][..], value].concat()
}

fn one(bin: &str, value: Value) -> Bins {
    vec![(bin.to_owned(), value)]
}

#[test]
fn the_fields_of_a_map_are_bins_and_every_value_is_exact() {
    let values = [
        (vec![0xcf, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Value::Int(i64::MAX)),
        (vec![0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0], Value::Int(i64::MIN)),
        (vec![0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], Value::Double(1.0)),
        (vec![0xc4, 2, 0, 255], Value::Bytes(vec![0, 255])),
        (vec![0x81, 0xa6, b'$', b'b', b'y', b't', b'e', b's', 0xa0], Value::Map(vec![("$bytes".into(), text(""))])),
        (vec![0xc0], Value::Null),
    ];
    for (bytes, value) in values {
        let (report, records) = import(&[&holding(&bytes)], msgpack(), SMALL);
        assert_eq!((report.unwrap().inserted, &records[&Key::Integer(1)]), (1, &one("v", value)));
    }
}

#[test]
fn keys_mappings_and_numbers_are_those_of_ndjson() {
    let rows = [r#"{"id":"7","repo":{"id":5}}"#, r#"{"id":"x"}"#, r#"{"id":"8","repo":{}}"#];
    let lines = rows.join("\n");
    let map = ["n:id:integer", "repo:repo.id"].iter().map(|text| Mapped::parse(text).unwrap()).collect::<Vec<_>>();
    let asked = [
        ImportSpec { key: Some("id".into()), key_type: crate::load::KeyType::Integer, ..ndjson() },
        ImportSpec { map: Some(map), ..ndjson() },
        ImportSpec { key: Some("repo.id".into()), ..ndjson() },
        ndjson(),
        ImportSpec { dry_run: true, ..ndjson() },
    ];
    for spec in asked {
        let (report, records) = import(&[lines.as_bytes()], spec.clone(), SMALL);
        let (packed, same) = import(&[&pack(&rows)], ImportSpec { format: crate::load::Format::Msgpack, ..spec }, SMALL);
        assert_eq!((packed, same), (report, records));
    }
}

#[test]
fn record_objects_are_restored_with_bytes_as_they_are() {
    let head = pack(&[r#"{"set":"x","digest":"00","generation":3,"expiresAt":null,"bins":{"n":1}}"#]);
    // A key of bytes among the fields.
    let mut object = vec![head[0] + 1, 0xa3, b'k', b'e', b'y', 0xc4, 2, 0, 255];
    object.extend_from_slice(&head[1..]);
    let damaged = pack(&[r#"{"error":{"code":"record_damaged","message":"m","set":"s","digest":"00"}}"#]);
    let sink = Arc::new(MapSink::default());
    let report = import_into(&sink, &[&object, &damaged], msgpack(), SMALL).unwrap();
    assert_eq!((report.inserted, report.rejected_total, report.rejected[0].code), (1, 1, "record_damaged"));
    assert_eq!(sink.records.lock()[&Key::Bytes(vec![0, 255])], (one("n", Value::Int(1)), Ttl::Never));
}

#[test]
fn each_hostile_value_costs_itself_alone() {
    let deep = [vec![0x91; 70], vec![0xc0]].concat();
    let hostile: [(Vec<u8>, &str); 14] = [
        (holding(&deep), "nesting_too_deep"),
        (holding(&[0xa2, 0xff, 0xfe]), "utf8_invalid"),
        (holding(&[0xd4, 5, 0]), "msgpack_invalid"),
        (holding(&[0xd4, 23, 0]), "unsupported"),
        (holding(&[0xc7, 3, 5, 0, 0, 0]), "msgpack_invalid"),
        (holding(&[0x81, 1, 2]), "unsupported"),
        (holding(&[0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]), "number_out_of_range"),
        (holding(&[0xcf, 0xff, 0, 0, 0, 0, 0, 0, 0]), "number_out_of_range"),
        (vec![0x82, 0xa1, b'v', 1, 0xa1, b'v', 2], "json_duplicate_key"),
        (vec![0x81, 7, 1], "unsupported"),
        (vec![0x81, 0xa0, 1], "bin_name_invalid"),
        (vec![0x93, 1, 2, 3], "msgpack_invalid"),
        (vec![5], "msgpack_invalid"),
        (holding(&[&[0xda, 0x0f, 0xa0][..], &[b'x'; 4000]].concat()), "row_too_long"),
    ];
    for (bytes, code) in hostile {
        let stream = [pack(&[r#"{"key":"a"}"#]), bytes, pack(&[r#"{"key":"b"}"#])].concat();
        for block in [1, 64, 100_000] {
            let (report, records) = import(&[&stream], msgpack(), Sizes { block, row: 4000 });
            let report = report.unwrap();
            assert_eq!((report.rows, report.inserted, report.rejected_total), (3, 2, 1), "{code}");
            assert_eq!((report.rejected[0].line, report.rejected[0].code), (2, code));
            assert_eq!(records.len(), 2);
        }
    }
}

#[test]
fn a_stream_that_breaks_off_costs_one_row_and_one_that_is_lost_ends_the_import() {
    let good = pack(&[r#"{"key":"a"}"#, r#"{"key":"b"}"#]);
    let cut = [&good[..], &holding(&[0xdb, 0xff, 0xff, 0xff, 0xff])].concat();
    let report = import(&[&cut], msgpack(), SMALL).0.unwrap();
    assert_eq!((report.inserted, report.rejected[0].line, report.rejected[0].code), (2, 3, "msgpack_invalid"));
    let lost = [&good[..], &[0xc1], &good].concat();
    let (report, records) = import(&[&lost], msgpack(), SMALL);
    let error = report.unwrap_err();
    assert_eq!((error.code, records.len()), (ErrorCode::MsgpackInvalid, 2));
    assert!(error.message.contains("byte 14 of the stream") && error.message.contains("2 rows were stored"), "{}", error.message);
    for other in [b"id,name\n1,x\n".to_vec(), [vec![0x92], good].concat()] {
        let (report, records) = import(&[&other], msgpack(), SMALL);
        assert_eq!((report.unwrap_err().code, records.len()), (ErrorCode::MsgpackInvalid, 0));
    }
}

#[test]
fn rejects_come_back_as_they_were_sent() {
    // The last byte of a value may look like the end of a line.
    let stream = [pack(&[r#"{"key":"a","v":10}"#]), holding(&[0x81, 10, 13]), vec![10], pack(&[r#"{"key":"a","v":13}"#])].concat();
    let spec = ImportSpec { mode: LoadMode::Insert, ..msgpack() };
    let (report, files) = rejects::import_kept_as(spec, &stream, MapSink::default(), RejectForm::Values);
    assert_eq!((report.inserted, report.rejected_total), (1, 3));
    let [lines, values] = files.unwrap();
    assert_eq!(lines.iter().filter(|&&byte| byte == b'\n').count(), 3);
    assert!(String::from_utf8(lines).unwrap().lines().all(|line| line.contains(r#""row":{"$bytes":""#)));
    assert_eq!(values, stream[pack(&[r#"{"key":"a","v":10}"#]).len()..]);
}

#[test]
fn a_dry_run_shows_rejects_as_json_where_they_can_be_read() {
    let stream = [pack(&[r#"{"a":1}"#]), pack(&[r#"{"key":[1],"v":"é"}"#]), holding(&[0x81, 1, 2])].concat();
    let report = import(&[&stream], ImportSpec { dry_run: true, ..msgpack() }, SMALL).0.unwrap();
    let rows: Vec<_> = report.rejected.iter().map(|reject| (reject.code, reject.row.as_deref())).collect();
    assert_eq!(rows, [("key_invalid", Some(r#"{"key":[1],"v":"é"}"#)), ("unsupported", Some(r#"{"$bytes":"gqNrZXkBoXaBAQI="}"#))]);
    assert_eq!(report.sample.as_deref(), Some("{\"key\":1,\"bins\":{\"a\":1}}\n"));
}

#[test]
fn what_is_for_csv_is_refused() {
    let types = [("a".to_owned(), crate::load::ColumnType::Json)].into();
    for (spec, field) in [
        (ImportSpec { columns: Some(vec!["a".into()]), ..msgpack() }, "columns"),
        (ImportSpec { header: Some(true), ..msgpack() }, "header"),
        (ImportSpec { types, ..msgpack() }, "types"),
        (ImportSpec { keep_generations: true, ..keyed(msgpack(), "id") }, "keepGenerations"),
    ] {
        let error = spec.check().unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some(field)));
    }
}
