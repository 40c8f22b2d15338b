//! The objects under one prefix of a bucket.

use crate::answer::{Fault, Judged};
use crate::ask::Asker;
use crate::exchange::{Answer, Request};
use crate::known_target::KnownTarget;
use crate::upload::{self, SIGNED};
use crate::xml::Texts;
use percent_encoding::percent_decode_str;
use reqwest::Method;
use rusty_s3::S3Action;
use std::time::Duration;
use tessera_base::{Error, Result, Sentence, sentence};
use tessera_core::backup::{Body, Objects, Slice, Wanted};

const FIRST_WAIT: Duration = Duration::from_millis(250);
/// A page of a list has at most 1,000 entries.
const LIST_MOST: usize = 8 << 20;
/// Pages of one list: a list of an endpoint that never ends is given up.
const PAGES_MOST: usize = 10_000;
/// Names that one list holds in memory: more than the parts of any backup.
const NAMES_MOST: usize = 1_000_000;

pub struct S3Bucket {
    asker: Asker,
}

struct Page {
    names: Vec<String>,
    /// What the next page is asked with; `None`: this is the last one.
    next: Option<String>,
}

impl S3Bucket {
    /// # Errors
    /// `config_invalid` for a description that is not legal, or files of it that cannot be read.
    pub fn open(name: &str, known: &KnownTarget) -> Result<Self> {
        Self::with_first_wait(name, known, FIRST_WAIT)
    }

    /// As `open`; `first_wait` comes before the second try of a request.
    ///
    /// # Errors
    /// As `open`.
    pub fn with_first_wait(name: &str, known: &KnownTarget, first_wait: Duration) -> Result<Self> {
        Ok(Self { asker: Asker::new(name, known, first_wait)? })
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.asker.access.prefix)
    }

    /// Keys, or folders, that begin with `under`, page after page.
    fn list(&self, under: &str, folders: bool, most: usize) -> Result<Vec<String>> {
        let prefix = self.key(under);
        let (mut found, mut token) = (Vec::new(), None::<String>);
        for _ in 0..PAGES_MOST {
            let page = self.page(&prefix, folders, token.as_deref(), most)?;
            found.extend(page.names);
            if page.next.is_none() || found.len() >= most {
                found.truncate(most);
                return Ok(found);
            }
            if page.next == token {
                return Err(self.lied(sentence!("its list goes round in a circle")));
            }
            if found.len() > NAMES_MOST {
                break;
            }
            token = page.next;
        }
        Err(self.lied(sentence!("its list does not end")))
    }

    fn page(&self, prefix: &str, folders: bool, token: Option<&str>, most: usize) -> Result<Page> {
        let access = &self.asker.access;
        let request = || {
            let mut action = access.bucket.list_objects_v2(Some(&access.credentials));
            if !prefix.is_empty() {
                action.with_prefix(prefix);
            }
            if folders {
                action.with_delimiter("/");
            }
            if let Some(token) = token {
                action.with_continuation_token(token);
            }
            if most < 1000 {
                action.with_max_keys(most);
            }
            Request::new(Method::GET, action.sign(SIGNED))
        };
        let own = access.prefix.as_str();
        self.asker.must(LIST_MOST, &|| true, request, |answer, _| page_of(&answer, prefix, own, folders))
    }

    fn lied(&self, what: Sentence) -> Error {
        Fault::Refused(what.into()).error(&self.asker.name)
    }
}

