//! The files and block devices: where they are, opened and checked, and all of them as one row of bytes.

pub mod data_file;
pub mod disk_place;
pub mod volume;
