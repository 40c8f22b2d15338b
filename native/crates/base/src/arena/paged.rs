//! A fixed number of plain values in pages of the arena.

use super::Block;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// # Safety
/// Every pattern of initialised bytes is a value of the type, whose alignment is at most a page.
pub unsafe trait Plain: Copy {}

// SAFETY: any four bytes are a number.
unsafe impl Plain for u32 {}

/// As many values as fit in the pages, at least as many as were asked for.
#[derive(Debug)]
pub struct Paged<T: Plain> {
    block: Block,
    _values: PhantomData<T>,
}

impl<T: Plain> Paged<T> {
    /// # Panics
    /// When the system has no memory left, as every other allocation does.
    pub fn filled(values: usize, value: T) -> Self {
        let bytes = values * size_of::<T>();
        let Some(block) = Block::take(bytes) else { std::alloc::handle_alloc_error(std::alloc::Layout::new::<T>()) };
        let mut paged = Self { block, _values: PhantomData };
        paged.fill(value);
        paged
    }

    /// Bytes of its pages.
    #[inline]
    pub fn page_bytes(&self) -> usize {
        self.block.page_bytes()
    }
}

impl<T: Plain> Deref for Paged<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        let bytes = self.block.bytes();
        // SAFETY: the pages are initialised, aligned to more than `T` needs, and any bytes are values of `T`.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
    }
}

impl<T: Plain> DerefMut for Paged<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes = self.block.bytes_mut();
        // SAFETY: as `deref`, and `&mut self` makes this the only access.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) }
    }
}
