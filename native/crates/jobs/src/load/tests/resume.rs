//! Going on: after an upload that broke off, and after a restart.

use super::*;
use crate::load::keep::journal::Journal;
use crate::load::keep::progress::{Counts, Mark};
use crate::load::{Encoding, Interrupted, Keep};
use crate::{JobFiles, JobState};
use std::io::Write as _;
use tessera_base::wait_until;

struct Rig {
    directory: tempfile::TempDir,
    jobs: Arc<JobRegistry>,
    sink: Arc<MapSink>,
}

impl Rig {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let jobs = JobRegistry::open(Some(directory.path()), JobLimits::default()).unwrap();
        Self { directory, jobs, sink: Arc::new(MapSink { lasting: Some(5), ..MapSink::default() }) }
    }

    fn begin(&self, spec: ImportSpec, from: Option<(&str, Interrupted)>) -> ImportSession {
        self.try_begin(spec, from).unwrap()
    }

    fn try_begin(&self, spec: ImportSpec, from: Option<(&str, Interrupted)>) -> Result<ImportSession> {
        let about = || JobSpec { threads: spec.threads, ..JobSpec::new(JobKind::Import, "n", "Import") };
        let job = from.as_ref().map_or_else(|| self.jobs.begin(about()), |(id, _)| self.jobs.begin_again(id, about())).unwrap();
        let keep = Keep {
            files: self.jobs.files().unwrap().clone(),
            id: job.id().to_owned(),
            namespace: "n".into(),
            query: Some("what was asked".into()),
            from: from.map(|(_, from)| from),
        };
        ImportSession::begin_sized(self.sink.clone(), spec, job, SMALL, Some(keep))
    }

    /// Waits until the import is noted; the path of its journal.
    fn noted(&self, session: &ImportSession) -> std::path::PathBuf {
        let journal = self.jobs.files().unwrap().path(session.job().id(), JobFiles::JOURNAL);
        wait_until(|| journal.exists());
        journal
    }

    /// Sends a part, waits until `rows` of it are stored, and stops as the server does.
    fn interrupted(&self, spec: ImportSpec, part: &[u8], rows: u64) -> (String, Interrupted) {
        let session = self.begin(spec, None);
        session.write(part).unwrap();
        wait_until(|| session.stored_rows() >= rows);
        session.interrupt();
        assert_eq!(session.finish().unwrap_err().code, ErrorCode::Closed);
        let id = session.job().id().to_owned();
        assert_eq!(self.jobs.info(&id).unwrap().state, JobState::Failed);
        let found = Interrupted::find(&self.jobs, &id).unwrap();
        assert_eq!((found.namespace.as_str(), found.lasting, found.query.as_str()), ("n", 5, "what was asked"));
        assert!(found.counts.stored() >= rows && found.mark.bytes > 0);
        (id, found)
    }
}

/// A header, good rows and bad ones, lines in quotes.
fn table() -> (String, u64, u64) {
    let mut text = String::from("id,v\n");
    for i in 0..300 {
        text.push_str(&format!("{i},\"line\n{i}\"\n"));
        if i % 10 == 0 {
            text.push_str("short\n");
        }
    }
    (text, 300, 30)
}

#[test]
fn an_import_goes_on_after_a_restart_with_nothing_twice() {
    let (text, good, bad) = table();
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    for (stream, encoding) in [(text.clone().into_bytes(), Encoding::Identity), (gzip.finish().unwrap(), Encoding::Gzip)] {
        for threads in [1, 3] {
            let rig = Rig::new();
            let spec = ImportSpec { threads, encoding: Some(encoding), mode: LoadMode::Insert, ..keyed(csv(), "id") };
            let (id, found) = rig.interrupted(spec.clone(), &stream[..stream.len() * 2 / 3], 20);
            let session = rig.begin(spec, Some((&id, found)));
            assert_eq!(session.job().id(), id);
            session.write(&*stream).unwrap();
            let report = session.finish().unwrap();
            assert_eq!((report.rows, report.inserted, report.rejected_total), (good + bad, good, bad));
            assert_eq!(report.reject_file.unwrap().rows, bad);
            assert!(report.rejected.iter().all(|reject| reject.code == "csv_invalid") && report.rejected.len() as u64 == bad);
            let lines: Vec<u64> = report.rejected.iter().map(|reject| reject.line).collect();
            assert_eq!((lines[0], lines[1], lines.last()), (4, 25, Some(&613)));
            assert_eq!(rig.sink.records.lock().len() as u64, good);
            assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap_err().code, ErrorCode::JobFinished);
        }
    }
}

