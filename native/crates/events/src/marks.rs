//! The known commits: rows whose matches can be counted without looking at a payload.

/// The author that queries look for.
pub const AUTHOR_EMAIL: &str = "test@gmail.com";
/// The repository that queries look for, and its rank.
pub const REPOSITORY_ID: u64 = 17_330_407;
pub const REPOSITORY_RANK: u32 = 49;
/// One row in so many has the author, ...
const EVERY: u64 = 2000;
/// ... and one in so many lies in the repository as well.
const EVERY_IN_REPOSITORY: u64 = 20_000;
const OFFSET: u64 = 1000;

/// What a row is for the queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    None,
    /// A PushEvent; the author of exactly one of its commits is `AUTHOR_EMAIL`.
    Author,
    /// The same, in repository `REPOSITORY_ID`.
    AuthorInRepository,
    /// A PushEvent with the address in a commit message, and nearly the address as an author: matches nothing.
    Decoy,
}

impl Mark {
    /// Row 1,000 and every 2,000th after it has the author; of these, row 1,000 and every 20,000th after it lies in the
    /// repository. Half-way between two of them is a decoy.
    pub fn of(row: u64) -> Self {
        match row % EVERY {
            OFFSET if row % EVERY_IN_REPOSITORY == OFFSET => Mark::AuthorInRepository,
            OFFSET => Mark::Author,
            0 if row > 0 => Mark::Decoy,
            _ => Mark::None,
        }
    }
}

/// How many of the first `rows` events match the query over all repositories.
pub fn matches_all(rows: u64) -> u64 {
    (rows + EVERY - OFFSET - 1) / EVERY
}

/// How many of the first `rows` events match the query over repository `REPOSITORY_ID`.
pub fn matches_one(rows: u64) -> u64 {
    (rows + EVERY_IN_REPOSITORY - OFFSET - 1) / EVERY_IN_REPOSITORY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_those_of_the_rows() {
        let (mut all, mut one) = (0, 0);
        for row in 0..50_000 {
            assert_eq!((matches_all(row), matches_one(row)), (all, one), "{row}");
            all += u64::from(matches!(Mark::of(row), Mark::Author | Mark::AuthorInRepository));
            one += u64::from(Mark::of(row) == Mark::AuthorInRepository);
        }
        assert_eq!((matches_all(219_000), matches_one(219_000)), (109, 11));
    }
}
