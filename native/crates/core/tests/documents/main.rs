//! Containment, the document index and the filter language, against PostgreSQL's answers and against brute force.

mod bare;
mod containment;
mod csv;
mod filter;
mod index;
mod json;
mod ordered;
#[path = "../pages/mod.rs"]
mod pages;
mod plans;
mod postgres;
mod query;
mod range;
mod whole;