#[test]
fn one_of_messagepack_goes_on_behind_a_whole_value() {
    let rows: Vec<String> =
        (0..300).map(|i| if i % 10 == 0 { "7".into() } else { format!("{{\"id\":{i},\"v\":\"line\\n{i}\"}}") }).collect();
    let rows: Vec<&str> = std::iter::once("{\"id\":-1}").chain(rows.iter().map(|row| &**row)).collect();
    let stream = packed::pack(&rows);
    let rig = Rig::new();
    let spec = ImportSpec { mode: LoadMode::Insert, ..keyed(ImportSpec::new("s", crate::load::Format::Msgpack), "id") };
    let (id, found) = rig.interrupted(spec.clone(), &stream[..stream.len() * 2 / 3], 20);
    let session = rig.begin(spec, Some((&id, found)));
    session.write(&*stream).unwrap();
    let report = session.finish().unwrap();
    assert_eq!((report.rows, report.inserted, report.rejected_total), (301, 271, 30));
    let lines = report.rejected.iter().map(|reject| (reject.line, reject.code));
    assert!(lines.eq((0..30).map(|n| (2 + 10 * n, "msgpack_invalid"))));
    assert_eq!(rig.sink.records.lock().len(), 271);
}

#[test]
fn another_stream_is_refused() {
    let (text, ..) = table();
    let rig = Rig::new();
    let (id, found) = rig.interrupted(keyed(csv(), "id"), text.as_bytes(), 20);
    let session = rig.begin(keyed(csv(), "id"), Some((&id, found)));
    session.write(text.replace("line", "LINE").into_bytes()).unwrap_or_default();
    assert_eq!(session.finish().unwrap_err().code, ErrorCode::ImportChanged);
    assert_eq!(rig.jobs.info(&id).unwrap().state, JobState::Failed);
}

#[test]
fn after_a_wrong_stream_the_right_one_goes_on() {
    let (text, good, bad) = table();
    let rig = Rig::new();
    let spec = keyed(csv(), "id");
    let (id, found) = rig.interrupted(spec.clone(), &text.as_bytes()[..text.len() * 2 / 3], 20);
    let gzip = ImportSpec { encoding: Some(Encoding::Gzip), ..spec.clone() };
    let other = text.replace("line", "LINE");
    for (spec, stream, code) in [
        (spec.clone(), other.as_bytes(), ErrorCode::ImportChanged),
        (spec.clone(), &text.as_bytes()[..9], ErrorCode::ImportChanged),
        (gzip, text.as_bytes(), ErrorCode::EncodingInvalid),
    ] {
        let session = rig.begin(spec, Some((&id, Interrupted::find(&rig.jobs, &id).unwrap())));
        session.hold();
        session.release();
        session.write(stream).unwrap_or_default();
        assert_eq!(session.finish().unwrap_err().code, code);
        let kept = Interrupted::find(&rig.jobs, &id).unwrap();
        assert_eq!((kept.mark, kept.header), (found.mark, found.header));
    }
    let session = rig.begin(spec.clone(), Some((&id, Interrupted::find(&rig.jobs, &id).unwrap())));
    session.write(text.as_bytes()).unwrap();
    let report = session.finish().unwrap();
    assert_eq!((report.rows, report.rejected_total), (good + bad, bad));
    assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap_err().code, ErrorCode::JobFinished);

    let (id, found) = rig.interrupted(spec.clone(), text.as_bytes(), 20);
    let session = rig.begin(spec, Some((&id, found)));
    session.abort();
    assert_eq!(session.finish().unwrap_err().code, ErrorCode::Aborted);
    assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap_err().code, ErrorCode::JobFinished);
}

#[test]
fn a_journal_that_was_closed_is_left_to_the_next_session() {
    let rig = Rig::new();
    let files = rig.jobs.files().unwrap().clone();
    let path = files.path("import", JobFiles::JOURNAL);
    let journal = Journal::new(files, "import", "n", 5, String::new());
    let note = |bytes| {
        let reached = || (Mark { bytes, ..Mark::default() }, Counts::default(), None);
        journal.note(reached, Vec::new, |_| Ok(())).unwrap();
    };
    note(10);
    let before = std::fs::read(&path).unwrap();
    journal.close();
    note(20);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::remove_file(&path).unwrap();
    note(30);
    assert!(!path.exists(), "a late note brings back what the next session has removed");
}

