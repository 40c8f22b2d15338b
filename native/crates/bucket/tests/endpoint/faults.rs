//! What an endpoint does wrong is tried again, or told with a code; nothing wrong is taken for right.

use crate::fake::{Asked, Endpoint, Fault, SECRET};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tessera_base::{Error, ErrorCode, Result};
use tessera_core::backup::{Body, Objects};

const PIECES: usize = 20 << 20;

fn always(_: &Asked) -> Option<Fault> {
    None
}

/// The first `times` requests get the fault.
fn first(times: usize, fault: Fault) -> impl FnMut(&Asked) -> Option<Fault> + Send + 'static {
    let mut left = times;
    move |_| {
        left = left.checked_sub(1)?;
        Some(fault.clone())
    }
}

fn each(fault: Fault) -> impl FnMut(&Asked) -> Option<Fault> + Send + 'static {
    move |_| Some(fault.clone())
}

fn refused<T>(found: Result<T>) -> Error {
    let error = found.err().unwrap();
    assert!(!error.message.contains(SECRET) && !error.message.contains("Signature="), "{error}");
    error
}

fn file(bytes: &[u8]) -> std::fs::File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

#[test]
fn objects_are_written_read_listed_and_removed() {
    let endpoint = Endpoint::start();
    endpoint.faulty(always);
    let bucket = endpoint.bucket();
    bucket.write("a/x", Body::Bytes(b"hello"), &|| true).unwrap();
    assert_eq!(endpoint.objects(|objects| objects.keys().cloned().collect::<Vec<_>>()), ["some/where/a/x"]);
    let slice = bucket.read("a/x", 1, 3, &|| true).unwrap().unwrap();
    assert_eq!((slice.bytes.as_slice(), slice.total), (&b"ell"[..], 5));
    let slice = bucket.read("a/x", 3, 100, &|| true).unwrap().unwrap();
    assert_eq!((slice.bytes.as_slice(), slice.total), (&b"lo"[..], 5));
    let slice = bucket.read("a/x", 5, 100, &|| true).unwrap().unwrap();
    assert_eq!((slice.bytes.as_slice(), slice.total), (&b""[..], 5));
    assert!(bucket.read("a/y", 0, 1, &|| true).unwrap().is_none());
    assert_eq!(bucket.folders(10).unwrap(), ["a"]);
    bucket.remove("a/x").unwrap();
    bucket.remove("a/x").unwrap();
    assert!(bucket.keys("", 10).unwrap().is_empty());
}

#[test]
fn a_list_has_more_than_one_page() {
    let endpoint = Endpoint::start();
    endpoint.objects(|objects| {
        for number in 0..2_500 {
            objects.insert(format!("some/where/{number:05}/x"), vec![]);
            objects.insert(format!("some/where/{number:05}/y"), vec![]);
        }
        objects.insert("some/wherever/x".into(), vec![]);
    });
    let bucket = endpoint.bucket();
    assert_eq!(bucket.keys("", usize::MAX).unwrap().len(), 5_000);
    let folders = bucket.folders(usize::MAX).unwrap();
    assert_eq!((folders.len(), folders[2_499].as_str()), (2_500, "02499"));
    assert_eq!(bucket.keys("00001/", 1).unwrap(), ["00001/x"]);
    assert_eq!(bucket.folders(1_700).unwrap().len(), 1_700);
}

#[test]
fn what_passes_is_tried_again() {
    let endpoint = Endpoint::start();
    let bucket = endpoint.bucket();
    let bytes: Vec<u8> = (0..PIECES).map(|at| at as u8).collect();
    for fault in [
        Fault::Says(503, "SlowDown"),
        Fault::Says(500, "InternalError"),
        Fault::Says(200, "InternalError"),
        Fault::Says(429, "X"),
        Fault::HangsUp,
        Fault::CutOff,
    ] {
        endpoint.faulty(first(3, fault.clone()));
        bucket.write("x", Body::Bytes(b"hello"), &|| true).unwrap();
        endpoint.faulty(first(3, fault.clone()));
        assert_eq!(bucket.read("x", 0, 10, &|| true).unwrap().unwrap().bytes, b"hello");
        endpoint.faulty(first(3, fault.clone()));
        assert_eq!(bucket.keys("", 10).unwrap(), ["x"]);
        endpoint.faulty(first(3, fault));
        bucket.remove("x").unwrap();
    }
    // One request in three fails, whichever it is.
    let mut number = 0;
    endpoint.faulty(move |_| {
        number += 1;
        (number % 3 == 1).then_some(Fault::HangsUp)
    });
    bucket.write("y", Body::File(&file(&bytes), PIECES as u64), &|| true).unwrap();
    assert!(endpoint.objects(|objects| objects["some/where/y"] == bytes));
}

#[test]
fn an_endpoint_that_stays_away_is_told_as_that() {
    let endpoint = Endpoint::start();
    let bucket = endpoint.bucket();
    for fault in [
        Fault::Says(503, "SlowDown"),
        Fault::Says(200, "InternalError"),
        Fault::HangsUp,
        Fault::CutOff,
        Fault::Silent,
        Fault::Raw(b"no HTTP at all\r\n\r\n".to_vec()),
    ] {
        endpoint.faulty(each(fault));
        assert_eq!(refused(bucket.keys("", 1)).code, ErrorCode::BackupTargetUnavailable);
    }
    drop(endpoint);
}

