//! Encoded values as MessagePack, each in the shortest form that holds it.

use crate::ValueRef;

/// Appends a value.
pub fn pack_value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => out.push(0xc0),
        ValueRef::Bool(value) => out.push(if value { 0xc3 } else { 0xc2 }),
        ValueRef::Int(number) => pack_int(out, number),
        ValueRef::Double(number) => marked(out, 0xcb, number.to_be_bytes()),
        ValueRef::String(text) => pack_string(out, text),
        ValueRef::Bytes(content) => {
            sized(out, content.len(), None, [0xc4, 0xc5, 0xc6]);
            out.extend_from_slice(content);
        }
        ValueRef::List(list) => {
            pack_list(out, list.iter().count());
            list.iter().for_each(|item| pack_value(out, item));
        }
        ValueRef::Map(map) => {
            pack_map(out, map.iter().count());
            for (name, entry) in map.iter() {
                pack_string(out, name);
                pack_value(out, entry);
            }
        }
    }
}

pub(super) fn pack_int(out: &mut Vec<u8>, number: i64) {
    match number {
        -32..=127 => out.push(number as u8),
        0x80..=0xff => out.extend_from_slice(&[0xcc, number as u8]),
        0x100..=0xffff => marked(out, 0xcd, (number as u16).to_be_bytes()),
        0x1_0000..=0xffff_ffff => marked(out, 0xce, (number as u32).to_be_bytes()),
        0x1_0000_0000.. => marked(out, 0xcf, number.to_be_bytes()),
        -0x80..=-33 => out.extend_from_slice(&[0xd0, number as u8]),
        -0x8000..=-0x81 => marked(out, 0xd1, (number as i16).to_be_bytes()),
        -0x8000_0000..=-0x8001 => marked(out, 0xd2, (number as i32).to_be_bytes()),
        _ => marked(out, 0xd3, number.to_be_bytes()),
    }
}

fn marked<const N: usize>(out: &mut Vec<u8>, marker: u8, bytes: [u8; N]) {
    out.push(marker);
    out.extend_from_slice(&bytes);
}

pub(super) fn pack_string(out: &mut Vec<u8>, text: &[u8]) {
    sized(out, text.len(), Some((0xa0, 31)), [0xd9, 0xda, 0xdb]);
    out.extend_from_slice(text);
}

pub(super) fn pack_list(out: &mut Vec<u8>, items: usize) {
    counted(out, items, 0x90, [0xdc, 0xdd]);
}

pub(super) fn pack_map(out: &mut Vec<u8>, entries: usize) {
    counted(out, entries, 0x80, [0xde, 0xdf]);
}

/// The head of a string or of bytes; `fix`: the marker that holds a length of at most so much itself.
fn sized(out: &mut Vec<u8>, length: usize, fix: Option<(u8, usize)>, markers: [u8; 3]) {
    match (fix, u8::try_from(length), u16::try_from(length)) {
        (Some((marker, most)), Ok(short), _) if length <= most => out.push(marker | short),
        (_, Ok(short), _) => out.extend_from_slice(&[markers[0], short]),
        (_, _, Ok(middle)) => marked(out, markers[1], middle.to_be_bytes()),
        _ => marked(out, markers[2], (length as u32).to_be_bytes()),
    }
}

fn counted(out: &mut Vec<u8>, count: usize, fix: u8, markers: [u8; 2]) {
    match u16::try_from(count) {
        Ok(few @ 0..=15) => out.push(fix | few as u8),
        Ok(some) => marked(out, markers[0], some.to_be_bytes()),
        Err(_) => marked(out, markers[1], (count as u32).to_be_bytes()),
    }
}
