//! Words for names and texts.

use crate::rng::Rng;

pub const FIRST_NAMES: [&str; 32] = [
    "Ada",
    "Alan",
    "Barbara",
    "Björn",
    "Carlos",
    "Chen",
    "Dana",
    "Edsger",
    "Elena",
    "Fatima",
    "Grace",
    "Hugo",
    "Ingrid",
    "Jamal",
    "José",
    "Katherine",
    "Ken",
    "Leslie",
    "Margaret",
    "Mei",
    "Niklaus",
    "Olga",
    "Priya",
    "Radia",
    "Sofía",
    "Tariq",
    "Ursula",
    "Vint",
    "Wei",
    "Yukihiro",
    "Zoë",
    "Linus",
];
pub const LAST_NAMES: [&str; 32] = [
    "Adler",
    "Bauer",
    "Castillo",
    "Dijkstra",
    "Ekström",
    "Fischer",
    "García",
    "Hopper",
    "Ito",
    "Jensen",
    "Kowalski",
    "Lamport",
    "Müller",
    "Nakamura",
    "Okafor",
    "Petrov",
    "Quinn",
    "Ritchie",
    "Silva",
    "Turing",
    "Ueda",
    "Varga",
    "Wirth",
    "Xu",
    "Young",
    "Zhang",
    "Andersson",
    "Brown",
    "Cohen",
    "Dubois",
    "Evans",
    "Novák",
];
pub const MAIL_DOMAINS: [&str; 8] =
    ["gmail.com", "users.noreply.github.com", "hotmail.com", "yahoo.com", "qq.com", "outlook.com", "mail.ru", "web.de"];
pub const ADJECTIVES: [&str; 32] = [
    "quiet", "rapid", "tiny", "bright", "lazy", "open", "static", "vivid", "cosmic", "brave", "clever", "dusty", "early", "fuzzy",
    "gentle", "hidden", "icy", "jolly", "keen", "lunar", "misty", "noble", "odd", "plain", "quick", "rusty", "silent", "tidy", "urban",
    "wild", "young", "zen",
];
pub const NOUNS: [&str; 48] = [
    "river", "parser", "engine", "garden", "rocket", "server", "router", "forest", "widget", "kernel", "lantern", "mosaic", "needle",
    "otter", "pixel", "quartz", "radar", "socket", "tunnel", "umbrella", "vector", "wagon", "yarn", "zebra", "anchor", "beacon", "cactus",
    "dynamo", "ember", "falcon", "glacier", "harbor", "island", "jungle", "kettle", "library", "magnet", "notes", "orbit", "puzzle",
    "dotfiles", "site", "app", "api", "blog", "tools", "demo", "core",
];
const VERBS: [&str; 24] = [
    "Add", "Fix", "Update", "Remove", "Refactor", "Improve", "Rename", "Move", "Clean up", "Document", "Test", "Bump", "Revert", "Merge",
    "Handle", "Support", "Simplify", "Speed up", "Split", "Use", "Allow", "Ignore", "Check", "Initial",
];
const PLAIN: [&str; 96] = [
    "the",
    "a",
    "of",
    "for",
    "when",
    "with",
    "in",
    "and",
    "to",
    "from",
    "this",
    "that",
    "not",
    "is",
    "it",
    "on",
    "by",
    "after",
    "before",
    "error",
    "config",
    "test",
    "build",
    "page",
    "version",
    "module",
    "index",
    "cache",
    "buffer",
    "header",
    "footer",
    "style",
    "script",
    "query",
    "table",
    "column",
    "user",
    "login",
    "session",
    "token",
    "request",
    "response",
    "timeout",
    "thread",
    "lock",
    "queue",
    "worker",
    "event",
    "handler",
    "callback",
    "promise",
    "stream",
    "file",
    "path",
    "folder",
    "image",
    "font",
    "color",
    "layout",
    "button",
    "form",
    "field",
    "value",
    "default",
    "option",
    "flag",
    "argument",
    "parameter",
    "function",
    "method",
    "class",
    "object",
    "array",
    "list",
    "string",
    "number",
    "null",
    "empty",
    "missing",
    "broken",
    "wrong",
    "slow",
    "unused",
    "old",
    "new",
    "first",
    "last",
    "every",
    "some",
    "README.md",
    "Makefile",
    "package.json",
    "typo",
    "naïve",
    "日本語",
    "🚀",
];
/// What many commits say.
const USUAL: [&str; 8] = [
    "Update README.md",
    "Initial commit",
    "first commit",
    "Merge branch 'master' of github.com",
    "Happy New Year!",
    "fix",
    "wip",
    "Auto-commit",
];

/// A commit message, often a usual one, sometimes with a body.
pub fn message(rng: &mut Rng, into: &mut String) {
    into.clear();
    if rng.percent(14) {
        into.push_str(rng.pick(&USUAL));
        return;
    }
    title(rng, into);
    if rng.percent(12) {
        into.push_str("\n\n");
        sentences(rng, 1, into);
    }
}

/// A title of a few words.
pub fn title(rng: &mut Rng, into: &mut String) {
    into.push_str(rng.pick(&VERBS));
    words(rng, 3, 7, into);
}

/// Text of so many sentences, in paragraphs, with the odd quotation and line of code.
pub fn sentences(rng: &mut Rng, count: u32, into: &mut String) {
    for place in 0..count {
        if place > 0 {
            into.push_str(if place % 3 == 0 { "\r\n\r\n" } else { " " });
        }
        into.push_str(rng.pick(&VERBS));
        words(rng, 5, 14, into);
        match rng.below(12) {
            0 => into.push_str(", as in \"it works on my machine\"."),
            1 => into.push_str(":\r\n\r\n\tpath\\to\\file.c(42)"),
            _ => into.push('.'),
        }
    }
}

fn words(rng: &mut Rng, least: u32, most: u32, into: &mut String) {
    for _ in 0..rng.between(least, most) {
        into.push(' ');
        into.push_str(rng.pick(&PLAIN));
    }
}
