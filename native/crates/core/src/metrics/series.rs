//! What a latency is of: the operation, how it ended, and where it was measured.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    Get,
    Put,
    Update,
    Delete,
    Batch,
    Scan,
    Query,
    IndexLookup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    Ok,
    Error,
}

/// `Engine`: from the decoded request to the finished reply, in this crate. `Gateway`: from HTTP in to the last byte out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Engine,
    Gateway,
}

/// One of the 32 series of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeriesKind {
    pub op: Operation,
    pub outcome: Outcome,
    pub side: Side,
}

impl Operation {
    pub const ALL: [Self; 8] = [Self::Get, Self::Put, Self::Update, Self::Delete, Self::Batch, Self::Scan, Self::Query, Self::IndexLookup];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Batch => "batch",
            Self::Scan => "scan",
            Self::Query => "query",
            Self::IndexLookup => "index-lookup",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.as_str() == text)
    }
}

impl Outcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
        }
    }
}

impl Side {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Gateway => "gateway",
        }
    }
}

impl SeriesKind {
    /// Series of a namespace.
    pub(in crate::metrics) const COUNT: usize = Operation::ALL.len() * 4;

    pub(in crate::metrics) const fn index(self) -> usize {
        (self.op as usize) << 2 | (self.outcome as usize) << 1 | self.side as usize
    }

    pub(in crate::metrics) const fn of_index(index: usize) -> Self {
        Self {
            op: Operation::ALL[index >> 2],
            outcome: if index & 2 == 0 { Outcome::Ok } else { Outcome::Error },
            side: if index & 1 == 0 { Side::Engine } else { Side::Gateway },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_kind_are_one_to_one() {
        for index in 0..SeriesKind::COUNT {
            assert_eq!(SeriesKind::of_index(index).index(), index);
        }
        assert_eq!(Operation::parse("index-lookup"), Some(Operation::IndexLookup));
        assert_eq!(Operation::parse("Get"), None);
    }
}
