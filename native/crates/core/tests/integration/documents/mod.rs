//! Containment, the document index and the filter language, against PostgreSQL's answers and against brute force.

pub mod bare;
mod containment;
mod csv;
mod filter;
mod ordered;
mod packed;
mod plans;
mod postgres;
mod query;
mod whole;
