//! One request to an endpoint and its answer, until nobody wants it.

use crate::known_target::{Access, invalid};
use reqwest::header::{HeaderMap, HeaderValue, RANGE};
use reqwest::{Certificate, Client, Method, Url};
use std::error::Error as _;
use std::sync::OnceLock;
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::backup::Wanted;
use tokio::runtime::{Builder, Runtime};

const CONNECT: Duration = Duration::from_secs(10);
/// Between two looks whether somebody wants the answer.
const LOOK: Duration = Duration::from_millis(50);
/// An answer that tells of a failure is no longer.
const FAILURE_MOST: usize = 64 << 10;

pub(crate) struct Request {
    pub(crate) method: Method,
    /// It has a signature: for no message.
    pub(crate) url: Url,
    pub(crate) range: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: Method, url: Url) -> Self {
        Self { method, url, range: None, body: Vec::new() }
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Why there is no answer.
pub(crate) enum NoAnswer {
    /// Nobody wants it any more.
    Unwanted,
    /// In words, without the address.
    Failed(String),
}

/// All buckets share the one thread that waits for endpoints.
fn runtime() -> Result<&'static Runtime> {
    static RUNTIME: OnceLock<std::io::Result<Runtime>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| Builder::new_multi_thread().worker_threads(1).thread_name("bucket").enable_all().build());
    made.as_ref().map_err(|error| Error::io("starting the thread of the targets of backups", error))
}

pub(crate) fn client(access: &Access) -> Result<Client> {
    // Another part of the process may have chosen before; what it chose does as well.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .http1_only()
        .connect_timeout(CONNECT)
        .user_agent("tessera");
    if let Some(pem) = &access.ca {
        let trusted = Certificate::from_pem_bundle(pem).ok().filter(|all| !all.is_empty());
        builder = builder.tls_certs_only(trusted.ok_or_else(|| invalid(sentence!("ca of a target has no certificates in PEM")))?);
    }
    builder.build().map_err(|error| invalid(sentence!("TLS cannot be used: {why}", why = reason(&error))))
}

/// Sends a request. A body that is longer than `most` is a failure.
pub(crate) fn exchange(
    client: &Client,
    request: Request,
    most: usize,
    timeout: Duration,
    wanted: &Wanted<'_>,
) -> Result<std::result::Result<Answer, NoAnswer>> {
    let unwanted = async {
        while wanted() {
            tokio::time::sleep(LOOK).await;
        }
    };
    Ok(runtime()?.block_on(async {
        tokio::select! {
            biased;
            () = unwanted => Err(NoAnswer::Unwanted),
            answer = tokio::time::timeout(timeout, one(client, request, most)) => match answer {
                Ok(answer) => answer.map_err(NoAnswer::Failed),
                Err(_) => Err(NoAnswer::Failed(format!("no answer within {} s", timeout.as_secs_f32()))),
            },
        }
    }))
}

async fn one(client: &Client, request: Request, most: usize) -> std::result::Result<Answer, String> {
    let Request { method, url, range, body } = request;
    let mut asked = client.request(method.clone(), url);
    if let Some(range) = range {
        asked = asked.header(RANGE, HeaderValue::from_str(&range).map_err(|_| "a range is no header".to_owned())?);
    }
    if method == Method::PUT || method == Method::POST {
        asked = asked.body(body);
    }
    let mut response = asked.send().await.map_err(|error| reason(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let most = if status.is_success() { most } else { FAILURE_MOST };
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| reason(&error))? {
        if body.len() + chunk.len() > most {
            return Err("the answer is longer than it may be".to_owned());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status: status.as_u16(), headers, body })
}

/// The innermost cause: those around it have the address, and with it the signature.
fn reason(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(inner) = cause.and_then(std::error::Error::source) {
        cause = Some(inner);
    }
    let what = if error.is_connect() { "cannot be reached" } else { "ended the exchange" };
    cause.map_or_else(|| what.to_owned(), |cause| format!("{what}: {cause}"))
}

pub(crate) fn aborted() -> Error {
    Error::said(ErrorCode::Aborted, sentence!("the job was aborted"))
}

/// Waits, until nobody wants it.
pub(crate) fn wait(time: Duration, wanted: &Wanted<'_>) -> Result<()> {
    let mut left = time;
    while !left.is_zero() {
        if !wanted() {
            return Err(aborted());
        }
        let step = left.min(LOOK);
        std::thread::sleep(step);
        left -= step;
    }
    Ok(())
}
