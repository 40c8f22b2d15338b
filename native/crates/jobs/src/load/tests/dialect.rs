//! What rows mean.

use super::*;
use crate::load::{ColumnType, KeyType};
use proptest::prelude::*;

fn bins(pairs: &[(&str, Value)]) -> Bins {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[test]
fn a_csv_table_becomes_records() {
    let table = concat!(
        "id,name,score,ok,doc\r\n",
        "1,plain,1.5,true,\"{\"\"a\"\": [1, \"\"x\\\"\"y\"\"]}\"\r\n",
        "2,\"two, \"\"quoted\"\"\nlines\",,false,\"\"\n",
        "\n",
        "-3,\"42\",1e3,t,[]"
    );
    let (report, records) = import(&[table.as_bytes()], keyed(csv(), "id"), SMALL);
    assert_eq!(report.unwrap(), ImportReport { rows: 3, inserted: 3, ..ImportReport::default() });
    let doc = Value::Map(vec![("a".into(), Value::List(vec![Value::Int(1), text("x\"y")]))]);
    let first = [("id", Value::Int(1)), ("name", text("plain")), ("score", Value::Double(1.5)), ("ok", Value::Bool(true)), ("doc", doc)];
    let second = [
        ("id", Value::Int(2)),
        ("name", text("two, \"quoted\"\nlines")),
        ("score", Value::Null),
        ("ok", Value::Bool(false)),
        ("doc", text("")),
    ];
    let third =
        [("id", Value::Int(-3)), ("name", text("42")), ("score", Value::Double(1000.0)), ("ok", text("t")), ("doc", Value::List(vec![]))];
    assert_eq!(records[&Key::Integer(1)], bins(&first));
    assert_eq!(records[&Key::Integer(2)], bins(&second));
    assert_eq!(records[&Key::Integer(-3)], bins(&third));
}

#[test]
fn quotes_inside_a_cell_are_read_as_postgresql_reads_them() {
    let (report, records) = import(&[b"key,v\n1,a\"b,\"\"c\"d\n2,\"x\"y\"z\"\n3,\"\"\"\"\n"], csv(), SMALL);
    assert_eq!(report.unwrap().inserted, 3);
    assert_eq!(records[&Key::Integer(1)], bins(&[("v", text("ab,\"cd"))]));
    assert_eq!(records[&Key::Integer(2)], bins(&[("v", text("xyz"))]));
    assert_eq!(records[&Key::Integer(3)], bins(&[("v", text("\""))]));
}

#[test]
fn columns_can_be_named_and_typed() {
    let types = [("a", ColumnType::String), ("b", ColumnType::Boolean), ("c", ColumnType::Json), ("d", ColumnType::Double)];
    let spec = ImportSpec {
        columns: Some(["a", "b", "c", "d"].map(String::from).to_vec()),
        types: types.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect(),
        key_type: KeyType::String,
        ..keyed(csv(), "a")
    };
    let expected = bins(&[("a", text("1")), ("b", Value::Bool(true)), ("c", text("x")), ("d", Value::Double(2.0))]);
    let (report, records) = import(&[b"1,t,\"\"\"x\"\"\",2\n"], spec.clone(), SMALL);
    assert_eq!(report.unwrap().inserted, 1);
    assert_eq!(records[&Key::String("1".into())], expected);
    let (_, records) = import(&[b"w,x,y,z\n1,t,\"\"\"x\"\"\",2\n"], ImportSpec { header: Some(true), ..spec }, SMALL);
    assert_eq!(records[&Key::String("1".into())], expected);
}

#[test]
fn a_column_may_become_bins_of_several_types() {
    for map in [["n:code:integer", "code:code:string", "auto:code"], ["auto:code", "n:code:integer", "code:code:string"]] {
        let map = map.iter().map(|text| crate::load::Mapped::parse(text).unwrap()).collect();
        let (report, records) = import(&[b"code\n007\n8\n1e1\n\"\"\n\"9\"\n"], ImportSpec { map: Some(map), ..csv() }, SMALL);
        let report = report.unwrap();
        // Neither 1e1 nor nothing in quotes is an integer.
        assert_eq!(report.rejected.iter().map(|reject| reject.line).collect::<Vec<_>>(), [4, 5]);
        let found = |key, bin: &str| records[&Key::Integer(key)].iter().find(|(name, _)| name == bin).map(|(_, value)| value.clone());
        for (key, whole, auto) in [(1, "007", text("007")), (2, "8", Value::Int(8)), (5, "9", Value::Int(9))] {
            assert_eq!(found(key, "n"), whole.parse().ok().map(Value::Int));
            assert_eq!((found(key, "code"), found(key, "auto")), (Some(text(whole)), Some(auto)));
        }
    }
}

#[test]
fn rows_without_a_key_are_numbered() {
    let (_, records) = import(&[b"v\na\nb\n"], csv(), SMALL);
    assert_eq!(records.keys().cloned().collect::<Vec<_>>(), [Key::Integer(1), Key::Integer(2)]);
    let (_, records) = import(&[b"{\"v\":1}\n{\"key\":\"own\",\"v\":2}\n{\"v\":3}"], ndjson(), SMALL);
    assert_eq!(records.keys().cloned().collect::<Vec<_>>(), [Key::Integer(1), Key::Integer(3), Key::String("own".into())]);
    assert_eq!(records[&Key::String("own".into())], bins(&[("v", Value::Int(2))]));
}

#[test]
fn events_of_the_archive_are_read_unchanged() {
    let line = br#"{"id":"2489651045","type":"CreateEvent","actor":{"id":665991,"login":"petroav"},"payload":{"ref":null},"public":true,"created_at":"2015-01-01T15:00:00Z"}"#;
    let (_, records) = import(&[line], keyed(ndjson(), "id"), SMALL);
    assert_eq!(records[&Key::String("2489651045".into())].len(), 6);
    let (_, records) = import(&[line], keyed(ndjson(), "actor.id"), SMALL);
    assert!(records.contains_key(&Key::Integer(665_991)));
}

#[test]
fn record_objects_are_restored() {
    let lines = concat!(
        r#"{"set":"x","key":"a","digest":"00","generation":3,"expiresAt":null,"updatedAt":"2015-01-01T00:00:00.000Z","bins":{"n":1,"raw":{"$bytes":"AP8="}}}"#,
        "\n",
        r#"{"key":{"bytes":"AP8="},"bins":{"n":2},"ttlSeconds":60}"#,
        "\n",
        r#"{"key":"b","bins":[1],"n":3}"#,
        "\n",
        r#"{"key":"late","bins":{},"expiresAt":"2015-01-01T00:00:00Z"}"#
    );
    let sink = Arc::new(MapSink::default());
    let report = import_into(&sink, &[lines.as_bytes()], ndjson(), SMALL).unwrap();
    assert_eq!((report.inserted, report.rejected_total, report.rejected[0].code), (3, 1, "ttl_invalid"));
    let records = sink.records.lock();
    assert_eq!(records[&Key::String("a".into())], (bins(&[("n", Value::Int(1)), ("raw", Value::Bytes(vec![0, 255]))]), Ttl::Never));
    assert_eq!(records[&Key::Bytes(vec![0, 255])], (bins(&[("n", Value::Int(2))]), Ttl::Seconds(60)));
    let row = bins(&[("bins", Value::List(vec![Value::Int(1)])), ("n", Value::Int(3))]);
    assert_eq!(records[&Key::String("b".into())], (row, Ttl::Default));
}

#[test]
fn rows_carry_a_time_to_live() {
    let sink = Arc::new(MapSink::default());
    let spec = ImportSpec { ttl: Ttl::Seconds(9), ..keyed(ndjson(), "id") };
    import_into(&sink, &[b"{\"id\":1,\"repo\":7}"], spec, SMALL).unwrap();
    assert_eq!(sink.records.lock()[&Key::Integer(1)], (bins(&[("id", Value::Int(1)), ("repo", Value::Int(7))]), Ttl::Seconds(9)));
}

#[test]
fn a_second_row_of_a_key_updates_or_is_refused() {
    let rows: &[u8] = b"key,v\n1,a\n1,b\n";
    let (report, _) = import(&[rows], csv(), SMALL);
    assert_eq!(report.map(|r| (r.inserted, r.updated)).unwrap(), (1, 1));
    let (report, _) = import(&[rows], ImportSpec { mode: LoadMode::Insert, ..csv() }, SMALL);
    assert_eq!(report.map(|r| (r.rows, r.inserted, r.rejected[0].code, r.rejected[0].line)).unwrap(), (2, 1, "record_exists", 3));
}

#[test]
fn a_dry_run_stores_nothing_and_shows_the_first_rows() {
    let rows: String = (0..200).map(|i| format!("{{\"key\":{i},\"v\":\"{i}\"}}\n")).collect();
    let (report, records) = import(&[rows.as_bytes()], ImportSpec { dry_run: true, threads: 4, ..ndjson() }, SMALL);
    let report = report.unwrap();
    assert!(records.is_empty());
    assert_eq!((report.rows, report.inserted), (200, 0));
    let expected: String = (0..20).map(|i| format!("{{\"key\":{i},\"bins\":{{\"v\":\"{i}\"}}}}\n")).collect();
    assert_eq!(report.sample.unwrap(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_are_read_as_the_csv_crate_reads_them(
        rows in prop::collection::vec(prop::collection::vec("[a-c1 ,\"\n{é]{0,8}|\\PC{0,5}", 3), 1..30),
        style in 0..3u8,
        block in 1usize..300,
    ) {
        let style = [csv::QuoteStyle::Necessary, csv::QuoteStyle::Always, csv::QuoteStyle::NonNumeric][usize::from(style)];
        let mut writer = csv::WriterBuilder::new().quote_style(style).from_writer(vec![]);
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let table = writer.into_inner().unwrap();
        let columns: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let types = columns.iter().map(|name| (name.clone(), ColumnType::String)).collect();
        let spec = ImportSpec { columns: Some(columns), types, threads: 3, ..csv() };
        let (report, records) = import(&[&table], spec, Sizes { block, row: 4000 });
        prop_assert_eq!(report.unwrap().inserted, rows.len() as u64);
        let read: Vec<_> = records.into_values().collect();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&table[..]);
        for (ours, theirs) in read.iter().zip(reader.records()) {
            let theirs = theirs.unwrap();
            for ((_, value), cell) in ours.iter().zip(&theirs) {
                // The csv crate knows no null.
                prop_assert_eq!(if *value == Value::Null { &Value::String(String::new()) } else { value }, &text(cell));
            }
        }
    }
}

#[test]
fn the_other_bins_of_an_export_nest_as_deep_as_bins_do() {
    let nested = |levels: usize| format!("{}7{}", "[".repeat(levels), "]".repeat(levels));
    let row = |key: &str, levels: usize| format!("{key},s,1,,\"{{\"\"deep\"\":{}}}\",\"{}\"\n", nested(levels), nested(levels));
    let header = "$key,$set,$generation,$expiresAt,$otherBins,column\n";
    let too_deep = format!("c,s,1,,,\"{}\"\n", nested(limits::NESTING + 1));
    let table = [header, &row("a", limits::NESTING), &row("b", limits::NESTING + 1), &too_deep].concat();
    let (report, records) = import(&[table.as_bytes()], csv(), SMALL);
    let report = report.unwrap();
    assert_eq!((report.inserted, report.rejected_by_code), (1, [("nesting_too_deep".to_owned(), 2)].into()));
    let deep = (0..limits::NESTING).fold(Value::Int(7), |inner, _| Value::List(vec![inner]));
    assert_eq!(records[&Key::String("a".into())], bins(&[("column", deep.clone()), ("deep", deep)]));
}
