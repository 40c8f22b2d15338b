//! What a record is: its key and digest, its values, their bytes and texts, and what may be asked of it. It knows no storage.

pub mod body;
pub mod codec;
pub mod compare;
mod contains;
pub mod digest;
pub mod filter;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
pub mod json;
pub mod key;
pub mod msgpack;
pub mod operation;
pub mod path;
#[cfg(feature = "test-support")]
pub mod sample;
pub mod scalar;
pub mod ttl;
pub mod value;

pub use body::{BinsBuilder, BodyBuilder, BodyRef};
pub use codec::{Encoder, ListRef, MapRef, ValueRef};
pub use contains::contains;
pub use digest::Digest;
pub use key::{Key, KeyLimit, KeyRef};
pub use operation::{BinResults, Operation};
pub use path::{Path, PathStep};
pub use scalar::scalar_hash;
pub use ttl::Ttl;
pub use value::Value;

/// What the index keeps of a record beside its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Counts writes from 1; wraps from 65,535 to 1.
    pub generation: u16,
    /// Unix seconds; 0 means never.
    pub expires_at: u32,
    /// Unix milliseconds of the last write; 48 bits are kept on devices, in memory from 2020 to 2054.
    pub updated_at: u64,
}

impl Meta {
    /// Whether the record is past its time at `now` (Unix seconds).
    #[inline]
    pub const fn expired(&self, now: u32) -> bool {
        self.expires_at != 0 && self.expires_at <= now
    }

    /// Seconds from `now` as the compatible API tells them: -1 for never, at least 1.
    #[inline]
    pub fn ttl(&self, now: u32) -> i64 {
        match self.expires_at {
            0 => -1,
            at => i64::from(at.saturating_sub(now).max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Meta;

    #[test]
    fn a_record_is_past_its_time_from_that_second_on() {
        let at = |expires_at| Meta { expires_at, ..Meta::default() };
        assert_eq!([9, 10, 11].map(|now| at(10).expired(now)), [false, true, true]);
        assert!(!at(0).expired(u32::MAX), "never");
        assert_eq!([4, 9, 10, 11].map(|now| at(10).ttl(now)), [6, 1, 1, 1]);
        assert_eq!(at(0).ttl(5), -1);
    }
}
