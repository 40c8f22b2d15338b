//! A value that a request names, as a record would store it.

use crate::{Encoder, Value, ValueRef};

/// A value to compare with, encoded.
#[derive(Clone, Debug)]
pub struct Operand(Box<[u8]>);

impl Operand {
    pub fn new(value: &Value) -> Self {
        let mut bytes = Vec::new();
        Encoder::new(&mut bytes).value(value);
        Self(bytes.into())
    }

    #[inline]
    pub fn value(&self) -> ValueRef<'_> {
        ValueRef::of(&self.0)
    }

    /// The encoding, as a record stores it.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
