//! The napi-rs binding of `tessera-core`.
