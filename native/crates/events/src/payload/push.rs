//! PushEvent: commits with their authors. The known commits are here.

use super::{Context, hex};
use crate::json::Object;
use crate::marks::{AUTHOR_EMAIL, Mark};
use crate::people::User;
use crate::words;

/// Most commits that an event lists.
const LISTED: u32 = 20;

pub fn write(out: &mut Vec<u8>, context: &mut Context<'_>) {
    let count = match context.rng.below(100) {
        0..60 => 1,
        60..76 => 2,
        76..85 => 3,
        85..95 => context.rng.between(4, 8),
        _ => context.rng.between(8, 30),
    };
    let (head, before) = (context.sha(), context.sha());
    let mut object = Object::new(out);
    object.int("push_id", 536_740_000 + context.event.row);
    object.int("size", u64::from(count));
    object.int("distinct_size", u64::from(count));
    let branch =
        if context.rng.percent(80) { "master" } else { context.rng.pick(&["develop", "gh-pages", "dev", "release", "feature/login"]) };
    object.plain("ref", &["refs/heads/", branch]);
    object.plain("head", &[hex(&head)]);
    object.plain("before", &[hex(&before)]);
    let listed = count.min(LISTED);
    // The known commit is another one from event to event.
    let marked = (context.event.row / 1000 % u64::from(listed)) as u32;
    let commits = object.field("commits");
    commits.push(b'[');
    let mut author = User::default();
    for place in 0..listed {
        if place > 0 {
            commits.push(b',');
        }
        let sha = if place + 1 == listed { head } else { context.sha() };
        let number = if context.rng.percent(85) { context.event.actor.number } else { context.event.repo.contributor(&mut context.rng) };
        author.set(number);
        let mark = if place == marked { context.event.mark } else { Mark::None };
        write_commit(commits, context, hex(&sha), &author, mark);
    }
    commits.push(b']');
    object.end();
}

fn write_commit(out: &mut Vec<u8>, context: &mut Context<'_>, sha: &str, author: &User, mark: Mark) {
    let mut commit = Object::new(out);
    commit.plain("sha", &[sha]);
    let (name, email) = author.identity();
    let mut person = commit.object("author");
    match mark {
        Mark::None => person.plain("email", &email),
        Mark::Author | Mark::AuthorInRepository => person.plain("email", &[AUTHOR_EMAIL]),
        Mark::Decoy => person.plain("email", &["not-", AUTHOR_EMAIL]),
    }
    person.text("name", &[name[0], " ", name[1]].concat());
    person.end();
    words::message(&mut context.rng, context.text);
    if mark == Mark::Decoy {
        context.text.push_str("\n\nSigned-off-by: ");
        context.text.push_str(AUTHOR_EMAIL);
    }
    commit.text("message", context.text);
    commit.bool("distinct", true);
    context.api(&mut commit, "url", &["/commits/", sha]);
    commit.end();
}