/// Names without the prefix of the target.
fn page_of(answer: &Answer, prefix: &str, own: &str, folders: bool) -> Judged<Page> {
    let wrong = |what: Sentence| Fault::Again(sentence!("its list {what}", what = what).into());
    let texts = Texts::read(&answer.body).filter(|texts| texts.root() == "ListBucketResult");
    let texts = texts.ok_or_else(|| wrong(sentence!("is cut off, or is none")))?;
    let encoded = texts.first("EncodingType") == Some("url");
    let path: &[&str] = if folders { &["CommonPrefixes", "Prefix"] } else { &["Contents", "Key"] };
    let mut names = Vec::new();
    for name in texts.at(path) {
        let name = match encoded {
            true => percent_decode_str(name).decode_utf8().map_err(|_| wrong(sentence!("has a name that is no text")))?.into_owned(),
            false => name.to_owned(),
        };
        if !name.starts_with(prefix) {
            return Err(wrong(sentence!("has a name that was not asked for")));
        }
        let name = name.strip_prefix(own).unwrap_or(&name);
        names.push(if folders { name.trim_end_matches('/') } else { name }.to_owned());
    }
    let next = match texts.first("IsTruncated") {
        Some("false") => None,
        Some("true") => Some(
            texts
                .first("NextContinuationToken")
                .filter(|token| !token.is_empty())
                .ok_or_else(|| wrong(sentence!("does not say how it goes on")))?,
        ),
        _ => return Err(wrong(sentence!("does not say whether it goes on"))),
    };
    Ok(Page { names, next: next.map(str::to_owned) })
}

/// What a request for `most` bytes from `from` on has brought.
fn slice_of(answer: Answer, from: u64, most: usize) -> Judged<Slice> {
    let length = answer.body.len() as u64;
    if answer.status == 200 {
        // The range was not looked at.
        return match from == 0 && length <= most as u64 && answer.header("content-length").is_none_or(|told| told == length.to_string()) {
            true => Ok(Slice { bytes: answer.body, total: length }),
            false => Err(Fault::Refused(sentence!("it does not look at ranges").into())),
        };
    }
    let range = answer.header("content-range").and_then(|range| {
        let (range, total) = range.strip_prefix("bytes ")?.split_once('/')?;
        let (first, last) = range.split_once('-')?;
        Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?, total.parse::<u64>().ok()?))
    });
    let Some((first, last, total)) = range.filter(|_| answer.status == 206) else {
        return Err(Fault::Again(sentence!("it does not say which bytes it answers").into()));
    };
    let end = from.saturating_add(most as u64).min(total);
    if first != from || last.checked_add(1) != Some(end) || length != end - from {
        return Err(Fault::Again(sentence!("it answers other bytes than those that were asked for").into()));
    }
    Ok(Slice { bytes: answer.body, total })
}

impl Objects for S3Bucket {
    fn read(&self, key: &str, from: u64, most: usize, wanted: &Wanted<'_>) -> Result<Option<Slice>> {
        let (key, access) = (self.key(key), &self.asker.access);
        let request = || {
            let url = access.bucket.get_object(Some(&access.credentials), &key).sign(SIGNED);
            let range = Some(format!("bytes={from}-{}", from.saturating_add(most as u64) - 1));
            Request { range, ..Request::new(Method::GET, url) }
        };
        match self.asker.ask(most, wanted, request, |answer, _| slice_of(answer, from, most))? {
            Ok(slice) => Ok(Some(slice)),
            Err(Fault::NoSuchKey) => Ok(None),
            // There is nothing at and behind the place that was asked for.
            Err(Fault::Past(total)) => Ok(Some(Slice { bytes: Vec::new(), total })),
            Err(fault) => Err(fault.error(&self.asker.name)),
        }
    }

    fn write(&self, key: &str, body: Body<'_>, wanted: &Wanted<'_>) -> Result<()> {
        upload::write(&self.asker, &self.key(key), body, wanted)
    }

    fn keys(&self, prefix: &str, most: usize) -> Result<Vec<String>> {
        self.list(prefix, false, most)
    }

    fn folders(&self, most: usize) -> Result<Vec<String>> {
        self.list("", true, most)
    }

    fn remove(&self, key: &str) -> Result<()> {
        let (key, access) = (self.key(key), &self.asker.access);
        let request = || Request::new(Method::DELETE, access.bucket.delete_object(Some(&access.credentials), &key).sign(SIGNED));
        match self.asker.ask(64 << 10, &|| true, request, |_, _| Ok(()))? {
            Ok(()) | Err(Fault::NoSuchKey) => Ok(()),
            Err(fault) => Err(fault.error(&self.asker.name)),
        }
    }
}