#[test]
fn a_row_is_never_taken_for_the_header_that_was_lost() {
    let (text, good, _) = table();
    let rig = Rig::new();
    let spec = keyed(csv(), "id");
    let (id, found) = rig.interrupted(spec.clone(), &text.as_bytes()[..text.len() * 2 / 3], 20);
    let header = rig.jobs.files().unwrap().path(&id, "header");
    for lost in [None, Some(""), Some("id"), Some("v,id\n")] {
        match lost {
            None => std::fs::remove_file(&header).unwrap(),
            Some(text) => std::fs::write(&header, text).unwrap(),
        }
        let refused = rig.try_begin(spec.clone(), Some((&id, found.clone()))).err().map(|error| error.code);
        assert_eq!(refused, Some(ErrorCode::StorageFailed), "{lost:?}");
    }
    // What was lost before the journal told of it: an older one.
    let mut older = found.clone();
    older.header = None;
    std::fs::remove_file(&header).unwrap();
    assert!(rig.try_begin(spec.clone(), Some((&id, older))).is_err());
    std::fs::write(&header, "id,v\n").unwrap();
    let session = rig.begin(spec, Some((&id, found)));
    session.write(text.as_bytes()).unwrap();
    assert_eq!(session.finish().unwrap().inserted, good);
}

#[test]
fn a_reject_after_a_restart_leaves_the_header_as_it_is() {
    let rows: String = (0..200).map(|i| format!("{i},v\n")).collect();
    let text = format!("id,v\n{rows}short\n");
    let rig = Rig::new();
    let spec = keyed(csv(), "id");
    let (id, found) = rig.interrupted(spec.clone(), &text.as_bytes()[..text.len() / 2], 20);
    let header = rig.jobs.files().unwrap().path(&id, "header");
    let file = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&header).unwrap());
    let (before, modified) = (file(), std::fs::metadata(&header).unwrap().modified().unwrap());
    let session = rig.begin(spec, Some((&id, found)));
    session.write(text.as_bytes()).unwrap();
    assert_eq!(session.finish().unwrap().rejected_total, 1);
    assert_eq!((file(), std::fs::metadata(&header).unwrap().modified().unwrap()), (before, modified));
    assert_eq!(std::fs::read(&header).unwrap(), b"id,v\n");
}

#[test]
fn a_journal_that_stays_brings_back_nothing_that_was_aborted() {
    let rig = Rig::new();
    let (other, _) = rig.interrupted(ndjson(), "{\"v\":1}\n".repeat(100).as_bytes(), 8);
    let session = rig.begin(ndjson(), None);
    let id = session.job().id().to_owned();
    session.abort();
    assert_eq!(session.finish().unwrap_err().code, ErrorCode::Aborted);
    let files = rig.jobs.files().unwrap();
    std::fs::copy(files.path(&other, JobFiles::JOURNAL), files.path(&id, JobFiles::JOURNAL)).unwrap();
    assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap_err().code, ErrorCode::JobFinished);
    assert!(Interrupted::find(&rig.jobs, &other).is_ok());
}

#[test]
fn only_what_a_stop_cut_off_goes_on() {
    let rig = Rig::new();
    assert_eq!(Interrupted::find(&rig.jobs, "nope").unwrap_err().code, ErrorCode::ImportNotFound);
    let session = rig.begin(ndjson(), None);
    let id = session.job().id().to_owned();
    assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap_err().code, ErrorCode::ImportNotFound);
    session.hold();
    session.abort();
    assert_eq!(session.finish().unwrap_err().code, ErrorCode::Aborted);
    assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap_err().code, ErrorCode::JobFinished);
    let other = rig.jobs.begin(JobSpec::new(JobKind::Scan, "n", "Scan")).unwrap();
    other.finish(Ok("{}".into()));
    assert_eq!(Interrupted::find(&rig.jobs, other.id()).unwrap_err().code, ErrorCode::ImportNotFound);
    let (id, _) = rig.interrupted(ndjson(), "{\"v\":1}\n".repeat(100).as_bytes(), 8);
    Interrupted::forget(&rig.jobs, &id).unwrap();
    assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap_err().code, ErrorCode::JobFinished);
}

