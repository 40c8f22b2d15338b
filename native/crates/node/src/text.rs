//! Short string arguments of the hot path, without an allocation.

use napi::bindgen_prelude::{FromNapiValue, TypeName, ValidateNapiValue};
use napi::{ValueType, sys};
use std::ops::Deref;

/// Names and most keys are shorter.
const INLINE: usize = 64;
/// A copy of at most this many bytes is complete; a longer one may have been cut before a character of up to 4 bytes.
const COMPLETE: usize = INLINE - 5;

/// A string, kept in place when it is short: one call into JavaScript instead of two, and no allocation.
pub enum Text {
    Short([u8; INLINE], usize),
    Long(String),
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            // Checked when it was made.
            Self::Short(bytes, length) => std::str::from_utf8(&bytes[..*length]).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }
}

impl TypeName for Text {
    fn type_name() -> &'static str {
        "String"
    }

    fn value_type() -> ValueType {
        ValueType::String
    }
}

impl ValidateNapiValue for Text {}

impl FromNapiValue for Text {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        let mut bytes = [0u8; INLINE];
        let mut length = 0;
        // SAFETY: the caller vouches for `env` and `value`; at most `INLINE` bytes are written, a NUL included.
        let status = unsafe { sys::napi_get_value_string_utf8(env, value, bytes.as_mut_ptr().cast(), INLINE, &raw mut length) };
        if status == sys::Status::napi_ok && length <= COMPLETE {
            return Ok(Self::Short(bytes, length));
        }
        // SAFETY: as above. It also words the error for what is no string.
        unsafe { String::from_napi_value(env, value) }.map(Self::Long)
    }
}
