//! A closed-loop HTTP/1.1 load generator: keep-alive connections on one thread, each with one request in flight.
//! It exists so that the client costs far less than the server it measures, on a machine where both share two cores.

use crate::{Failure, median};
use clap::Args;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tessera_workload::client::answer;

/// One connection: a request going out, or an answer coming in.
struct Connection {
    stream: TcpStream,
    sent: usize,
    answer: Vec<u8>,
    started: Instant,
}

#[derive(Default)]
struct Totals {
    latencies: Vec<f64>,
    errors: u64,
}

#[derive(Args)]
pub struct Options {
    /// Address of the gateway
    #[arg(long)]
    address: SocketAddr,
    /// Path to request; `{key}` becomes a number below --keys
    #[arg(long)]
    path: String,
    /// Token of the gateway
    #[arg(long, allow_hyphen_values = true)]
    token: String,
    /// Keys
    #[arg(long, default_value_t = 1)]
    keys: u64,
    /// Connections, each with one request in flight
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Seconds to run
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
}

/// Figures: `requestsPerSecond`, `errors`, `p50Ms`, `p99Ms`. With `--keys n`, every `{key}` in the path is replaced by a number below n.
///
/// # Errors
/// An address that cannot be connected to.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let &Options { address, seconds, keys, .. } = options;
    let requests = requests(address, &options.path, &options.token, keys);

    let mut poll = Poll::new()?;
    let mut connections = Vec::new();
    for index in 0..options.connections {
        let mut stream = TcpStream::connect(address)?;
        poll.registry().register(&mut stream, Token(index), Interest::READABLE | Interest::WRITABLE)?;
        connections.push(Connection { stream, sent: 0, answer: Vec::with_capacity(4096), started: Instant::now() });
    }

    let mut totals = Totals::default();
    let mut next = 0;
    let mut events = Events::with_capacity(connections.len());
    let mut chosen: Vec<usize> = (0..connections.len()).map(|_| pick(&mut next, requests.len())).collect();
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < seconds {
        poll.poll(&mut events, Some(Duration::from_millis(100)))?;
        for event in &events {
            let Token(index) = event.token();
            let connection = &mut connections[index];
            if connection.turn(&requests, &mut chosen[index], &mut next, &mut totals).is_err() {
                // A connection that breaks is an error; another takes its place.
                totals.errors += 1;
                let mut stream = TcpStream::connect(address)?;
                poll.registry().register(&mut stream, Token(index), Interest::READABLE | Interest::WRITABLE)?;
                *connection = Connection { stream, sent: 0, answer: Vec::new(), started: Instant::now() };
            }
        }
    }
    let elapsed = begun.elapsed().as_secs_f64();
    Ok(json!({
        "requestsPerSecond": totals.latencies.len() as f64 / elapsed,
        "errors": totals.errors,
        "p50Ms": median::quantile(&totals.latencies, 0.50),
        "p99Ms": median::quantile(&totals.latencies, 0.99),
    }))
}

/// The requests to choose from, as bytes: at most 4096, spread over the keys.
fn requests(address: SocketAddr, path: &str, token: &str, keys: u64) -> Vec<Vec<u8>> {
    let count = if path.contains("{key}") { keys.clamp(1, 4096) } else { 1 };
    (0..count)
        .map(|i| {
            let path = path.replace("{key}", &(i * keys / count).to_string());
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n").into_bytes()
        })
        .collect()
}

/// The next of `count` requests: a full cycle in an order that is not the keys'.
fn pick(next: &mut usize, count: usize) -> usize {
    *next = next.wrapping_add(2_654_435_761);
    *next % count
}

impl Connection {
    /// Writes and reads until the socket would block; counts the answers that became complete.
    fn turn(&mut self, requests: &[Vec<u8>], chosen: &mut usize, next: &mut usize, totals: &mut Totals) -> std::io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        loop {
            let request = &requests[*chosen];
            if self.sent < request.len() {
                if self.sent == 0 {
                    self.started = Instant::now();
                }
                match self.stream.write(&request[self.sent..]) {
                    Ok(count) => self.sent += count,
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => return Ok(()),
                    Err(error) => return Err(error),
                }
                continue;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.answer.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            let Some(length) = answer::length(&self.answer)? else { continue };
            if self.answer.len() < length {
                continue;
            }
            totals.latencies.push(self.started.elapsed().as_secs_f64() * 1000.0);
            if !self.answer.starts_with(b"HTTP/1.1 200") {
                totals.errors += 1;
            }
            self.answer.clear();
            self.sent = 0;
            *chosen = pick(next, requests.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_gets_its_turn() {
        let all = requests("127.0.0.1:80".parse().unwrap(), "/r/{key}", "t", 4096);
        let mut next = 0;
        let mut seen: Vec<usize> = (0..4096).map(|_| pick(&mut next, all.len())).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4096);
    }
}