/// Whoever copied a data directory and has the copy where it was.
#[test]
fn nothing_is_removed_in_a_directory_that_replaced_ours() {
    let rig = Rig::new();
    let (id, found) = rig.interrupted(ndjson(), "{\"v\":1}\n".repeat(100).as_bytes(), 8);
    let held = rig.begin(ndjson(), None);
    held.write(b"{\"v\":1}\n".repeat(100)).unwrap();
    held.hold();
    let (mine, other) = (rig.noted(&held), rig.jobs.files().unwrap().path(&id, JobFiles::JOURNAL));
    let away = rig.directory.path().with_extension("away");
    std::fs::rename(rig.directory.path(), &away).unwrap();
    std::fs::create_dir_all(mine.parent().unwrap()).unwrap();
    for path in [&mine, &other] {
        std::fs::copy(away.join("imports").join(path.file_name().unwrap()), path).unwrap();
    }
    assert_eq!(Interrupted::forget(&rig.jobs, &id).unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    held.abort();
    assert_eq!(held.finish().unwrap_err().code, ErrorCode::Aborted);
    assert!(mine.exists() && other.exists());
    std::fs::remove_dir_all(rig.directory.path()).unwrap();
    std::fs::rename(&away, rig.directory.path()).unwrap();
    assert_eq!(Interrupted::find(&rig.jobs, &id).unwrap(), found);
    Interrupted::forget(&rig.jobs, &id).unwrap();
    assert!(!other.exists());
}

#[test]
fn a_closing_store_keeps_what_can_go_on() {
    let rig = Rig::new();
    let session = rig.begin(ndjson(), None);
    session.write(b"{\"v\":1}\n".repeat(100)).unwrap();
    session.hold();
    rig.jobs.close(std::time::Duration::from_secs(60)).unwrap();
    assert_eq!(session.finish().unwrap_err().code, ErrorCode::Closed);
    assert!(Interrupted::find(&rig.jobs, session.job().id()).is_ok());
}

#[test]
fn an_upload_that_broke_off_shows_as_paused_and_is_noted() {
    let rig = Rig::new();
    let session = rig.begin(ndjson(), None);
    session.write(b"{\"v\":1}\n".repeat(100)).unwrap();
    session.hold();
    let info = session.job().info();
    assert_eq!((info.state, info.reason.as_deref()), (JobState::Paused, Some("upload broke off")));
    let journal = rig.noted(&session);
    session.release();
    let info = session.job().info();
    assert_eq!((info.state, info.reason), (JobState::Running, None));
    session.write(b"{\"v\":1}\n".repeat(100)).unwrap();
    assert_eq!(session.finish().unwrap().inserted, 200);
    assert!(!journal.exists());
}

/// The jobs as a start finds them after a kill now.
fn after_a_kill(rig: &Rig) -> (tempfile::TempDir, Arc<JobRegistry>) {
    let copy = tempfile::tempdir().unwrap();
    for folder in ["", "imports"] {
        std::fs::create_dir_all(copy.path().join(folder)).unwrap();
        for file in std::fs::read_dir(rig.directory.path().join(folder)).unwrap().flatten() {
            // A file that is renamed meanwhile is there under its other name.
            if file.file_type().is_ok_and(|kind| kind.is_file()) {
                let _ = std::fs::copy(file.path(), copy.path().join(folder).join(file.file_name()));
            }
        }
    }
    let jobs = JobRegistry::open(Some(copy.path()), JobLimits::default()).unwrap();
    (copy, jobs)
}

#[test]
fn a_kill_right_after_a_break_leaves_an_import_that_goes_on() {
    let rig = Rig::new();
    let session = rig.begin(ndjson(), None);
    session.write(b"{\"v\":1}\n".repeat(100)).unwrap();
    session.hold();
    rig.noted(&session);
    let (_copy, jobs) = after_a_kill(&rig);
    assert_eq!(Interrupted::find(&jobs, session.job().id()).unwrap().query, "what was asked");
}

#[test]
fn an_upload_that_stands_still_is_noted() {
    let rig = Rig::new();
    // Not a whole row: nothing is ever stored.
    let session = rig.begin(ndjson(), None);
    session.write(b"{\"v\":".to_vec()).unwrap();
    let journal = rig.noted(&session);
    let (_copy, jobs) = after_a_kill(&rig);
    let found = Interrupted::find(&jobs, session.job().id()).unwrap();
    assert_eq!((found.mark, found.header), (Mark::default(), None));
    session.write(b"1}\n".to_vec()).unwrap();
    assert_eq!(session.finish().unwrap().inserted, 1);
    assert!(!journal.exists());
}
