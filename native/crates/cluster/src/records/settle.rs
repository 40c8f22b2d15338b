//! What came of a write whose answer was lost.

use super::row::Version;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    Applied,
    /// Not yet. The same write may be sent again: of the two, only one can find the version that it expects.
    Pending,
    /// Another write replaced the expected version, so ours cannot be applied any more.
    Lost,
    /// Several others have written since, and ours may have been among them.
    Unknown,
}

/// Of the write `ours` that expects the version `expected` (`None`: no row), judged by what a serial read finds.
///
/// A version names the one that it replaced, and the table keeps the last one alone.
pub(super) fn settle(found: Option<&Version>, expected: Option<Uuid>, ours: Uuid) -> Settled {
    match found {
        None if expected.is_none() => Settled::Pending,
        // The expected version was past its time, and Cassandra has removed it. Ours would be there.
        None => Settled::Lost,
        Some(found) if found.id == ours || found.previous == Some(ours) => Settled::Applied,
        Some(found) if Some(found.id) == expected => Settled::Pending,
        Some(found) if found.previous == expected => Settled::Lost,
        Some(_) => Settled::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::Meta;

    #[test]
    fn a_write_is_settled_by_the_version_that_is_there_and_the_one_before() {
        let [old, ours, other, another] = [1, 2, 3, 4].map(Uuid::from_u128);
        let version = |id, previous| Version { id, previous, set: String::new(), meta: Meta::default(), body: None };
        let of = |found: Option<Version>, expected| settle(found.as_ref(), expected, ours);
        for expected in [None, Some(old)] {
            assert_eq!(of(Some(version(ours, expected)), expected), Settled::Applied);
            assert_eq!(of(Some(version(other, Some(ours))), expected), Settled::Applied);
            assert_eq!(of(Some(version(other, expected)), expected), Settled::Lost);
            assert_eq!(of(Some(version(another, Some(other))), expected), Settled::Unknown);
        }
        assert_eq!(of(Some(version(old, None)), Some(old)), Settled::Pending);
        assert_eq!(of(None, None), Settled::Pending);
        assert_eq!(of(None, Some(old)), Settled::Lost);
    }
}
