//! The public event types and how often each occurs.

use crate::rng::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Push,
    Create,
    Watch,
    IssueComment,
    Issues,
    PullRequest,
    Fork,
    Delete,
    PullRequestReviewComment,
    Gollum,
    CommitComment,
    Member,
    Release,
    Public,
}

/// Share of each type, in thousandths.
const MIX: [(Kind, u32); 14] = [
    (Kind::Push, 516),
    (Kind::Create, 137),
    (Kind::Watch, 108),
    (Kind::IssueComment, 72),
    (Kind::Issues, 44),
    (Kind::PullRequest, 31),
    (Kind::Fork, 29),
    (Kind::Delete, 22),
    (Kind::PullRequestReviewComment, 8),
    (Kind::Gollum, 13),
    (Kind::CommitComment, 8),
    (Kind::Member, 6),
    (Kind::Release, 5),
    (Kind::Public, 1),
];

impl Kind {
    pub fn random(rng: &mut Rng) -> Self {
        let mut place = rng.below(1000);
        for (kind, share) in MIX {
            if place < share {
                return kind;
            }
            place -= share;
        }
        Kind::Push
    }

    /// Whether those who work on a repository cause it, rather than anybody.
    pub const fn by_contributor(self) -> bool {
        !matches!(self, Kind::Watch | Kind::Fork | Kind::IssueComment | Kind::Issues)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Push => "PushEvent",
            Kind::Create => "CreateEvent",
            Kind::Watch => "WatchEvent",
            Kind::IssueComment => "IssueCommentEvent",
            Kind::Issues => "IssuesEvent",
            Kind::PullRequest => "PullRequestEvent",
            Kind::Fork => "ForkEvent",
            Kind::Delete => "DeleteEvent",
            Kind::PullRequestReviewComment => "PullRequestReviewCommentEvent",
            Kind::Gollum => "GollumEvent",
            Kind::CommitComment => "CommitCommentEvent",
            Kind::Member => "MemberEvent",
            Kind::Release => "ReleaseEvent",
            Kind::Public => "PublicEvent",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_add_up() {
        assert_eq!(MIX.iter().map(|(_, share)| share).sum::<u32>(), 1000);
    }
}
