//! What an answer means: whether it is good, whether to ask again, or what to tell the operator.

use crate::exchange::Answer;
use crate::xml::Texts;
use tessera_base::{Error, ErrorCode, Sentence, SentenceValue, sentence};

/// What is wrong with an answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It may pass.
    Again(SentenceValue),
    /// It will not.
    Refused(SentenceValue),
    NoSuchKey,
    NoSuchUpload,
    /// What was asked for begins behind the end of an object, which has so many bytes.
    Past(u64),
}

pub(crate) type Judged<T> = std::result::Result<T, Fault>;

impl Fault {
    /// After the last try.
    pub(crate) fn error(self, target: &str) -> Error {
        let (code, what) = match self {
            Self::Again(what) => (ErrorCode::BackupTargetUnavailable, what),
            Self::Refused(what) => (ErrorCode::BackupTargetRefused, what),
            Self::NoSuchKey => (ErrorCode::BackupTargetRefused, sentence!("it lacks an object that it had").into()),
            Self::Past(_) => (ErrorCode::BackupTargetRefused, sentence!("an object is shorter than it was").into()),
            Self::NoSuchUpload => (ErrorCode::BackupTargetRefused, sentence!("it has forgotten an upload (NoSuchUpload)").into()),
        };
        Error::said(code, sentence!("the target \"{target}\": {what}", target = target, what = what))
    }
}

/// The answer, if it tells of success.
pub(crate) fn good(answer: Answer) -> Judged<Answer> {
    match answer.status {
        // An endpoint that finds out late has said yes already.
        200..=299 if is_failure(&answer.body) => Err(fault(&answer)),
        200..=299 => Ok(answer),
        _ => Err(fault(&answer)),
    }
}

fn is_failure(body: &[u8]) -> bool {
    body.len() < 64 << 10 && body.trim_ascii_start().starts_with(b"<") && Texts::read(body).is_some_and(|texts| texts.root() == "Error")
}

fn fault(answer: &Answer) -> Fault {
    let texts = Texts::read(&answer.body).filter(|texts| texts.root() == "Error");
    // Nothing else of the answer is shown: it may quote what was signed.
    let code = texts.as_ref().and_then(|texts| texts.first("Code")).filter(|code| is_word(code)).unwrap_or_default();
    let status = answer.status;
    let named = if code.is_empty() { format!("status {status}") } else { format!("{code}, status {status}") };
    let refused = |what: Sentence| Fault::Refused(sentence!("{what} ({answer})", what = what, answer = &named).into());
    match code {
        "NoSuchKey" => return Fault::NoSuchKey,
        "NoSuchUpload" => return Fault::NoSuchUpload,
        "SlowDown" | "RequestTimeout" | "InternalError" | "ServiceUnavailable" | "OperationAborted" | "RequestLimitExceeded" => {
            return Fault::Again(sentence!("it asks to come again later ({answer})", answer = &named).into());
        }
        "NoSuchBucket" => return refused(sentence!("there is no such bucket")),
        "InvalidAccessKeyId" | "SignatureDoesNotMatch" | "InvalidClientTokenId" => {
            return refused(sentence!("the access key or its secret is wrong"));
        }
        "AccessDenied" | "AllAccessDisabled" | "AccountProblem" => return refused(sentence!("the access key may not do this")),
        "RequestTimeTooSkewed" => return refused(sentence!("the clock of this server is wrong")),
        "AuthorizationHeaderMalformed" | "AuthorizationQueryParametersError" | "IllegalLocationConstraintException" => {
            return refused(sentence!("the region is wrong"));
        }
        _ => {}
    }
    match status {
        416 => {
            Fault::Past(answer.header("content-range").and_then(|range| range.strip_prefix("bytes */")?.parse().ok()).unwrap_or_default())
        }
        300..=399 => refused(sentence!("it redirects, which is not followed: correct endpoint, region or pathStyle")),
        401 | 403 => refused(sentence!("the access key may not do this")),
        408 | 425 | 429 | 500 | 502 | 503 | 504 => {
            Fault::Again(sentence!("it asks to come again later ({answer})", answer = &named).into())
        }
        200..=299 => Fault::Again(sentence!("it said yes and then failed ({answer})", answer = &named).into()),
        _ => refused(sentence!("it answers as no S3 does")),
    }
}

fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
