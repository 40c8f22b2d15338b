//! Bytes on their way to JavaScript.

use napi::bindgen_prelude::{Buffer, BufferSlice, ToNapiValue, TypeName};
use napi::{Env, ValueType, sys};

/// Below this a copy into V8's memory is cheaper than handing the allocation over and having it freed by a finalizer.
const COPY_BELOW: usize = 32 * 1024;

/// A freshly filled vector that nobody else will read: copied when small, handed over when large.
pub struct Bytes(pub Vec<u8>);

impl TypeName for Bytes {
    fn type_name() -> &'static str {
        "Buffer"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ToNapiValue for Bytes {
    unsafe fn to_napi_value(raw: sys::napi_env, bytes: Self) -> napi::Result<sys::napi_value> {
        if bytes.0.len() < COPY_BELOW {
            let copy = BufferSlice::copy_from(&Env::from_raw(raw), &bytes.0)?;
            // SAFETY: `raw` is the environment of the call in progress; our caller vouches for it.
            unsafe { ToNapiValue::to_napi_value(raw, &copy) }
        } else {
            // SAFETY: as above.
            unsafe { ToNapiValue::to_napi_value(raw, Buffer::from(bytes.0)) }
        }
    }
}
