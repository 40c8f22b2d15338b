//! Rows that were not taken: what a dry run shows of them, and the file that keeps them.

use super::*;
use crate::load::{Keep, RejectForm, RejectReader};

fn kept(jobs: &JobRegistry, job: &Job) -> Option<Keep> {
    let files = jobs.files().unwrap().clone();
    Some(Keep { files, id: job.id().to_owned(), namespace: "n".into(), query: None, from: None })
}

/// Imports with a file for rejects: the report, and the file in both forms.
fn import_kept(spec: ImportSpec, stream: &[u8], sink: MapSink) -> (ImportReport, Option<[String; 2]>) {
    let (report, files) = import_kept_as(spec, stream, sink, RejectForm::Rows);
    (report, files.map(|forms| forms.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())))
}

/// As `import_kept`; the second form is `rows`.
pub(super) fn import_kept_as(spec: ImportSpec, stream: &[u8], sink: MapSink, rows: RejectForm) -> (ImportReport, Option<[Vec<u8>; 2]>) {
    let directory = tempfile::tempdir().unwrap();
    let jobs = JobRegistry::open(Some(directory.path()), JobLimits::default()).unwrap();
    let job = jobs.begin(JobSpec::new(JobKind::Import, "n", "Import")).unwrap();
    let session = ImportSession::begin_sized(Arc::new(sink), spec, Arc::clone(&job), SMALL, kept(&jobs, &job)).unwrap();
    session.write(stream).unwrap();
    let report = session.finish().unwrap();
    let read = |form| {
        let mut reader = RejectReader::open(jobs.files().unwrap(), job.id(), form).ok()?;
        Some(std::iter::from_fn(|| reader.next_chunk().unwrap()).flatten().collect::<Vec<u8>>())
    };
    let forms = read(RejectForm::Lines).zip(read(rows)).map(|(lines, rows)| [lines, rows]);
    (report, forms)
}

#[test]
fn a_dry_run_tells_twenty_with_their_rows_and_counts_the_rest() {
    let rows: String = (0..50).map(|i| format!("{i},{}\n", "é".repeat(200))).collect();
    let long = rows.replace("\n", ",more\n");
    let (report, files) = import_kept(ImportSpec { dry_run: true, ..csv() }, format!("key,v\n{long}").as_bytes(), MapSink::default());
    assert!(report.rejected.iter().map(|reject| reject.line).eq(2..22));
    assert_eq!(report.rejected[0].row, Some(format!("0,{}", "é".repeat(127))));
    assert_eq!((report.rejected_total, report.rejected_by_code), (50, [("csv_invalid".to_owned(), 50)].into()));
    assert_eq!((report.reject_file, files), (None, None));
}

#[test]
fn rows_without_the_distribution_bin_are_counted() {
    let lines = b"{\"key\":1,\"r\":7}\n{\"key\":2}\n{\"key\":3,\"r\":null}\n{\"key\":4}\nbad\n";
    for dry_run in [false, true] {
        let spec = ImportSpec { dry_run, distribution_bin: Some("r".into()), ..ndjson() };
        assert_eq!(import_kept(spec, lines, MapSink::default()).0.without_route, Some(2));
    }
    assert_eq!(import_kept(ndjson(), lines, MapSink::default()).0.without_route, None);
}

#[test]
fn every_reject_is_in_the_file_with_its_row() {
    let table = b"id,v\r\n1,\"a\r\nb\"\r\n1,again\r\nshort\r\n2,\"\xff\"\n3,c\n1,\"never closes\n4,d\n".as_slice();
    let spec = ImportSpec { mode: LoadMode::Insert, ..keyed(csv(), "id") };
    let (report, files) = import_kept(spec, table, MapSink::default());
    assert_eq!((report.rows, report.inserted, report.rejected_total), (7, 3, 4));
    let file = report.reject_file.unwrap();
    assert_eq!((file.rows, file.cut_short), (4, false));
    let [lines, rows] = files.unwrap();
    assert_eq!(lines.lines().count(), 4);
    assert!(
        lines.contains(r#""code":"record_exists""#) && lines.contains(r#""row":"1,again""#) && lines.contains(r#""$bytes":"Miwi/yI=""#)
    );
    assert_eq!(rows, "id,v\r\n1,again\nshort\n2,\"\u{fffd}\"\n1,\"never closes\n");
}
