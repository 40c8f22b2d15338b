//! How long a written record lives.

use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// A write's wish for the record's expiry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ttl {
    /// The namespace's default.
    #[default]
    Default,
    Never,
    /// The expiry the record already has; a new record gets the default.
    Keep,
    Seconds(u32),
}

impl Ttl {
    /// From the number callers send: -1 never, -2 keep, 0 the default, otherwise seconds from now.
    ///
    /// # Errors
    /// `ttl_invalid`.
    pub fn from_seconds(seconds: i64) -> Result<Self> {
        match seconds {
            0 => Ok(Ttl::Default),
            -1 => Ok(Ttl::Never),
            -2 => Ok(Ttl::Keep),
            1.. if seconds <= i64::from(limits::TTL_SECONDS) => Ok(Ttl::Seconds(seconds as u32)),
            _ => Err(Error::said(
                ErrorCode::TtlInvalid,
                sentence!(
                    "a time to live must be -2 (keep), -1 (never), 0 (the default) or 1 to {most} seconds, got {given}",
                    most = limits::TTL_SECONDS,
                    given = seconds
                ),
            )
            .in_field("ttlSeconds")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_names_the_wish() {
        assert_eq!(Ttl::from_seconds(0), Ok(Ttl::Default));
        assert_eq!(Ttl::from_seconds(-1), Ok(Ttl::Never));
        assert_eq!(Ttl::from_seconds(-2), Ok(Ttl::Keep));
        assert_eq!(Ttl::from_seconds(60), Ok(Ttl::Seconds(60)));
        for bad in [-3, i64::from(limits::TTL_SECONDS) + 1, i64::MAX, i64::MIN] {
            assert_eq!(Ttl::from_seconds(bad).unwrap_err().code, ErrorCode::TtlInvalid);
        }
    }
}
