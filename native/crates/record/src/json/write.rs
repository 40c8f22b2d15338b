//! Encoded values to JSON text.

use super::digits::{write_double, write_int};
use super::escape::write_string;
use super::{Shape, bytes};
use crate::ValueRef;

/// Appends a value as JSON.
pub fn write_value(out: &mut Vec<u8>, value: ValueRef<'_>, shape: Shape) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::Bool(true) => out.extend_from_slice(b"true"),
        ValueRef::Bool(false) => out.extend_from_slice(b"false"),
        ValueRef::Int(number) => write_int(out, number),
        ValueRef::Double(number) => write_double(out, number),
        ValueRef::String(text) => write_string(out, text),
        ValueRef::Bytes(content) => write_bytes(out, content, shape),
        ValueRef::List(list) => {
            out.push(b'[');
            for (place, item) in list.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_value(out, item, shape);
            }
            out.push(b']');
        }
        ValueRef::Map(map) => {
            out.push(b'{');
            for (place, (name, entry)) in map.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_string(out, name);
                out.push(b':');
                write_value(out, entry, shape);
            }
            out.push(b'}');
        }
    }
}

fn write_bytes(out: &mut Vec<u8>, content: &[u8], shape: Shape) {
    let (before, after): (&[u8], &[u8]) = match shape {
        Shape::Record => (b"{\"$bytes\":\"", b"\"}"),
        Shape::V1 | Shape::Packed => (b"\"", b"\""),
    };
    out.extend_from_slice(before);
    bytes::write(out, content);
    out.extend_from_slice(after);
}
