//! Users: everything about one follows from their number.

use super::json::Object;
use super::words::{ADJECTIVES, FIRST_NAMES, LAST_NAMES, MAIL_DOMAINS, NOUNS};
use crate::rng::Rng;
use std::fmt::Write as _;

/// Separates the random numbers of users from those of other things.
const PURPOSE: u64 = 1;

/// A user or an organisation. `login` and the text of the id are made once, since they are written many times.
#[derive(Clone, Debug, Default)]
pub struct User {
    pub number: u32,
    pub id: String,
    pub login: String,
}

impl User {
    /// Becomes user `number`; the buffers are kept.
    pub fn set(&mut self, number: u32) {
        if self.number == number && !self.login.is_empty() {
            return;
        }
        self.number = number;
        let mut rng = Rng::new(0, PURPOSE, u64::from(number));
        self.login.clear();
        self.login.push_str(rng.pick(&ADJECTIVES));
        if rng.percent(50) {
            self.login.push('-');
        }
        self.login.push_str(rng.pick(&NOUNS));
        // Writing to a string cannot fail.
        let _ = write!(self.login, "{number}");
        self.id.clear();
        let _ = write!(self.id, "{}", 1000 + u64::from(number) * 31);
    }

    /// `{"id","login","gravatar_id","url","avatar_url"}`, as actors and organisations of an event are written.
    pub fn write_actor(&self, out: &mut Vec<u8>, organisation: bool) {
        let mut object = Object::new(out);
        object.field("id").extend_from_slice(self.id.as_bytes());
        object.plain("login", &[&self.login]);
        object.plain("gravatar_id", &[]);
        object.plain("url", &[if organisation { "https://api.github.com/orgs/" } else { "https://api.github.com/users/" }, &self.login]);
        object.plain("avatar_url", &["https://avatars.githubusercontent.com/u/", &self.id, "?"]);
        object.end();
    }

    /// The long form, inside payloads: 17 fields.
    pub fn write_full(&self, out: &mut Vec<u8>, organisation: bool) {
        let login: &str = &self.login;
        let mut object = Object::new(out);
        object.plain("login", &[login]);
        object.field("id").extend_from_slice(self.id.as_bytes());
        object.plain("avatar_url", &["https://avatars.githubusercontent.com/u/", &self.id, "?v=3"]);
        object.plain("gravatar_id", &[]);
        object.plain("url", &["https://api.github.com/users/", login]);
        object.plain("html_url", &["https://github.com/", login]);
        for (name, path) in [
            ("followers_url", "/followers"),
            ("following_url", "/following{/other_user}"),
            ("gists_url", "/gists{/gist_id}"),
            ("starred_url", "/starred{/owner}{/repo}"),
            ("subscriptions_url", "/subscriptions"),
            ("organizations_url", "/orgs"),
            ("repos_url", "/repos"),
            ("events_url", "/events{/privacy}"),
            ("received_events_url", "/received_events"),
        ] {
            object.plain(name, &["https://api.github.com/users/", login, path]);
        }
        object.plain("type", &[if organisation { "Organization" } else { "User" }]);
        object.bool("site_admin", false);
        object.end();
    }

    /// Name and mail address, as in commits.
    pub fn identity(&self) -> ([&'static str; 2], [&str; 3]) {
        let mut rng = Rng::new(1, PURPOSE, u64::from(self.number));
        let name = [rng.pick(&FIRST_NAMES), rng.pick(&LAST_NAMES)];
        (name, [&self.login, "@", rng.pick(&MAIL_DOMAINS)])
    }
}
