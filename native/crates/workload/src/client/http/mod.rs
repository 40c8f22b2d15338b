//! Operations on a running gateway: one kept connection for each worker, one request in flight on it.

pub mod answer;

use super::{Client, Clients, Ended, Failure, Operation};
use crate::rng::Rng;
use crate::spec::{KeyText, Values, WorkloadSpec};
use crate::stop::Stop;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for an answer where the run has no timeout.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest answer that is read, bytes: the largest record as JSON, and its head.
const ANSWER_BYTES: usize = 64 << 20;
const VALUES: u64 = 0x76;

/// The gateway that a run is on.
pub struct Gateway {
    address: SocketAddr,
    token: Option<String>,
    spec: WorkloadSpec,
    /// Whether records of the namespace have one bin.
    single_bin: bool,
}

/// One worker's connection.
struct Http<'a> {
    gateway: &'a Gateway,
    stream: Option<TcpStream>,
    keys: KeyText,
    values: Values,
    request: Vec<u8>,
    body: Vec<u8>,
    answer: Vec<u8>,
    ended: Option<Ended>,
}

impl Gateway {
    /// # Errors
    /// `config_invalid` when `host` names no address, the token or the set cannot stand in a request, there is a window, or operations
    /// are of the whole namespace.
    pub fn new(host: &str, port: u16, token: Option<String>, spec: &WorkloadSpec) -> Result<Self> {
        let invalid = |message: String| Error::new(ErrorCode::ConfigInvalid, message);
        let mut addresses = (host, port).to_socket_addrs().map_err(|error| invalid(format!("{host}:{port}: {error}")))?;
        let address = addresses.next().ok_or_else(|| invalid(format!("{host} has no address")))?;
        if token.as_ref().is_some_and(|token| !token.bytes().all(|byte| byte.is_ascii_graphic())) {
            return Err(invalid("the token must be printable ASCII without spaces".into()));
        }
        if spec.set.is_empty() {
            return Err(invalid("a workload over HTTP needs a set".into()).in_field("set"));
        }
        if spec.workload.whole() {
            let message = "SIZE and ITERATE do not run over HTTP; run them in the server, or without a host and a port";
            return Err(invalid(message.into()).in_field("workload"));
        }
        if spec.window > 1 {
            return Err(invalid("a window is not possible over HTTP; use more threads".into()).in_field("window"));
        }
        Ok(Self { address, token, spec: spec.clone(), single_bin: false })
    }

    /// Adapts the bin names to the namespace.
    ///
    /// # Errors
    /// `single_bin` if records of the namespace have one bin but the run needs more.
    pub fn name_bins(&mut self, single_bin: bool) -> Result<()> {
        self.single_bin = single_bin;
        self.spec.check_bins(single_bin)
    }

    /// One call of the API outside of a run; `Ok` with the body of an answer of 2xx.
    ///
    /// # Errors
    /// Status and body of any other answer, or why there was none.
    pub fn call(&self, method: &str, path: &str, body: &[u8]) -> std::result::Result<Vec<u8>, Failure> {
        let mut connection = self.connection(0);
        connection.request(method, path, body);
        connection.exchange()?;
        Ok(connection.answer.split_off(answer::head_bytes(&connection.answer)))
    }

    fn connection(&self, worker: u32) -> Http<'_> {
        let rng = Rng::new(self.spec.seed, VALUES, worker.into());
        Http {
            gateway: self,
            stream: None,
            keys: KeyText::new(&self.spec),
            values: Values::new(&self.spec, self.single_bin, rng),
            request: Vec::new(),
            body: Vec::new(),
            answer: Vec::new(),
            ended: None,
        }
    }

    fn timeout(&self) -> Duration {
        if self.spec.timeout_ms == 0 { ANSWER_TIMEOUT } else { Duration::from_millis(self.spec.timeout_ms.into()) }
    }

    fn connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&self.address, CONNECT_TIMEOUT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.timeout()))?;
        stream.set_write_timeout(Some(self.timeout()))?;
        Ok(stream)
    }
}

impl Clients for Gateway {
    fn client<'a>(&'a self, worker: u32, _stop: &'a Stop) -> Result<Box<dyn Client + 'a>> {
        let mut connection = self.connection(worker);
        let connected = self.connect().map_err(|error| Error::io(&format!("connect to {}", self.address), &error))?;
        connection.stream = Some(connected);
        Ok(Box::new(connection))
    }
}

