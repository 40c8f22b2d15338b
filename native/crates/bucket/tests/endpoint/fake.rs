//! An endpoint of the test's own: it keeps objects in memory, and goes wrong as it is told.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tessera_bucket::{KnownTarget, S3Bucket};

pub const BUCKET: &str = "b";
pub const SECRET: &str = "hunter2hunter2";

pub struct Asked {
    pub method: String,
    /// Key of the object; empty for the bucket.
    pub key: String,
    pub query: BTreeMap<String, String>,
    pub range: Option<(usize, usize)>,
    pub body: Vec<u8>,
}

/// What goes wrong.
#[derive(Clone)]
pub enum Fault {
    /// The answer as it stands, from its first byte on.
    Raw(Vec<u8>),
    /// A failure as S3 tells it.
    Says(u16, &'static str),
    /// The connection ends.
    HangsUp,
    /// Nothing comes, and the connection stays.
    Silent,
    /// The right answer, with one byte of its body changed.
    OtherByte,
    /// The right answer, of which the body ends early.
    CutOff,
    /// An object is stored with one byte changed.
    StoresOther,
    /// An object is said to be stored, and is not.
    Forgets,
}

type Rule = Box<dyn FnMut(&Asked) -> Option<Fault> + Send>;

#[derive(Default)]
struct Kept {
    objects: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
}

pub struct Endpoint {
    address: SocketAddr,
    kept: Arc<Mutex<Kept>>,
    rule: Arc<Mutex<Rule>>,
    directory: tempfile::TempDir,
}

impl Endpoint {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let kept = Arc::<Mutex<Kept>>::default();
        let rule: Arc<Mutex<Rule>> = Arc::new(Mutex::new(Box::new(|_| None)));
        let (all, rules) = (kept.clone(), rule.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (all, rules) = (all.clone(), rules.clone());
                thread::spawn(move || drop(serve(&stream, &all, &rules)));
            }
        });
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("secret"), SECRET).unwrap();
        Self { address, kept, rule, directory }
    }

    /// From now on, what `rule` says goes wrong.
    pub fn faulty(&self, rule: impl FnMut(&Asked) -> Option<Fault> + Send + 'static) {
        *self.rule.lock().unwrap() = Box::new(rule);
    }

    pub fn good(&self) {
        self.faulty(|_| None);
    }

    /// Changes what is kept.
    pub fn objects<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>) -> T) -> T {
        change(&mut self.kept.lock().unwrap().objects)
    }

    pub fn uploads(&self) -> usize {
        self.kept.lock().unwrap().uploads.len()
    }

    pub fn known(&self) -> KnownTarget {
        KnownTarget {
            endpoint: format!("http://{}", self.address),
            region: "us-east-1".into(),
            bucket: BUCKET.into(),
            prefix: "some/where".into(),
            access_key: "key".into(),
            secret_key_file: Some(self.directory.path().join("secret")),
            secret_key_variable: None,
            path_style: true,
            ca: None,
            plain_http: false,
            timeout_seconds: 1,
        }
    }

    pub fn bucket(&self) -> S3Bucket {
        S3Bucket::with_first_wait("t", &self.known(), Duration::from_millis(1)).unwrap()
    }

    /// One whose requests may take for ever.
    pub fn patient_bucket(&self) -> S3Bucket {
        let known = KnownTarget { timeout_seconds: 3600, ..self.known() };
        S3Bucket::with_first_wait("t", &known, Duration::from_millis(1)).unwrap()
    }
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut range) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap(),
            "range" => {
                let (first, last) = value.trim().strip_prefix("bytes=")?.split_once('-')?;
                range = Some((first.parse().unwrap(), last.parse().unwrap()));
            }
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let query = pairs.map(|(name, value)| (decoded(name), decoded(value))).collect();
    let key = decoded(path).trim_start_matches(&format!("/{BUCKET}")).trim_start_matches('/').to_owned();
    Some(Asked { method, key, query, range, body })
}

fn answer(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut all = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n", body.len()).into_bytes();
    all.extend_from_slice(body);
    all
}

pub fn says(status: u16, code: &str) -> Vec<u8> {
    answer(status, "", format!("<Error><Code>{code}</Code><Message>{SECRET}</Message></Error>").as_bytes())
}

