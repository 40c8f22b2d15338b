//! Repositories: everything about one follows from its rank.

use super::clock;
use super::json::Object;
use super::people::User;
use super::words::{self, ADJECTIVES, NOUNS};
use crate::rng::Rng;
use std::fmt::Write as _;

const PURPOSE: u64 = 2;
/// How many repositories there are; with Zipf's law about 60,000 of them come up in 219,000 events.
pub const REPOSITORIES: u32 = 440_000;
/// How many users there are.
pub const USERS: u32 = 150_000;
/// Repository ids are this far apart, and rank 49 is 17330407.
const ID_STEP: u64 = 23;
const ID_BASE: u64 = super::marks::REPOSITORY_ID - super::marks::REPOSITORY_RANK as u64 * ID_STEP;
const LANGUAGES: [&str; 12] = ["JavaScript", "Java", "Ruby", "Python", "PHP", "C++", "C", "CSS", "Shell", "Go", "C#", "Haskell"];

#[derive(Clone, Debug, Default)]
pub struct Repo {
    pub rank: u32,
    pub id: u64,
    pub owner: User,
    pub organisation: bool,
    /// Without the owner.
    pub name: String,
    /// `owner/name`.
    pub full_name: String,
    description: String,
}

impl Repo {
    /// Becomes the repository of this rank; the buffers are kept.
    pub fn set(&mut self, rank: u32) {
        let mut rng = Rng::new(0, PURPOSE, u64::from(rank));
        self.rank = rank;
        self.id = ID_BASE + u64::from(rank) * ID_STEP;
        self.owner.set(rng.below(USERS));
        self.organisation = rng.percent(25);
        self.name.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.name, "{}-{}", rng.pick(&ADJECTIVES), rng.pick(&NOUNS));
        self.full_name.clear();
        let _ = write!(self.full_name, "{}/{}", self.owner.login, self.name);
        self.description.clear();
        words::title(&mut rng, &mut self.description);
    }

    /// Someone who works on it: mostly its owner, else one of a few, more for a popular one.
    pub fn contributor(&self, rng: &mut Rng) -> u32 {
        if !self.organisation && rng.percent(70) {
            return self.owner.number;
        }
        let few = 2 + 400 / (self.rank + 10);
        Rng::new(1, PURPOSE, u64::from(self.rank) << 16 | u64::from(rng.below(few))).below(USERS)
    }

    /// An issue or pull request of it that someone acts on today.
    pub fn active_issue(&self, rng: &mut Rng) -> u32 {
        1 + rng.below(3 + 4000 / (self.rank + 10))
    }

    pub fn description(&self) -> &str {
        &self.description
    }

    /// `{"id","name","url"}`, as the repository of an event is written.
    pub fn write_short(&self, out: &mut Vec<u8>) {
        let mut object = Object::new(out);
        object.int("id", self.id);
        object.plain("name", &[&self.full_name]);
        object.plain("url", &["https://api.github.com/repos/", &self.full_name]);
        object.end();
    }

    /// The long form, inside payloads: 67 fields and the owner's 17.
    pub fn write_full(&self, out: &mut Vec<u8>, fork: bool, public: bool) {
        let mut rng = Rng::new(2, PURPOSE, u64::from(self.rank));
        let mut object = Object::new(out);
        object.int("id", self.id + u64::from(fork) * 11);
        object.plain("name", &[&self.name]);
        object.plain("full_name", &[&self.full_name]);
        self.owner.write_full(object.field("owner"), self.organisation);
        object.bool("private", false);
        object.plain("html_url", &["https://github.com/", &self.full_name]);
        object.text("description", &self.description);
        object.bool("fork", fork);
        self.write_urls(&mut object);
        let created = 31_536_000 + rng.below(220_000_000);
        for (name, age) in [("created_at", created), ("updated_at", rng.below(31_536_000)), ("pushed_at", rng.below(2_592_000))] {
            clock::write(object.field(name), i64::from(age));
        }
        for (name, scheme, suffix) in [
            ("git_url", "git://github.com/", ".git"),
            ("ssh_url", "git@github.com:", ".git"),
            ("clone_url", "https://github.com/", ".git"),
            ("svn_url", "https://github.com/", ""),
        ] {
            object.plain(name, &[scheme, &self.full_name, suffix]);
        }
        object.null("homepage");
        object.int("size", u64::from(rng.below(200_000)));
        let stars = u64::from(20_000 / (self.rank + 1) + rng.below(5));
        object.int("stargazers_count", stars);
        object.int("watchers_count", stars);
        object.plain("language", &[rng.pick(&LANGUAGES)]);
        for name in ["has_issues", "has_downloads", "has_wiki"] {
            object.bool(name, true);
        }
        object.bool("has_pages", rng.percent(10));
        let (forks, issues) = (stars / 3, u64::from(rng.below(40)));
        object.int("forks_count", forks);
        object.null("mirror_url");
        object.int("open_issues_count", issues);
        object.int("forks", forks);
        object.int("open_issues", issues);
        object.int("watchers", stars);
        object.plain("default_branch", &["master"]);
        if public {
            object.bool("public", true);
        }
        object.end();
    }

    fn write_urls(&self, object: &mut Object<'_>) {
        for (name, path) in [
            ("url", ""),
            ("forks_url", "/forks"),
            ("keys_url", "/keys{/key_id}"),
            ("collaborators_url", "/collaborators{/collaborator}"),
            ("teams_url", "/teams"),
            ("hooks_url", "/hooks"),
            ("issue_events_url", "/issues/events{/number}"),
            ("events_url", "/events"),
            ("assignees_url", "/assignees{/user}"),
            ("branches_url", "/branches{/branch}"),
            ("tags_url", "/tags"),
            ("blobs_url", "/git/blobs{/sha}"),
            ("git_tags_url", "/git/tags{/sha}"),
            ("git_refs_url", "/git/refs{/sha}"),
            ("trees_url", "/git/trees{/sha}"),
            ("statuses_url", "/statuses/{sha}"),
            ("languages_url", "/languages"),
            ("stargazers_url", "/stargazers"),
            ("contributors_url", "/contributors"),
            ("subscribers_url", "/subscribers"),
            ("subscription_url", "/subscription"),
            ("commits_url", "/commits{/sha}"),
            ("git_commits_url", "/git/commits{/sha}"),
            ("comments_url", "/comments{/number}"),
            ("issue_comment_url", "/issues/comments/{number}"),
            ("contents_url", "/contents/{+path}"),
            ("compare_url", "/compare/{base}...{head}"),
            ("merges_url", "/merges"),
            ("archive_url", "/{archive_format}{/ref}"),
            ("downloads_url", "/downloads"),
            ("issues_url", "/issues{/number}"),
            ("pulls_url", "/pulls{/number}"),
            ("milestones_url", "/milestones{/number}"),
            ("notifications_url", "/notifications{?since,all,participating}"),
            ("labels_url", "/labels{/name}"),
            ("releases_url", "/releases{/id}"),
        ] {
            object.plain(name, &["https://api.github.com/repos/", &self.full_name, path]);
        }
    }
}
