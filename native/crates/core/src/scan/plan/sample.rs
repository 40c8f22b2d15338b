//! A part of the records, for an answer that need not see all.

use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use tessera_record::Digest;
use xxhash_rust::xxh3::xxh3_64_with_seed;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// About this share of the records, chosen by digest: the same ones for the same seed.
    Share { share: f64, seed: u64 },
    /// As many records, whichever are found first.
    First(u64),
}

/// Which digests a share takes.
#[derive(Clone, Copy, Debug)]
pub(in crate::scan) struct Share {
    below: u64,
    seed: u64,
}

impl Sample {
    /// # Errors
    /// `sample_invalid`.
    pub(crate) fn check(&self, paged: bool) -> Result<()> {
        let fault = |field: &str, message: Sentence| Err(Error::said(ErrorCode::SampleInvalid, message).in_field(field));
        match *self {
            Self::Share { share, .. } if share > 0.0 && share <= 1.0 => Ok(()),
            Self::Share { .. } => fault("sample.share", sentence!("a share must be more than 0 and at most 1")),
            Self::First(0) => fault("sample.first", sentence!("must be at least 1")),
            Self::First(_) if paged => fault("sample.first", sentence!("cannot be combined with limit or cursor; leave them out")),
            Self::First(_) => Ok(()),
        }
    }

    pub(in crate::scan) fn share(&self) -> Option<Share> {
        match *self {
            // All of them where there is nothing to choose.
            Self::Share { share, seed } if share < 1.0 => Some(Share { below: (share * 2f64.powi(64)) as u64, seed }),
            Self::Share { .. } | Self::First(_) => None,
        }
    }

    pub(in crate::scan) const fn first(&self) -> Option<u64> {
        match *self {
            Self::First(first) => Some(first),
            Self::Share { .. } => None,
        }
    }
}

impl Share {
    pub(in crate::scan) fn takes(&self, digest: &Digest) -> bool {
        xxh3_64_with_seed(&digest.0, self.seed) < self.below
    }
}
