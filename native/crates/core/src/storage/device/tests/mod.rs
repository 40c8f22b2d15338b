//! The device storage as a whole, over a disk that fails on command.

mod rig;
mod round_trip;
