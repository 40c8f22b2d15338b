//! How an import runs: waiting, ending, failing, stopping.

use super::*;
use crate::{JobPatch, JobState};
use std::sync::mpsc;
use std::time::Duration;

const ROW: &[u8] = b"{\"v\":\"0123456789012345678901234567890123456789\"}\n";

#[test]
fn the_job_counts_bytes_and_ends_with_the_report() {
    let sink = Arc::new(MapSink::default());
    let job = job(2);
    let session = ImportSession::begin(sink, ndjson(), Arc::clone(&job)).unwrap();
    session.write(ROW).unwrap();
    session.write(ROW).unwrap();
    let report = session.finish().unwrap();
    assert_eq!((report.rows, report.bytes), (2, 2 * ROW.len() as u64));
    assert_eq!(session.finish().unwrap(), report);
    assert_eq!(session.write(ROW).unwrap_err().code, ErrorCode::Closed);
    let info = job.info();
    assert_eq!((info.state, info.done), (JobState::Done, report.bytes));
    assert!(info.result.unwrap().starts_with(r#"{"rows":2,"#));
}

#[test]
fn callbacks_come_when_there_is_room_and_at_the_end() {
    let sink = Arc::new(MapSink::default());
    let session = ImportSession::begin(sink, keyed(ndjson(), "v"), job(2)).unwrap();
    let chunk = ROW.repeat(50_000);
    let (send, answers) = mpsc::channel();
    for _ in 0..8 {
        let send = send.clone();
        session.write_with(chunk.clone(), move |taken| send.send(taken).unwrap());
    }
    (0..8).for_each(|_| answers.recv().unwrap().unwrap());
    let (send, end) = mpsc::channel();
    session.finish_with(move |report| send.send(report).unwrap());
    let report = end.recv().unwrap().unwrap();
    assert_eq!((report.rows, report.inserted, report.updated), (400_000, 1, 399_999));
}

#[test]
fn a_failure_of_the_sink_ends_the_import_and_says_what_was_stored() {
    let sink = Arc::new(MapSink { batches_left: Some(Mutex::new(2)), ..MapSink::default() });
    let job = job(1);
    let session = ImportSession::begin_sized(sink, ndjson(), Arc::clone(&job), SMALL, None).unwrap();
    let stopped = std::iter::repeat_with(|| session.write(ROW)).find_map(std::result::Result::err).unwrap();
    assert_eq!(stopped.code, ErrorCode::MemoryFull);
    let error = session.finish().unwrap_err();
    assert_eq!(error.code, ErrorCode::MemoryFull);
    assert!(error.message.ends_with("(2 rows were stored before)"), "{error}");
    assert_eq!(job.info().state, JobState::Failed);
}

#[test]
fn an_abort_wakes_everyone() {
    for drop_it in [false, true] {
        let job = job(3);
        let session = ImportSession::begin(Arc::new(MapSink::default()), ndjson(), Arc::clone(&job)).unwrap();
        session.write(ROW).unwrap();
        if drop_it {
            drop(session);
        } else {
            session.abort();
            assert_eq!(session.finish().unwrap_err().code, ErrorCode::Aborted);
            assert_eq!(session.write(ROW).unwrap_err().code, ErrorCode::Aborted);
        }
        assert_eq!(job.wait_blocking(Duration::from_secs(60)).state, JobState::Aborted);
    }
}

#[test]
fn threads_may_change_and_a_pause_holds_the_rows_back() {
    let sink = Arc::new(MapSink::default());
    let job = job(1);
    let session = ImportSession::begin_sized(Arc::clone(&sink) as Arc<dyn RowSink>, ndjson(), Arc::clone(&job), SMALL, None).unwrap();
    let patch = |threads, paused| job.patch(JobPatch { threads, paused, records_per_second: None }).unwrap();
    for threads in [4, 1, 3, 2] {
        patch(Some(threads), None);
        (0..50).for_each(|_| session.write(ROW).unwrap());
    }
    patch(None, Some(true));
    session.write(ROW).unwrap();
    assert_eq!(job.info().state, JobState::Paused);
    patch(None, Some(false));
    assert_eq!(session.finish().unwrap().inserted, 201);
}

#[test]
fn a_failed_start_ends_the_job() {
    let job = job(1);
    let begun = ImportSession::begin(Arc::new(MapSink::default()), ImportSpec { set: "/".into(), ..csv() }, Arc::clone(&job));
    assert_eq!(begun.err().map(|error| error.code), Some(ErrorCode::NameInvalid));
    assert_eq!(job.info().state, JobState::Failed);
}