fn serve(stream: &TcpStream, kept: &Mutex<Kept>, rule: &Mutex<Rule>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(mut asked) = read(&mut reader) {
        let fault = (rule.lock().unwrap())(&asked);
        let mut stream = stream;
        match fault {
            None => stream.write_all(&right(asked, kept))?,
            Some(Fault::Raw(bytes)) => {
                stream.write_all(&bytes)?;
                return Ok(());
            }
            Some(Fault::Says(status, code)) => stream.write_all(&says(status, code))?,
            Some(Fault::HangsUp) => return Ok(()),
            Some(Fault::Silent) => {
                // Until the client goes.
                let mut rest = Vec::new();
                reader.read_to_end(&mut rest)?;
                return Ok(());
            }
            Some(Fault::OtherByte) => {
                let mut bytes = right(asked, kept);
                if let Some(last) = bytes.last_mut() {
                    *last ^= 1;
                }
                stream.write_all(&bytes)?;
            }
            Some(Fault::CutOff) => {
                let bytes = right(asked, kept);
                stream.write_all(&bytes[..bytes.len() - 1])?;
                return Ok(());
            }
            Some(Fault::StoresOther) => {
                if let Some(last) = asked.body.last_mut() {
                    *last ^= 1;
                }
                stream.write_all(&right(asked, kept))?;
            }
            Some(Fault::Forgets) => stream.write_all(&answer(200, "etag: \"1\"\r\n", b""))?,
        }
    }
    Ok(())
}

/// What S3 would answer.
fn right(asked: Asked, kept: &Mutex<Kept>) -> Vec<u8> {
    let mut kept = kept.lock().unwrap();
    let Asked { method, key, query, range, body } = asked;
    let upload = query.get("uploadId").cloned();
    match (method.as_str(), upload) {
        ("GET", _) if key.is_empty() => list(&kept.objects, &query),
        ("GET", _) => match (kept.objects.get(&key), range) {
            (None, _) => says(404, "NoSuchKey"),
            (Some(object), Some((first, _))) if first >= object.len() => {
                answer(416, &format!("content-range: bytes */{}\r\n", object.len()), b"<Error><Code>InvalidRange</Code></Error>")
            }
            (Some(object), Some((first, last))) => {
                let last = last.min(object.len() - 1);
                let range = format!("content-range: bytes {first}-{last}/{}\r\n", object.len());
                answer(206, &range, &object[first..=last])
            }
            (Some(object), None) => answer(200, "", object),
        },
        ("POST", None) => {
            let id = format!("u{}", kept.uploads.len());
            kept.uploads.insert(id.clone(), BTreeMap::new());
            let xml = format!("<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>");
            answer(200, "", xml.as_bytes())
        }
        ("PUT", Some(id)) => match kept.uploads.get_mut(&id) {
            None => says(404, "NoSuchUpload"),
            Some(pieces) => {
                pieces.insert(query["partNumber"].parse().unwrap(), body);
                answer(200, "etag: \"1\"\r\n", b"")
            }
        },
        ("POST", Some(id)) => match kept.uploads.remove(&id) {
            None => says(404, "NoSuchUpload"),
            Some(pieces) => {
                kept.objects.insert(key, pieces.into_values().flatten().collect());
                answer(200, "", b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
            }
        },
        ("PUT", None) => {
            kept.objects.insert(key, body);
            answer(200, "etag: \"1\"\r\n", b"")
        }
        ("DELETE", Some(id)) => {
            kept.uploads.remove(&id);
            answer(204, "", b"")
        }
        _ => {
            kept.objects.remove(&key);
            answer(204, "", b"")
        }
    }
}

fn list(objects: &BTreeMap<String, Vec<u8>>, query: &BTreeMap<String, String>) -> Vec<u8> {
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let (prefix, after) = (text("prefix"), text("continuation-token"));
    let most = query.get("max-keys").map_or(1000, |most| most.parse().unwrap());
    let (mut found, mut last) = (String::new(), String::new());
    let (mut number, mut truncated) = (0, false);
    for key in objects.keys().filter(|key| key.starts_with(&prefix) && **key > after) {
        let folder = query.get("delimiter").and_then(|_| key[prefix.len()..].find('/')).map(|at| &key[..=prefix.len() + at]);
        if folder.is_some_and(|folder| last.starts_with(folder) || after.starts_with(folder)) {
            last.clone_from(key);
            continue;
        }
        if number == most {
            truncated = true;
            break;
        }
        number += 1;
        last.clone_from(key);
        found += &match folder {
            Some(folder) => format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"),
            None => format!("<Contents><Key>{key}</Key></Contents>"),
        };
    }
    let next = if truncated { format!("<NextContinuationToken>{last}</NextContinuationToken>") } else { String::new() };
    let xml = format!("<ListBucketResult><IsTruncated>{truncated}</IsTruncated>{next}{found}</ListBucketResult>");
    answer(200, "", xml.as_bytes())
}