#[test]
fn what_will_not_pass_is_told_at_once() {
    let endpoint = Endpoint::start();
    let bucket = endpoint.bucket();
    let redirect = b"HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".to_vec();
    for (fault, part) in [
        (Fault::Says(403, "SignatureDoesNotMatch"), "secret is wrong"),
        (Fault::Says(403, "InvalidAccessKeyId"), "secret is wrong"),
        (Fault::Says(403, "AccessDenied"), "may not do this"),
        (Fault::Says(404, "NoSuchBucket"), "no such bucket"),
        (Fault::Says(301, "PermanentRedirect"), "redirects"),
        (Fault::Says(400, "AuthorizationHeaderMalformed"), "region"),
        (Fault::Says(404, "X"), "as no S3 does"),
        (Fault::Raw(redirect), "redirects"),
    ] {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        endpoint.faulty(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Some(fault.clone())
        });
        let error = refused(bucket.write("x", Body::Bytes(b"x"), &|| true));
        assert_eq!((error.code, asked.load(Ordering::Relaxed)), (ErrorCode::BackupTargetRefused, 1), "{error}");
        assert!(error.message.contains(part), "{error}");
    }
}

#[test]
fn other_bytes_than_those_asked_for_are_no_answer() {
    let endpoint = Endpoint::start();
    let bucket = endpoint.bucket();
    bucket.write("x", Body::Bytes(b"hello"), &|| true).unwrap();
    for raw in [
        "HTTP/1.1 206 X\r\ncontent-range: bytes 0-2/5\r\ncontent-length: 3\r\n\r\nhel",
        "HTTP/1.1 206 X\r\ncontent-range: bytes 1-5/9\r\ncontent-length: 5\r\n\r\nhello",
        "HTTP/1.1 206 X\r\ncontent-range: bytes 0-4/5\r\ncontent-length: 4\r\n\r\nhell",
        "HTTP/1.1 206 X\r\ncontent-length: 5\r\n\r\nhello",
        "HTTP/1.1 200 X\r\ncontent-length: 20\r\n\r\nhellohellohellohello",
        "HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nhello",
    ] {
        endpoint.faulty(each(Fault::Raw(raw.into())));
        let error = refused(bucket.read("x", 0, 10, &|| true).map(drop));
        assert!(error.is_of_backup_target(), "{raw}: {error}");
    }
}

#[test]
fn a_list_that_lies_is_no_list() {
    let endpoint = Endpoint::start();
    let bucket = endpoint.bucket();
    for list in [
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult></ListBucketResult>",
        "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>some/where/x</Key></Contents>",
        "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>else/x</Key></Contents></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
        "<html></html>",
        "",
    ] {
        let raw = format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n{list}", list.len());
        endpoint.faulty(each(Fault::Raw(raw.into())));
        assert!(refused(bucket.keys("", 10)).is_of_backup_target(), "{list}");
    }
}

#[test]
fn an_upload_that_fails_is_given_up() {
    let endpoint = Endpoint::start();
    let bucket = endpoint.bucket();
    let bytes = vec![7; PIECES];
    endpoint
        .faulty(|asked| (asked.query.get("partNumber").is_some_and(|number| number == "2")).then_some(Fault::Says(403, "AccessDenied")));
    let error = refused(bucket.write("x", Body::File(&file(&bytes), PIECES as u64), &|| true));
    assert_eq!((error.code, endpoint.uploads()), (ErrorCode::BackupTargetRefused, 0));
    // Its end comes through, and the answer is lost.
    let mut lost = false;
    endpoint.faulty(move |asked| {
        let ends = asked.method == "POST" && asked.query.contains_key("uploadId") && !lost;
        lost |= ends;
        ends.then_some(Fault::CutOff)
    });
    bucket.write("x", Body::File(&file(&bytes), PIECES as u64), &|| true).unwrap();
    assert_eq!(endpoint.objects(|objects| objects["some/where/x"].len()), PIECES);
}

#[test]
fn an_abort_ends_what_is_under_way() {
    let endpoint = Endpoint::start();
    let bucket = endpoint.patient_bucket();
    let asked = Arc::new(AtomicBool::new(false));
    let seen = asked.clone();
    endpoint.faulty(move |_| {
        seen.store(true, Ordering::SeqCst);
        Some(Fault::Silent)
    });
    // Once the endpoint has the request, nobody wants the answer any more, which never comes.
    let wanted = || !asked.load(Ordering::SeqCst);
    assert_eq!(refused(bucket.write("x", Body::Bytes(b"x"), &wanted)).code, ErrorCode::Aborted);
    assert_eq!(refused(bucket.read("x", 0, 1, &|| false).map(drop)).code, ErrorCode::Aborted);
    endpoint.faulty(each(Fault::Says(503, "SlowDown")));
    assert_eq!(refused(bucket.read("x", 0, 1, &|| false).map(drop)).code, ErrorCode::Aborted);
}
