//! Events shaped like the GitHub Archive's of 2015-01-01: the same ones for the same seed, on every machine.
//!
//! Row `n` depends on the seed and `n` alone, so fewer rows are the beginning of more. `marks` says which rows the
//! published queries find.

mod clock;
mod json;
mod kinds;
pub mod marks;
mod payload;
mod people;
mod repos;
pub mod rng;
mod words;
mod zipf;

use crate::rng::Rng;
use json::Object;
use kinds::Kind;
use marks::Mark;
use people::User;
use repos::{REPOSITORIES, Repo, USERS};
use zipf::Zipf;

/// The first line of CSV.
pub const CSV_HEADER: &str = "event_id,event_type,event_public,repo_id,payload,repo,actor,org,created_at\n";
/// Id of row 0; they ascend by one.
const FIRST_ID: u64 = 2_489_651_045;
const PURPOSE: u64 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PostgreSQL's dialect: the columns of the published measurement, payload, repo, actor and org as JSON.
    Csv,
    /// The shape of the Archive's own hourly files.
    Ndjson,
}

/// Who did what where; the payload is written from it.
#[derive(Debug)]
pub struct Event {
    pub seed: u64,
    pub row: u64,
    kind: Kind,
    mark: Mark,
    repo: Repo,
    actor: User,
}

/// Writes events, row after row. Its buffers are reused.
#[derive(Debug)]
pub struct Events {
    zipf: Zipf,
    format: Format,
    event: Event,
    json: Vec<u8>,
    text: String,
}

impl Events {
    pub fn new(seed: u64, format: Format) -> Self {
        let event = Event { seed, row: 0, kind: Kind::Push, mark: Mark::None, repo: Repo::default(), actor: User::default() };
        Self { zipf: Zipf::new(REPOSITORIES), format, event, json: vec![], text: String::new() }
    }

    /// Appends row `row` (from 0) with its newline. CSV needs `CSV_HEADER` before the first.
    pub fn write(&mut self, row: u64, out: &mut Vec<u8>) {
        let rng = self.decide(row);
        match self.format {
            Format::Csv => self.write_csv(rng, out),
            Format::Ndjson => self.write_ndjson(rng, out),
        }
        out.push(b'\n');
    }

    fn decide(&mut self, row: u64) -> Rng {
        let event = &mut self.event;
        let mut rng = Rng::new(event.seed, PURPOSE, row);
        event.row = row;
        event.mark = Mark::of(row);
        let (kind, rank) = (Kind::random(&mut rng), self.zipf.rank(rng.next()));
        event.kind = if event.mark == Mark::None { kind } else { Kind::Push };
        event.repo.set(if event.mark == Mark::AuthorInRepository { marks::REPOSITORY_RANK } else { elsewhere(rank, event.mark) });
        let number = if event.kind.by_contributor() { event.repo.contributor(&mut rng) } else { rng.below(USERS) };
        event.actor.set(number);
        rng
    }

    fn write_csv(&mut self, rng: Rng, out: &mut Vec<u8>) {
        let Self { event, json, text, .. } = self;
        json::int(out, FIRST_ID + event.row);
        out.push(b',');
        out.extend_from_slice(event.kind.as_str().as_bytes());
        out.extend_from_slice(b",true,");
        json::int(out, event.repo.id);
        out.push(b',');
        json.clear();
        payload::write(json, &mut payload::Context { event, rng, text });
        cell(out, json);
        out.push(b',');
        json.clear();
        event.repo.write_short(json);
        cell(out, json);
        out.push(b',');
        json.clear();
        event.actor.write_actor(json, false);
        cell(out, json);
        out.push(b',');
        if event.repo.organisation {
            json.clear();
            event.repo.owner.write_actor(json, true);
            cell(out, json);
        }
        out.push(b',');
        json.clear();
        clock::write(json, -clock::second_of(event.row));
        out.extend_from_slice(&json[1..json.len() - 1]);
    }

    fn write_ndjson(&mut self, rng: Rng, out: &mut Vec<u8>) {
        let Self { event, json, text, .. } = self;
        let mut object = Object::new(out);
        json.clear();
        json::int(json, FIRST_ID + event.row);
        object.plain("id", &[std::str::from_utf8(json).unwrap_or_default()]);
        object.plain("type", &[event.kind.as_str()]);
        event.actor.write_actor(object.field("actor"), false);
        event.repo.write_short(object.field("repo"));
        payload::write(object.field("payload"), &mut payload::Context { event, rng, text });
        object.bool("public", true);
        clock::write(object.field("created_at"), -clock::second_of(event.row));
        if event.repo.organisation {
            event.repo.owner.write_actor(object.field("org"), true);
        }
        object.end();
    }
}

/// Known commits outside the known repository really are outside it.
fn elsewhere(rank: u32, mark: Mark) -> u32 {
    if mark == Mark::Author && rank == marks::REPOSITORY_RANK { rank + 1 } else { rank }
}

/// Appends a CSV cell in quotes.
fn cell(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut run = 0;
    for quote in memchr::memchr_iter(b'"', text) {
        out.extend_from_slice(&text[run..=quote]);
        run = quote;
    }
    out.extend_from_slice(&text[run..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests;
