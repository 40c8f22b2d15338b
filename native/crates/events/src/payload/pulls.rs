//! Pull requests: the largest payloads, with two whole repositories inside.

use super::{Context, hex};
use crate::clock;
use crate::json::Object;
use crate::people::User;
use crate::repos::{REPOSITORIES, Repo, USERS};
use crate::rng::Rng;

const PURPOSE: u64 = 4;

/// PullRequestEvent.
pub fn write_event(out: &mut Vec<u8>, context: &mut Context<'_>) {
    let action = context.rng.pick(&["opened", "opened", "closed", "closed", "synchronize"]);
    let number = context.event.repo.active_issue(&mut context.rng);
    let merged = action == "closed" && context.rng.percent(75);
    let mut object = Object::new(out);
    object.plain("action", &[action]);
    object.int("number", u64::from(number));
    write(object.field("pull_request"), context, number, action == "closed", merged);
    object.end();
}

/// Appends pull request `number` of the event's repository.
pub fn write(out: &mut Vec<u8>, context: &mut Context<'_>, number: u32, closed: bool, merged: bool) {
    let mut own = Context {
        event: context.event,
        rng: Rng::new(context.event.seed, PURPOSE, u64::from(context.event.repo.rank) << 24 | u64::from(number)),
        text: &mut *context.text,
    };
    let digits = number.to_string();
    let (head, base) = (own.sha(), own.sha());
    let mut user = User::default();
    user.set(own.rng.below(USERS));
    let mut object = Object::new(out);
    own.api(&mut object, "url", &["/pulls/", &digits]);
    object.int("id", 26_000_000 + u64::from(own.rng.below(1_000_000)));
    for (name, end) in [("html_url", ""), ("diff_url", ".diff"), ("patch_url", ".patch")] {
        own.page(&mut object, name, &["/pull/", &digits, end]);
    }
    own.api(&mut object, "issue_url", &["/issues/", &digits]);
    object.int("number", u64::from(number));
    object.plain("state", &[if closed { "closed" } else { "open" }]);
    object.bool("locked", false);
    object.text("title", own.title());
    user.write_full(object.field("user"), false);
    object.text("body", own.sentences(0, 6));
    write_times(&mut object, &mut own, closed, merged);
    for name in ["assignee", "milestone"] {
        object.null(name);
    }
    write_links(&mut object, &own, &digits, hex(&head));
    let mut fork = Repo::default();
    fork.set(own.rng.below(REPOSITORIES));
    write_side(object.object("head"), hex(&head), "patch-1", &fork, true);
    write_side(object.object("base"), hex(&base), "master", &own.event.repo, false);
    object.bool("merged", merged);
    object.null("mergeable");
    object.plain("mergeable_state", &["unknown"]);
    if merged {
        own.event.actor.write_full(object.field("merged_by"), false);
    } else {
        object.null("merged_by");
    }
    for (name, most) in
        [("comments", 8), ("review_comments", 5), ("commits", 12), ("additions", 900), ("deletions", 400), ("changed_files", 25)]
    {
        object.int(name, u64::from(own.rng.below(most)));
    }
    object.end();
}

fn write_times(object: &mut Object<'_>, own: &mut Context<'_>, closed: bool, merged: bool) {
    let now = -clock::second_of(own.event.row);
    clock::write(object.field("created_at"), i64::from(own.rng.below(2_000_000)));
    clock::write(object.field("updated_at"), now);
    for (name, is_set) in [("closed_at", closed), ("merged_at", merged)] {
        if is_set {
            clock::write(object.field(name), now);
        } else {
            object.null(name);
        }
    }
    let sha = own.sha();
    object.plain("merge_commit_sha", &[hex(&sha)]);
}

fn write_links(object: &mut Object<'_>, own: &Context<'_>, number: &str, head: &str) {
    let links = [
        ("commits", ["/pulls/", number, "/commits"]),
        ("review_comments", ["/pulls/", number, "/comments"]),
        ("review_comment", ["/pulls/comments/{number}", "", ""]),
        ("comments", ["/issues/", number, "/comments"]),
        ("statuses", ["/statuses/", head, ""]),
    ];
    for (name, path) in &links {
        own.api(object, &[name, "_url"].concat(), path);
    }
    let mut all = object.object("_links");
    let here = [("self", ["/pulls/", number, ""]), ("issue", ["/issues/", number, ""])];
    for (name, path) in here.iter().chain(&links) {
        let mut link = all.object(name);
        own.api(&mut link, "href", path);
        link.end();
    }
    all.end();
}

fn write_side(mut object: Object<'_>, sha: &str, branch: &str, repo: &Repo, fork: bool) {
    object.plain("label", &[&repo.owner.login, ":", branch]);
    object.plain("ref", &[branch]);
    object.plain("sha", &[sha]);
    repo.owner.write_full(object.field("user"), repo.organisation);
    repo.write_full(object.field("repo"), fork, false);
    object.end();
}
