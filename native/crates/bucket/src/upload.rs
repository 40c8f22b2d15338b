//! Makes an object: in one request, or in pieces that become an object together.

use crate::answer::Fault;
use crate::ask::Asker;
use crate::exchange::Request;
use crate::xml::Texts;
use reqwest::{Method, Url};
use rusty_s3::S3Action;
use rusty_s3::actions::CompleteMultipartUpload;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;
use tessera_base::{Error, Result, sentence};
use tessera_core::backup::{Body, Wanted};

/// A request has at most this many bytes, unless an object has so many that there would be too many pieces.
const PIECE: u64 = 8 << 20;
/// S3 takes 10,000.
const PIECES_MOST: u64 = 9_000;
/// A signature is good for this long.
pub(crate) const SIGNED: Duration = Duration::from_secs(3600);
const ANSWER_MOST: usize = 64 << 10;
/// To give an upload up is worth no longer wait: who aborts is waiting.
const GIVE_UP: Duration = Duration::from_secs(2);

/// # Errors
/// `backup_target_unavailable`, `backup_target_refused`, `aborted`; `storage_failed` for the file.
pub(crate) fn write(asker: &Asker, key: &str, body: Body<'_>, wanted: &Wanted<'_>) -> Result<()> {
    match body {
        Body::Bytes(bytes) => put(asker, key, bytes, wanted),
        Body::File(file, bytes) if bytes <= PIECE => put(asker, key, &piece(file, 0, bytes)?, wanted),
        Body::File(file, bytes) => in_pieces(asker, key, file, bytes, wanted),
    }
}

fn put(asker: &Asker, key: &str, bytes: &[u8], wanted: &Wanted<'_>) -> Result<()> {
    let access = &asker.access;
    let request = || {
        let url = access.bucket.put_object(Some(&access.credentials), key).sign(SIGNED);
        Request { body: bytes.to_vec(), ..Request::new(Method::PUT, url) }
    };
    asker.must(ANSWER_MOST, wanted, request, |_, _| Ok(()))
}

fn piece(file: &File, at: u64, bytes: u64) -> Result<Vec<u8>> {
    let mut piece = vec![0; bytes as usize];
    file.read_exact_at(&mut piece, at).map_err(|error| Error::io("reading a part of a backup", &error))?;
    Ok(piece)
}

fn in_pieces(asker: &Asker, key: &str, file: &File, bytes: u64, wanted: &Wanted<'_>) -> Result<()> {
    let access = &asker.access;
    let begin = || Request::new(Method::POST, access.bucket.create_multipart_upload(Some(&access.credentials), key).sign(SIGNED));
    let id = asker.must(ANSWER_MOST, wanted, begin, |answer, _| {
        let texts = Texts::read(&answer.body).filter(|texts| texts.root() == "InitiateMultipartUploadResult");
        let id = texts.as_ref().and_then(|texts| texts.first("UploadId")).filter(|id| !id.is_empty()).map(str::to_owned);
        id.ok_or_else(|| Fault::Again(sentence!("it began an upload and did not say which").into()))
    })?;
    let done = send_pieces(asker, key, &id, file, bytes, wanted).and_then(|tags| complete(asker, key, &id, &tags, wanted));
    if done.is_err() {
        let url = access.bucket.abort_multipart_upload(Some(&access.credentials), key, &id).sign(SIGNED);
        asker.try_once(Request::new(Method::DELETE, url), GIVE_UP);
    }
    done
}

/// The tags of the pieces, in order.
fn send_pieces(asker: &Asker, key: &str, id: &str, file: &File, bytes: u64, wanted: &Wanted<'_>) -> Result<Vec<String>> {
    let access = &asker.access;
    let size = bytes.div_ceil(PIECES_MOST).max(PIECE);
    let mut tags = Vec::new();
    for (number, at) in (1..=u16::MAX).zip((0..bytes).step_by(size as usize)) {
        let piece = piece(file, at, size.min(bytes - at))?;
        let request = || {
            let url: Url = access.bucket.upload_part(Some(&access.credentials), key, number, id).sign(SIGNED);
            Request { body: piece.clone(), ..Request::new(Method::PUT, url) }
        };
        tags.push(asker.must(ANSWER_MOST, wanted, request, |answer, _| match answer.header("etag") {
            Some(tag) if !tag.is_empty() => Ok(tag.to_owned()),
            _ => Err(Fault::Again(sentence!("it took a piece and did not say its tag").into())),
        })?);
    }
    Ok(tags)
}

fn complete(asker: &Asker, key: &str, id: &str, tags: &[String], wanted: &Wanted<'_>) -> Result<()> {
    let access = &asker.access;
    let action = || CompleteMultipartUpload::new(&access.bucket, Some(&access.credentials), key, id, tags.iter().map(String::as_str));
    let request = || Request { body: action().body().into_bytes(), ..Request::new(Method::POST, action().sign(SIGNED)) };
    let done = asker.ask(ANSWER_MOST, wanted, request, |answer, _| {
        let whole = Texts::read(&answer.body).is_some_and(|texts| texts.root() == "CompleteMultipartUploadResult");
        if whole { Ok(()) } else { Err(Fault::Again(sentence!("it did not say that an upload is complete").into())) }
    })?;
    match done {
        // An earlier try had come through, and its answer was lost. The object is read and compared in any case.
        Err(Fault::NoSuchUpload) => Ok(()),
        done => done.map_err(|fault| fault.error(&asker.name)),
    }
}
