//! What an import is asked to do: its specification, which bins a row's columns become, and both resolved against the header.

pub(super) mod cell;
pub mod exported;
pub(super) mod map;
pub(super) mod resolve;
pub(super) mod spec;
