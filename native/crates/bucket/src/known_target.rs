//! The targets of backups that the operator has described: where each is, and who may write there.
//!
//! A caller of the API names one of them. So nobody chooses where this process connects to, and no
//! secret is in an answer, in a job or in a log. The file is read anew each time a target is named.

use rusty_s3::{Bucket, Credentials, UrlStyle};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};

/// A file that the operator wrote has at most this many bytes.
const FILE_MOST: u64 = 1 << 20;
const PREFIX_MOST: usize = 512;

/// A target, as the file describes it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct KnownTarget {
    /// Such as `https://s3.eu-central-1.amazonaws.com`.
    pub endpoint: String,
    #[serde(default = "default_region")]
    pub region: String,
    pub bucket: String,
    /// What the keys of all objects begin with, and a `/`; empty: nothing.
    #[serde(default)]
    pub prefix: String,
    pub access_key: String,
    /// A file with the secret key, and nothing else.
    pub secret_key_file: Option<PathBuf>,
    /// The environment variable that has the secret key.
    pub secret_key_variable: Option<String>,
    /// Whether the bucket is in the path of an address, not in its host name.
    #[serde(default)]
    pub path_style: bool,
    /// PEM file of the authorities that are trusted; `None`: those of this machine.
    pub ca: Option<PathBuf>,
    /// Whether HTTP without TLS is meant, also to another machine.
    #[serde(default)]
    pub plain_http: bool,
    /// How long one request may take; each has at most some MiB.
    #[serde(default = "default_timeout")]
    pub timeout_seconds: u64,
}

fn default_region() -> String {
    "us-east-1".to_owned()
}

const fn default_timeout() -> u64 {
    60
}

/// What requests to a target are made of.
pub(crate) struct Access {
    pub(crate) bucket: Bucket,
    pub(crate) credentials: Credentials,
    /// Empty, or with a `/` at its end.
    pub(crate) prefix: String,
    /// PEM of the authorities that are trusted.
    pub(crate) ca: Option<Vec<u8>>,
    pub(crate) timeout: Duration,
}

impl KnownTarget {
    /// Checks the description and reads the files that it names.
    ///
    /// # Errors
    /// `config_invalid`. No secret is in the message.
    pub(crate) fn access(&self, name: &str) -> Result<Access> {
        let wrong = |what: Sentence| invalid(sentence!("the target \"{name}\" {what}", name = name, what = what));
        self.check(name)?;
        let endpoint = self.endpoint.parse().map_err(|_| wrong(sentence!("must have an address as its endpoint")))?;
        let style = if self.path_style { UrlStyle::Path } else { UrlStyle::VirtualHost };
        let bucket = Bucket::new(endpoint, style, self.bucket.clone(), self.region.clone())
            .map_err(|_| wrong(sentence!("must have an address as its endpoint")))?;
        let prefix = if self.prefix.is_empty() { String::new() } else { format!("{}/", self.prefix) };
        let credentials = Credentials::new(&self.access_key, self.secret(name)?);
        let ca = self.ca.as_deref().map(|path| read(path, &format!("ca of the target {name:?}"))).transpose()?;
        Ok(Access { bucket, credentials, prefix, ca, timeout: Duration::from_secs(self.timeout_seconds) })
    }

    fn check(&self, name: &str) -> Result<()> {
        let wrong = |what: Sentence| Err(invalid(sentence!("the target \"{name}\" must have {what}", name = name, what = what)));
        if limits::check_name(name, "target").is_err() {
            return Err(invalid(sentence!("no backup can name the target \"{name}\"", name = limits::shown(name))));
        }
        let legal = |text: &str, more: &str, most: usize| {
            (1..=most).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
        };
        if !legal(&self.bucket, ".-_", 255) {
            return wrong(sentence!("a bucket of letters, digits, '.', '-' and '_'"));
        }
        if !legal(&self.region, "-_", 64) {
            return wrong(sentence!("a region of letters, digits, '-' and '_'"));
        }
        let part_legal = |part: &str| legal(part, "._-", PREFIX_MOST) && part != "." && part != "..";
        if !self.prefix.is_empty() && (self.prefix.len() > PREFIX_MOST || !self.prefix.split('/').all(part_legal)) {
            return wrong(sentence!("a prefix of letters, digits, '.', '-' and '_' between single '/', such as backups/a"));
        }
        if self.access_key.is_empty() || self.access_key.len() > 256 || !self.access_key.chars().all(|c| c.is_ascii_graphic()) {
            return wrong(sentence!("an accessKey of 1 to 256 visible ASCII characters"));
        }
        if self.secret_key_file.is_some() == self.secret_key_variable.is_some() {
            return wrong(sentence!("either secretKeyFile or secretKeyVariable"));
        }
        if [&self.secret_key_file, &self.ca].into_iter().flatten().any(|path| !path.is_absolute()) {
            return wrong(sentence!("absolute paths"));
        }
        if !(1..=3600).contains(&self.timeout_seconds) {
            return wrong(sentence!("timeoutSeconds of 1 to 3600, got {given}", given = self.timeout_seconds));
        }
        self.check_endpoint(name)
    }