impl Http<'_> {
    fn request(&mut self, method: &str, path: &str, body: &[u8]) {
        self.request.clear();
        let _ = write!(self.request, "{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.gateway.address);
        if let Some(token) = &self.gateway.token {
            let _ = write!(self.request, "Authorization: Bearer {token}\r\n");
        }
        if !body.is_empty() {
            let _ = write!(self.request, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        self.request.extend_from_slice(b"\r\n");
        self.request.extend_from_slice(body);
    }

    fn perform(&mut self, operation: Operation, key: u64) -> std::result::Result<(), Failure> {
        let WorkloadSpec { namespace, set, .. } = &self.gateway.spec;
        let (records, key) = (format!("/api/v1/namespaces/{namespace}/sets/{set}/records"), self.keys.of(key));
        let path = match operation {
            Operation::Scan { records: limit } => format!("{records}?from={key}&limit={limit}"),
            _ => format!("{records}/{key}"),
        };
        match operation {
            Operation::Read | Operation::Scan { .. } => self.get(&path),
            Operation::Write | Operation::Insert => {
                let mut body = std::mem::take(&mut self.body);
                self.values.json(&mut body);
                self.request("PUT", &path, &body);
                self.body = body;
                self.exchange()
            }
            Operation::Update { bin } => self.patch(&path, bin),
            Operation::ReadModifyWrite { bin } => {
                self.get(&path)?;
                self.patch(&path, bin)
            }
            // `Gateway::new` refuses workloads that have them.
            Operation::Size | Operation::Iterate(_) => {
                Err(Failure { code: ErrorCode::Unsupported.as_str().to_owned(), message: "not over HTTP".to_owned() })
            }
        }
    }

    fn get(&mut self, path: &str) -> std::result::Result<(), Failure> {
        self.request("GET", path, &[]);
        self.exchange()
    }

    fn patch(&mut self, path: &str, bin: u32) -> std::result::Result<(), Failure> {
        let mut body = std::mem::take(&mut self.body);
        self.values.json_of_bin(bin, &mut body);
        self.request("PATCH", path, &body);
        self.body = body;
        self.exchange()
    }

    /// Sends the request and reads its answer. A connection that broke is made anew for the next one.
    fn exchange(&mut self) -> std::result::Result<(), Failure> {
        let status = self.send_and_read().map_err(|error| {
            self.stream = None;
            let code = if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) { "timeout" } else { "connection_failed" };
            Failure { code: code.to_owned(), message: error.to_string() }
        })?;
        if (200..300).contains(&status) {
            return Ok(());
        }
        let body = &self.answer[answer::head_bytes(&self.answer)..];
        let problem: Option<serde_json::Value> = serde_json::from_slice(body).ok();
        let text = |field: &str| problem.as_ref().and_then(|problem| problem.get(field)?.as_str()).map(str::to_owned);
        Err(Failure {
            code: text("code").unwrap_or_else(|| format!("http_{status}")),
            message: text("detail").unwrap_or_else(|| format!("the gateway answered {status}")),
        })
    }

    fn send_and_read(&mut self) -> std::io::Result<u16> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(self.gateway.connect()?),
        };
        stream.write_all(&self.request)?;
        self.answer.clear();
        let mut buffer = [0; 16 * 1024];
        loop {
            match stream.read(&mut buffer)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                count => self.answer.extend_from_slice(&buffer[..count]),
            }
            match answer::length(&self.answer)? {
                Some(length) if self.answer.len() >= length => break,
                Some(length) if length > ANSWER_BYTES => return Err(ErrorKind::InvalidData.into()),
                None if self.answer.len() > ANSWER_BYTES => return Err(ErrorKind::InvalidData.into()),
                _ => {}
            }
        }
        if answer::closes(&self.answer) {
            self.stream = None;
        }
        answer::status(&self.answer)
    }
}

impl Client for Http<'_> {
    fn window(&self) -> usize {
        1
    }

    fn start(&mut self, ticket: usize, operation: Operation, key: u64) {
        let outcome = Some(self.perform(operation, key));
        self.ended = Some(Ended { ticket, at: Instant::now(), outcome });
    }

    fn take(&mut self, _until: Option<Instant>) -> Option<Ended> {
        self.ended.take()
    }
}
