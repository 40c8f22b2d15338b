//! Bodies of fuzz targets: what reads records from a disk, and texts of clients.

pub mod filter;
pub mod json;
pub mod msgpack;
pub mod record;

#[cfg(test)]
mod tests;
