//! Load generator and measuring loops over the public API of `tessera-core`.

pub mod events;
