//! Bodies for tests, built the way callers build them.

use tessera_record::{BodyBuilder, BodyRef, KeyRef, Value};

#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
pub fn body(key: KeyRef<'_>, bins: &[(&str, Value)]) -> Vec<u8> {
    let mut out = vec![];
    let mut body = BodyBuilder::new(&mut out, key);
    for (name, value) in bins {
        body.bin(name, |encoder| {
            encoder.value(value);
            Ok(())
        })
        .unwrap();
    }
    body.finish();
    out
}

#[allow(dead_code, reason = "not every test that shares this module asks for one bin")]
pub fn bin(body: &[u8], name: &str) -> Option<Value> {
    BodyRef::new(body).bin(name).map(|value| value.to_value())
}
