//! What operations read of a record, as the compatible API answers it.

use super::Shape;
use super::escape::write_string;
use super::object::write_v1_header;
use super::write::write_value;
use crate::{BinResults, Meta, ValueRef};

/// Appends `{"generation","ttl","bins"}`. A bin that several operations answered has a list of their results; without any
/// result the bins are null.
pub fn write_v1_results(out: &mut Vec<u8>, meta: &Meta, results: &[BinResults], now: u32) {
    out.push(b'{');
    write_v1_header(out, meta, now);
    if results.is_empty() {
        out.extend_from_slice(b"null}");
        return;
    }
    out.push(b'{');
    let mut first = true;
    for BinResults { bin, values } in results {
        if let [only] = values.as_slice()
            && matches!(ValueRef::of(only), ValueRef::Null)
        {
            continue;
        }
        if !first {
            out.push(b',');
        }
        first = false;
        write_string(out, bin.as_bytes());
        out.push(b':');
        match values.as_slice() {
            [only] => write_value(out, ValueRef::of(only), Shape::V1),
            several => {
                for (place, value) in several.iter().enumerate() {
                    out.push(if place == 0 { b'[' } else { b',' });
                    write_value(out, ValueRef::of(value), Shape::V1);
                }
                out.push(b']');
            }
        }
    }
    out.extend_from_slice(b"}}");
}
