//! A value on cache lines of its own.

use std::ops::{Deref, DerefMut};

/// What many threads write lies apart from what they only read, and from what others write: a line that one processor writes
/// has to be fetched anew by every other. Two lines, as processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Apart<T>(pub T);

impl<T> Deref for Apart<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Apart<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
