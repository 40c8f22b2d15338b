//! Streams: a pipeline of steps over the records of a set or namespace, as Java's streams are over a collection. Its steps run where
//! the records are, in each of the workers that walk them, and only what comes to the end leaves the engine.
//!
//! `spec` is what a caller asks, `parse` reads the steps, `pipeline` is what they come to; `phase`
//! runs them, `rows` makes the rows of `map` and `flatMap`, `distinct` knows what was met,
//! `element` keeps what waits for a sort, `take` takes an element through them, `answer` writes
//! what comes to the end, `run` drives the workers, which share what `running` holds.
//! `docs/streams.md` is the reference for users.

mod answer;
mod distinct;
mod element;
mod parse;
mod phase;
mod pipeline;
mod rows;
mod run;
mod running;
mod spec;
mod take;

pub use pipeline::Pipeline;
pub(crate) use run::{explain, start};
pub use spec::{Stream, StreamSpec};
