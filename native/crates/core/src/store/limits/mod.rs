//! What takes records away, and what stops writes: expiry, eviction, truncation, and how full a
//! namespace is.

mod damage;
mod evict;
mod expire;
mod fullness;
mod sweep_elsewhere;
mod truncate;

pub(super) use damage::Passed;
pub(super) use evict::Round;
pub(super) use fullness::Fullness;
pub use fullness::LimitsInfo;
pub(super) use sweep_elsewhere::Sweeps;
pub(crate) use truncate::Hides;
pub(super) use truncate::Removed;
