//! Payloads, one schema for each event type (GitHub's event API as it was in January 2015).

mod comments;
mod issues;
mod pulls;
mod push;
mod small;

use super::Event;
use super::json::Object;
use super::kinds::Kind;
use crate::rng::Rng;

/// What payloads are written from: the event, its random numbers, and a buffer for texts.
#[derive(Debug)]
pub struct Context<'a> {
    pub event: &'a Event,
    pub rng: Rng,
    pub text: &'a mut String,
}

impl Context<'_> {
    /// A commit's or object's hash: 40 hex digits.
    pub fn sha(&mut self) -> [u8; 40] {
        let mut text = [0; 40];
        let mut bits = 0;
        for (place, digit) in text.iter_mut().enumerate() {
            if place % 16 == 0 {
                bits = self.rng.next();
            }
            *digit = b"0123456789abcdef"[(bits & 15) as usize];
            bits >>= 4;
        }
        text
    }

    /// Sentences in `text`.
    pub fn sentences(&mut self, least: u32, most: u32) -> &str {
        let count = self.rng.between(least, most);
        self.text.clear();
        super::words::sentences(&mut self.rng, count, self.text);
        self.text
    }

    /// A title in `text`.
    pub fn title(&mut self) -> &str {
        self.text.clear();
        super::words::title(&mut self.rng, self.text);
        self.text
    }

    /// The address of something in the event's repository, on the API.
    pub fn api(&self, object: &mut Object<'_>, name: &str, path: &[&str]) {
        self.address(object, name, "https://api.github.com/repos/", path);
    }

    /// The address of its page.
    pub fn page(&self, object: &mut Object<'_>, name: &str, path: &[&str]) {
        self.address(object, name, "https://github.com/", path);
    }

    fn address(&self, object: &mut Object<'_>, name: &str, host: &str, path: &[&str]) {
        let out = object.field(name);
        out.push(b'"');
        [host, &self.event.repo.full_name].iter().chain(path).for_each(|part| out.extend_from_slice(part.as_bytes()));
        out.push(b'"');
    }
}

/// Appends the event's payload.
pub fn write(out: &mut Vec<u8>, context: &mut Context<'_>) {
    match context.event.kind {
        Kind::Push => push::write(out, context),
        Kind::Issues => issues::write_event(out, context),
        Kind::IssueComment => comments::write_issue_comment(out, context),
        Kind::PullRequest => pulls::write_event(out, context),
        Kind::PullRequestReviewComment => comments::write_review_comment(out, context),
        Kind::CommitComment => comments::write_commit_comment(out, context),
        _ => small::write(out, context),
    }
}

/// The text of hex digits.
pub fn hex(sha: &[u8; 40]) -> &str {
    std::str::from_utf8(sha).unwrap_or_default()
}
