//! Writes JSON objects field by field, straight into a buffer.

use std::io::Write as _;

/// One open object; `end` closes it.
#[derive(Debug)]
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> Object<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    pub fn end(self) {
        self.out.push(b'}');
    }

    /// Writes a name and returns the buffer, for a value of any kind.
    pub fn field(&mut self, name: &str) -> &mut Vec<u8> {
        self.out.extend_from_slice(if self.empty { b"\"" } else { b",\"" });
        self.empty = false;
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    pub fn object(&mut self, name: &str) -> Object<'_> {
        Object::new(self.field(name))
    }

    /// A string of parts that need no escape.
    pub fn plain(&mut self, name: &str, parts: &[&str]) {
        let out = self.field(name);
        out.push(b'"');
        parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
        out.push(b'"');
    }

    /// A string that may need escapes.
    pub fn text(&mut self, name: &str, text: &str) {
        string(self.field(name), text);
    }

    pub fn int(&mut self, name: &str, value: u64) {
        int(self.field(name), value);
    }

    pub fn bool(&mut self, name: &str, value: bool) {
        self.field(name).extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub fn null(&mut self, name: &str) {
        self.field(name).extend_from_slice(b"null");
    }
}

/// Appends a number in decimal.
pub fn int(out: &mut Vec<u8>, value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a string in quotes, escaped.
pub fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            // Writing to a vector cannot fail.
            0..=31 => drop(write!(out, "\\u{byte:04x}")),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_json() {
        let mut out = vec![];
        let mut object = Object::new(&mut out);
        object.int("n", u64::MAX);
        object.int("z", 0);
        object.text("t", "a\"\\\n\r\t\u{1}é");
        object.plain("p", &["x", "/", "y"]);
        let mut inner = object.object("o");
        inner.bool("b", true);
        inner.null("none");
        inner.end();
        object.end();
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let expected = serde_json::json!({"n": u64::MAX, "z": 0, "t": "a\"\\\n\r\t\u{1}é", "p": "x/y", "o": {"b": true, "none": null}});
        assert_eq!(value, expected);
    }
}