    fn check_endpoint(&self, name: &str) -> Result<()> {
        let wrong = |what: Sentence| Err(invalid(sentence!("the endpoint of the target \"{name}\" {what}", name = name, what = what)));
        let Ok(url) = self.endpoint.parse::<reqwest::Url>() else {
            return wrong(sentence!("must be an address, such as https://s3.eu-central-1.amazonaws.com"));
        };
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return wrong(sentence!("must be scheme, host and port, and nothing else"));
        }
        if url.path() != "/" {
            return wrong(sentence!("must have no path; use prefix"));
        }
        match (url.scheme(), url.host_str()) {
            ("https", Some(_)) => Ok(()),
            ("http", Some(host)) if self.plain_http || is_loopback(host) => Ok(()),
            ("http", Some(_)) => {
                wrong(sentence!("is HTTP to another machine, which everybody on the way can read: use HTTPS, or set plainHttp"))
            }
            _ => wrong(sentence!("must begin with https:// or http://")),
        }
    }

    fn secret(&self, name: &str) -> Result<String> {
        let wrong = |what: Sentence| invalid(sentence!("the secret key of the target \"{name}\" {what}", name = name, what = what));
        let text = match (&self.secret_key_file, &self.secret_key_variable) {
            (Some(path), _) => {
                let bytes = read(path, &format!("secretKeyFile of the target {name:?}"))?;
                String::from_utf8(bytes).map_err(|_| wrong(sentence!("is no text")))?
            }
            (None, Some(variable)) => {
                std::env::var(variable).map_err(|_| wrong(sentence!("is not in the environment variable that is named")))?
            }
            (None, None) => String::new(),
        };
        let secret = text.trim_end_matches(['\r', '\n']);
        let legal = (1..=1024).contains(&secret.len()) && secret.chars().all(|c| c.is_ascii_graphic());
        if legal { Ok(secret.to_owned()) } else { Err(wrong(sentence!("must be 1 to 1024 visible ASCII characters"))) }
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The target `name` of the file at `path`; `None`: the operator has described none.
///
/// # Errors
/// `backup_target_not_found`; `config_invalid`. What stands in the file is in no message.
pub fn find(path: Option<&Path>, name: &str) -> Result<KnownTarget> {
    let missing = |message: Sentence| Error::said(ErrorCode::BackupTargetNotFound, message).in_field("target");
    let Some(path) = path else {
        return Err(missing(sentence!("this server knows no targets; its operator describes them in the file of TESSERA_BACKUP_TARGETS")));
    };
    let known =
        list(path)?.remove(name).ok_or_else(|| missing(sentence!("this server knows no target \"{name}\"", name = limits::shown(name))))?;
    known.check(name)?;
    Ok(known)
}

/// All targets of a file.
///
/// # Errors
/// `config_invalid`. What stands in the file is in no message.
pub fn list(path: &Path) -> Result<BTreeMap<String, KnownTarget>> {
    let text = read(path, "the file of TESSERA_BACKUP_TARGETS")?;
    // The parser quotes what it does not understand, and that may be a secret.
    serde_json::from_slice(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        invalid(sentence!(
            "the file of TESSERA_BACKUP_TARGETS is not as it must be, at line {line}, column {column}",
            line = line,
            column = column
        ))
    })
}

fn read(path: &Path, what: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let found =
        fs::metadata(path).and_then(|found| if found.is_file() { File::open(path) } else { Err(std::io::ErrorKind::InvalidInput.into()) });
    found
        .and_then(|file| file.take(FILE_MOST + 1).read_to_end(&mut bytes))
        .map_err(|error| invalid(sentence!("{what} cannot be read: {why}", what = what, why = error)))?;
    if bytes.len() as u64 > FILE_MOST {
        Err(invalid(sentence!("{what} has more than {most} bytes", what = what, most = FILE_MOST)))
    } else {
        Ok(bytes)
    }
}

pub(crate) fn invalid(message: Sentence) -> Error {
    Error::said(ErrorCode::ConfigInvalid, message).in_field("target")
}

#[cfg(test)]
mod tests;
