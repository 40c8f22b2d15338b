//! Lines among the records of a scan that say which segments are through.

use crate::scan::plan::Selection;

impl Selection {
    /// Says that all records of a cell have been written: of its segment, or, in a flat container, of all of so many.
    pub(in crate::scan) fn mark_done(&self, cell: usize, segments: u32, out: &mut Vec<u8>) {
        let done = if self.flat { 0..segments } else { cell as u32..cell as u32 + 1 };
        for segment in done.filter(|segment| self.segments.as_ref().is_none_or(|wanted| wanted.has(*segment as u16))) {
            out.extend_from_slice(format!("{{\"segmentDone\":{segment}}}\n").as_bytes());
        }
    }
}
