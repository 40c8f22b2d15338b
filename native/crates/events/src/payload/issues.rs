//! Issues, which several events are about. What an issue says follows from its repository and number.

use super::Context;
use crate::clock;
use crate::json::Object;
use crate::people::User;
use crate::repos::USERS;
use crate::rng::Rng;

const PURPOSE: u64 = 3;

/// IssuesEvent.
pub fn write_event(out: &mut Vec<u8>, context: &mut Context<'_>) {
    let action = context.rng.pick(&["opened", "opened", "opened", "closed", "closed", "reopened"]);
    let number = context.event.repo.active_issue(&mut context.rng);
    let mut object = Object::new(out);
    object.plain("action", &[action]);
    write(object.field("issue"), context, number, action == "closed");
    object.end();
}

/// Appends issue `number` of the event's repository.
pub fn write(out: &mut Vec<u8>, context: &mut Context<'_>, number: u32, closed: bool) {
    let mut own = Context {
        event: context.event,
        rng: Rng::new(context.event.seed, PURPOSE, u64::from(context.event.repo.rank) << 24 | u64::from(number)),
        text: &mut *context.text,
    };
    let digits = number.to_string();
    let path = ["/issues/", &digits];
    let mut object = Object::new(out);
    own.api(&mut object, "url", &path);
    for (name, end) in [("labels_url", "/labels{/name}"), ("comments_url", "/comments"), ("events_url", "/events")] {
        own.api(&mut object, name, &[path[0], path[1], end]);
    }
    own.page(&mut object, "html_url", &path);
    object.int("id", 30_000_000 + u64::from(own.rng.below(24_000_000)));
    object.int("number", u64::from(number));
    object.text("title", own.title());
    let mut user = User::default();
    user.set(own.rng.below(USERS));
    user.write_full(object.field("user"), false);
    write_labels(object.field("labels"), &mut own);
    object.plain("state", &[if closed { "closed" } else { "open" }]);
    object.bool("locked", false);
    object.null("assignee");
    object.null("milestone");
    object.int("comments", u64::from(own.rng.below(30)));
    clock::write(object.field("created_at"), i64::from(own.rng.below(8_000_000)));
    let now = -clock::second_of(own.event.row);
    clock::write(object.field("updated_at"), now);
    if closed {
        clock::write(object.field("closed_at"), now);
    } else {
        object.null("closed_at");
    }
    object.text("body", own.sentences(1, 8));
    object.end();
}

fn write_labels(out: &mut Vec<u8>, context: &mut Context<'_>) {
    out.push(b'[');
    if context.rng.percent(40) {
        let (label, color) =
            context.rng.pick(&[("bug", "fc2929"), ("enhancement", "84b6eb"), ("question", "cc317c"), ("help wanted", "159818")]);
        let mut object = Object::new(out);
        context.api(&mut object, "url", &["/labels/", &label.replace(' ', "%20")]);
        object.plain("name", &[label]);
        object.plain("color", &[color]);
        object.end();
    }
    out.push(b']');
}
