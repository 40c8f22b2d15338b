//! The handle on a segment that an engine without one of its own gives: bodies are stored by `PagedSegment`.

use crate::error::{Error, ErrorCode, Result};
use crate::storage::paged::bodies;
use crate::storage::{Location, RecordImage, SegmentBytes, SegmentStore};

pub struct NoBodies;

impl SegmentStore for NoBodies {
    fn put(&mut self, _: &RecordImage<'_>, _: Option<Location>) -> Result<Location> {
        Err(Error::new(ErrorCode::Internal, "a record of the paged engine is stored with its segment"))
    }

    fn forget(&mut self, _: Location) {}

    fn resident(&self, _: Location) -> Option<&[u8]> {
        None
    }

    fn stored_bytes(&self, location: Location) -> usize {
        bodies::stored_bytes(location)
    }

    fn put_bytes(&self, _: usize, body: usize) -> usize {
        bodies::put_bytes(body)
    }

    fn bytes(&self) -> SegmentBytes {
        SegmentBytes::default()
    }
}
