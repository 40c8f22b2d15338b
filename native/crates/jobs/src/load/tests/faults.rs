//! What is refused, and how that is told.

use super::*;
use crate::load::{ColumnType, Encoding};

/// Line, code and field of each reject.
fn rejects(report: &ImportReport) -> Vec<(u64, &str, Option<&str>)> {
    report.rejected.iter().map(|reject| (reject.line, reject.code, reject.field.as_deref())).collect()
}

#[test]
fn each_bad_row_is_told_and_the_good_ones_are_taken() {
    let types = [("n", ColumnType::Integer), ("j", ColumnType::Json)];
    let spec = ImportSpec { types: types.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect(), ..keyed(csv(), "id") };
    let table = concat!(
        "id,n,j\n",
        "1,1,{}\n",
        "2,x,{}\n",
        "3,3\n",
        "4,4,{},5\n",
        ",5,{}\n",
        "6,6,\"{\"\"a\"\":1,\"\"a\"\":2}\"\n",
        "7,99999999999999999999,{}\n",
        "8,8,\"{\n\n\"\n",
        "9,9,[1e999]\n",
        "10,10,{}\n"
    );
    let (report, records) = import(&[table.as_bytes()], spec, SMALL);
    let report = report.unwrap();
    let expected = [
        (3, "csv_invalid", Some("n")),
        (4, "csv_invalid", None),
        (5, "csv_invalid", None),
        (6, "key_missing", Some("key")),
        (7, "json_duplicate_key", Some("j")),
        (8, "number_out_of_range", Some("n")),
        (9, "json_invalid", Some("j")),
        (12, "number_out_of_range", Some("j")),
    ];
    assert_eq!(rejects(&report), expected);
    assert_eq!((report.rows, report.inserted, report.rejected_total), (10, 2, 8));
    assert!(records.contains_key(&Key::Integer(1)) && records.contains_key(&Key::Integer(10)));
}

#[test]
fn each_bad_line_of_json_is_told() {
    let lines: &[&[u8]] = &[
        b"{\"id\":1,\"v\":1}\n",
        b"{\"id\":2,\"v\":}\n",
        b"[1]\n",
        b"{\"id\":4,\"id\":4}\n",
        b"{\"id\":5,\"v\":\"\xff\"}\n",
        b"  \r\n",
        b"{\"v\":1}\n",
        b"{\"id\":[],\"v\":1}\n",
        b"{\"id\":9} {}\n",
        b"{\"id\":10,\"\":1}\n",
        b"{\"id\":11,\"v\":{\"$bytes\":\"*\"}}\n",
        b"{\"id\":12}\n",
    ];
    let expected = [
        (2, "json_invalid", Some("v")),
        (3, "json_invalid", None),
        (4, "json_duplicate_key", Some("id")),
        (5, "utf8_invalid", None),
        (7, "key_missing", Some("key")),
        (8, "key_invalid", Some("key")),
        (9, "json_invalid", None),
        (10, "bin_name_invalid", Some("")),
        (11, "encoding_invalid", Some("v")),
    ];
    let (report, records) = import(lines, keyed(ndjson(), "id"), SMALL);
    assert_eq!(rejects(&report.unwrap()), expected);
    assert_eq!(records.len(), 2);
}

#[test]
fn rows_and_records_that_are_too_large_are_dropped_alone() {
    let cell = "x".repeat(10_000);
    let table = format!("key,v\n1,a\n2,{cell}\n3,b\n4,\"{cell}\"\n5,\"{}\"\n6,c\n", &cell[..2000]);
    for block in [1, 64, 5000, 100_000] {
        let (report, records) = import(&[table.as_bytes()], csv(), Sizes { block, row: 4000 });
        let report = report.unwrap();
        assert_eq!(rejects(&report), [(3, "row_too_long", None), (5, "row_too_long", None), (6, "record_too_large", None)]);
        assert_eq!((report.rows, records.len()), (6, 3));
    }
}

#[test]
fn a_quote_that_never_closes_costs_one_row() {
    let rows: String = (2..9).map(|i| format!("{i},v\n")).collect();
    let (report, records) = import(&[format!("key,v\n1,\"oops\n{rows}").as_bytes()], csv(), SMALL);
    assert_eq!(rejects(&report.unwrap()), [(2, "csv_invalid", None)]);
    assert_eq!(records.len(), 7);
}

#[test]
fn bytes_that_are_not_utf8_cost_their_row() {
    let mut table = b"key,v\n1,a\n2,\"\xff\n\"\n3,b\n4,\xc3\n5,c\n".to_vec();
    let (report, records) = import(&[&table], csv(), SMALL);
    assert_eq!(rejects(&report.unwrap()), [(3, "utf8_invalid", None), (6, "utf8_invalid", None)]);
    assert_eq!(records.len(), 3);
    table.splice(..3, *b"k\xff");
    let (report, _) = import(&[&table], csv(), SMALL);
    assert_eq!(report.unwrap_err().code, ErrorCode::Utf8Invalid);
}

#[test]
fn a_specification_that_does_not_fit_ends_the_import() {
    let table: &[u8] = b"id,v\n1,2\n";
    let typed = |name: &str| ImportSpec { types: [(name.to_owned(), ColumnType::Json)].into(), ..csv() };
    for (spec, table, code, field) in [
        (keyed(csv(), "nope"), table, ErrorCode::ColumnUnknown, Some("key")),
        (keyed(csv(), "nope.id"), table, ErrorCode::ColumnUnknown, Some("key")),
        (typed("nope"), table, ErrorCode::ColumnUnknown, Some("types")),
        (ImportSpec { distribution_bin: Some("nope".into()), ..csv() }, table, ErrorCode::ColumnUnknown, Some("distributionBin")),
        (csv(), b"".as_slice(), ErrorCode::CsvInvalid, None),
        (csv(), b"a,a\n", ErrorCode::CsvInvalid, Some("a")),
        (csv(), b"a,\n", ErrorCode::BinNameInvalid, Some("")),
        (csv(), b"a,\"b\n1,2\n", ErrorCode::CsvInvalid, None),
        (ImportSpec { encoding: Some(Encoding::Gzip), ..csv() }, table, ErrorCode::EncodingInvalid, Some("encoding")),
        (ImportSpec { threads: 0, ..csv() }, table, ErrorCode::ThreadsInvalid, Some("threads")),
        (ImportSpec { set: "a b".into(), ..csv() }, table, ErrorCode::NameInvalid, Some("set")),
    ] {
        let (report, records) = import(&[table], spec, SMALL);
        let error = report.unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (code, field));
        assert!(records.is_empty());
    }
    let (report, _) = import(&[b""], ndjson(), SMALL);
    assert_eq!(report.unwrap(), ImportReport::default());
}

/// The stream has one fault, and several threads that come upon it.
#[test]
fn a_damaged_stream_is_told_as_that_and_nothing_after_the_damage_is_read() {
    let mut damaged = vec![0x1f, 0x8b, 8, 0xff];
    damaged.extend(b"id,n\n1,1\n2,2\n".repeat(100));
    for _ in 0..200 {
        let spec = ImportSpec { threads: 8, ..keyed(csv(), "id") };
        let (report, records) = import(&[&damaged], spec, SMALL);
        assert_eq!(report.unwrap_err().code, ErrorCode::EncodingInvalid);
        assert!(records.is_empty());
    }
}
