use super::*;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

fn rows(seed: u64, rows: impl IntoIterator<Item = u64>, format: Format) -> Vec<u8> {
    let mut events = Events::new(seed, format);
    let mut out = vec![];
    rows.into_iter().for_each(|row| events.write(row, &mut out));
    out
}

fn parsed(text: &[u8]) -> Vec<Value> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect()
}

#[test]
fn a_row_depends_on_nothing_but_seed_and_number() {
    let all = rows(7, 0..200, Format::Csv);
    let mut lines: Vec<&[u8]> = all.split_inclusive(|&byte| byte == b'\n').collect();
    lines.reverse();
    assert!(rows(7, (0..200).rev(), Format::Csv) == lines.concat());
    assert!(rows(8, 0..200, Format::Csv) != all);
}

#[test]
fn csv_and_ndjson_tell_the_same() {
    let table = [CSV_HEADER.as_bytes(), &rows(1, 0..3000, Format::Csv)].concat();
    let lines = parsed(&rows(1, 0..3000, Format::Ndjson));
    let mut reader = csv::Reader::from_reader(&table[..]);
    let mut count = 0;
    for (record, line) in reader.records().zip(&lines) {
        let record = record.unwrap();
        let json = |cell: &str| serde_json::from_str::<Value>(cell).unwrap();
        assert_eq!(record[0], *line["id"].as_str().unwrap());
        assert_eq!(record[1], *line["type"].as_str().unwrap());
        assert_eq!(&record[2], "true");
        assert_eq!(record[3], line["repo"]["id"].to_string());
        assert_eq!(json(&record[4]), line["payload"]);
        assert_eq!(json(&record[5]), line["repo"]);
        assert_eq!(json(&record[6]), line["actor"]);
        assert_eq!(if record[7].is_empty() { Value::Null } else { json(&record[7]) }, line["org"]);
        assert_eq!(record[8], *line["created_at"].as_str().unwrap());
        assert!(record[8].starts_with("2015-01-01T"));
        count += 1;
    }
    assert_eq!((count, lines.len()), (3000, 3000));
}

#[test]
fn the_known_commits_are_where_they_are_said_to_be() {
    let total = 45_000;
    let wanted = |event: &Value| {
        let commits = event["payload"]["commits"].as_array();
        let matching = commits.into_iter().flatten().filter(|commit| commit["author"]["email"] == marks::AUTHOR_EMAIL);
        event["type"] == "PushEvent" && matching.count() == 1
    };
    let matching: Vec<Value> = parsed(&rows(3, 0..total, Format::Ndjson)).into_iter().filter(wanted).collect();
    let one = matching.iter().filter(|event| event["repo"]["id"] == marks::REPOSITORY_ID).count();
    assert_eq!((matching.len() as u64, one as u64), (marks::matches_all(total), marks::matches_one(total)));
    let decoy = &parsed(&rows(3, [2000], Format::Ndjson))[0]["payload"]["commits"];
    assert!(decoy.to_string().contains("not-test@gmail.com") && decoy.to_string().contains("Signed-off-by: test@gmail.com"));
}

#[test]
fn the_events_have_the_shape_of_the_archive() {
    let events = parsed(&rows(1, 0..20_000, Format::Ndjson));
    let mut types: HashMap<&str, usize> = HashMap::new();
    events.iter().for_each(|event| *types.entry(event["type"].as_str().unwrap()).or_default() += 1);
    assert_eq!(types.len(), 14);
    assert!((9800..11_000).contains(&types["PushEvent"]) && types["CreateEvent"] > types["ForkEvent"], "{types:?}");
    let payload = events.iter().map(|event| event["payload"].to_string().len()).sum::<usize>() / events.len();
    assert!((1550..1850).contains(&payload), "mean payload {payload}");
    let repositories: HashSet<u64> = events.iter().map(|event| event["repo"]["id"].as_u64().unwrap()).collect();
    assert!((9000..14_000).contains(&repositories.len()), "{} repositories", repositories.len());
    assert!(events.iter().filter(|event| event["repo"]["id"] == marks::REPOSITORY_ID).count() > 10);
    let pull = &events.iter().find(|event| event["type"] == "PullRequestEvent").unwrap()["payload"]["pull_request"];
    let fields = |object: &Value| object.as_object().unwrap().len();
    assert_eq!((fields(&pull["head"]["repo"]), fields(&pull["user"]), fields(&pull["_links"])), (67, 17, 7));
}
