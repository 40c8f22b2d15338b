//! The payloads that have few fields, and forks.

use super::{Context, hex};
use crate::clock;
use crate::json::Object;
use crate::kinds::Kind;
use crate::people::User;
use crate::repos::{REPOSITORIES, Repo, USERS};

const BRANCHES: [&str; 6] = ["master", "develop", "gh-pages", "feature/login", "v2", "fix-build"];

pub fn write(out: &mut Vec<u8>, context: &mut Context<'_>) {
    let mut object = Object::new(out);
    match context.event.kind {
        Kind::Create => write_create(&mut object, context),
        Kind::Watch => object.plain("action", &["started"]),
        Kind::Fork => {
            let mut fork = Repo::default();
            fork.set(context.rng.below(REPOSITORIES));
            fork.write_full(object.field("forkee"), true, true);
        }
        Kind::Delete => {
            object.plain("ref", &[context.rng.pick(&BRANCHES)]);
            object.plain("ref_type", &["branch"]);
            object.plain("pusher_type", &["user"]);
        }
        Kind::Gollum => write_pages(&mut object, context),
        Kind::Member => {
            let mut member = User::default();
            member.set(context.rng.below(USERS));
            member.write_full(object.field("member"), false);
            object.plain("action", &["added"]);
        }
        Kind::Release => write_release(&mut object, context),
        _ => {}
    }
    object.end();
}

fn write_create(object: &mut Object<'_>, context: &mut Context<'_>) {
    match context.rng.below(10) {
        0..5 => {
            object.plain("ref", &[context.rng.pick(&BRANCHES)]);
            object.plain("ref_type", &["branch"]);
        }
        5..9 => {
            object.null("ref");
            object.plain("ref_type", &["repository"]);
        }
        _ => {
            let version = context.rng.below(40).to_string();
            object.plain("ref", &["v1.", &version, ".0"]);
            object.plain("ref_type", &["tag"]);
        }
    }
    object.plain("master_branch", &["master"]);
    object.text("description", context.event.repo.description());
    object.plain("pusher_type", &["user"]);
}

fn write_pages(object: &mut Object<'_>, context: &mut Context<'_>) {
    let pages = object.field("pages");
    pages.push(b'[');
    for place in 0..context.rng.between(1, 3) {
        if place > 0 {
            pages.push(b',');
        }
        let sha = context.sha();
        let page = context.rng.pick(&["Home", "Installation", "FAQ", "Roadmap", "API"]);
        let mut entry = Object::new(pages);
        entry.plain("page_name", &[page]);
        entry.plain("title", &[page]);
        entry.null("summary");
        entry.plain("action", &["edited"]);
        entry.plain("sha", &[hex(&sha)]);
        context.page(&mut entry, "html_url", &["/wiki/", page]);
        entry.end();
    }
    pages.push(b']');
}

fn write_release(object: &mut Object<'_>, context: &mut Context<'_>) {
    let (id, tag) = ((822_000 + context.event.row).to_string(), format!("v{}.{}", context.rng.below(5), context.rng.below(30)));
    object.plain("action", &["published"]);
    let mut release = object.object("release");
    context.api(&mut release, "url", &["/releases/", &id]);
    context.api(&mut release, "assets_url", &["/releases/", &id, "/assets"]);
    context.page(&mut release, "html_url", &["/releases/tag/", &tag]);
    release.field("id").extend_from_slice(id.as_bytes());
    release.plain("tag_name", &[&tag]);
    release.plain("target_commitish", &["master"]);
    release.text("name", context.title());
    release.bool("draft", false);
    context.event.actor.write_full(release.field("author"), false);
    release.bool("prerelease", context.rng.percent(15));
    let now = -clock::second_of(context.event.row);
    clock::write(release.field("created_at"), now);
    clock::write(release.field("published_at"), now);
    release.field("assets").extend_from_slice(b"[]");
    context.api(&mut release, "tarball_url", &["/tarball/", &tag]);
    context.api(&mut release, "zipball_url", &["/zipball/", &tag]);
    release.text("body", context.sentences(0, 5));
    release.end();
}
