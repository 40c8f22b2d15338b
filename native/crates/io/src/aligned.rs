//! Bytes at an address that direct I/O takes.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::io::{self, ErrorKind};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// A buffer of fixed capacity whose address is a multiple of `ALIGNMENT`. All of its capacity is initialised memory.
pub struct AlignedBuffer {
    bytes: NonNull<u8>,
    capacity: usize,
    length: usize,
}

// SAFETY: the buffer owns its bytes as a `Vec<u8>` does; `&self` gives nothing but `&[u8]`.
unsafe impl Send for AlignedBuffer {}
// SAFETY: as above.
unsafe impl Sync for AlignedBuffer {}

/// More bytes than the buffer has room for; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferFull {
    pub capacity: usize,
    pub wanted: usize,
}

impl AlignedBuffer {
    /// Alignment of the address, and divisor of the capacity: bytes.
    pub const ALIGNMENT: usize = 4096;

    /// An empty buffer for at least `capacity` bytes, rounded up to a multiple of `ALIGNMENT` (at least one).
    ///
    /// # Errors
    /// `OutOfMemory` where the system has not that much.
    pub fn new(capacity: usize) -> io::Result<Self> {
        let capacity = capacity.max(1).checked_next_multiple_of(Self::ALIGNMENT).ok_or(ErrorKind::OutOfMemory)?;
        let layout = Layout::from_size_align(capacity, Self::ALIGNMENT).map_err(|_| ErrorKind::OutOfMemory)?;
        // SAFETY: the layout's size is at least `ALIGNMENT`, so not zero.
        let bytes = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(ErrorKind::OutOfMemory)?;
        Ok(Self { bytes, capacity, length: 0 })
    }

    /// A buffer with room for nothing, which takes no memory.
    pub const fn empty() -> Self {
        Self { bytes: NonNull::dangling(), capacity: 0, length: 0 }
    }

    #[inline]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    #[inline]
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// Where they do not fit.
    #[inline]
    pub fn extend_from_slice(&mut self, bytes: &[u8]) -> Result<(), BufferFull> {
        let from = self.length;
        self.set_len(from.saturating_add(bytes.len()))?;
        self[from..].copy_from_slice(bytes);
        Ok(())
    }

    /// Cuts or grows to `length`; new bytes are zero.
    ///
    /// # Errors
    /// Where they do not fit.
    #[inline]
    pub fn resize_zeroed(&mut self, length: usize) -> Result<(), BufferFull> {
        let from = self.length;
        self.set_len(length)?;
        if let Some(fresh) = self.get_mut(from..) {
            fresh.fill(0);
        }
        Ok(())
    }

    /// Cuts or grows to `length`; new bytes are zero or what the buffer held there before, for a caller that overwrites them.
    ///
    /// # Errors
    /// Where they do not fit.
    #[inline]
    pub fn set_len(&mut self, length: usize) -> Result<(), BufferFull> {
        if length > self.capacity {
            return Err(BufferFull { capacity: self.capacity, wanted: length });
        }
        self.length = length;
        Ok(())
    }

    /// Address of the first byte, for a read that the kernel does while nobody touches the buffer.
    pub(super) fn address(&mut self) -> *mut u8 {
        self.bytes.as_ptr()
    }

    fn layout(&self) -> Layout {
        // SAFETY: `new` has checked this very size and alignment.
        unsafe { Layout::from_size_align_unchecked(self.capacity, Self::ALIGNMENT) }
    }
}

impl Drop for AlignedBuffer {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: the bytes were allocated with this layout, and nobody else frees them.
            unsafe { dealloc(self.bytes.as_ptr(), self.layout()) }
        }
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: `length` is at most `capacity`, and all of that is initialised and ours.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.length) }
    }
}

impl DerefMut for AlignedBuffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `&mut self` is the only way to the bytes now.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.as_ptr(), self.length) }
    }
}

impl fmt::Debug for AlignedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlignedBuffer").field("length", &self.length).field("capacity", &self.capacity).finish_non_exhaustive()
    }
}

impl fmt::Display for BufferFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes do not fit a buffer of {}", self.wanted, self.capacity)
    }
}

impl std::error::Error for BufferFull {}

impl From<BufferFull> for io::Error {
    fn from(full: BufferFull) -> Self {
        Self::new(ErrorKind::InvalidInput, full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_aligned_and_rounds_its_capacity_up() {
        for (asked, got) in [(0, 4096), (1, 4096), (4096, 4096), (4097, 8192), (1 << 20, 1 << 20)] {
            let buffer = AlignedBuffer::new(asked).unwrap();
            assert_eq!((buffer.capacity(), buffer.len(), buffer.as_ptr() as usize % 4096), (got, 0, 0), "{asked}");
        }
        for absurd in [usize::MAX, isize::MAX as usize] {
            assert_eq!(AlignedBuffer::new(absurd).unwrap_err().kind(), ErrorKind::OutOfMemory);
        }
    }

    #[test]
    fn an_empty_one_has_room_for_nothing() {
        let mut buffer = AlignedBuffer::empty();
        assert_eq!((buffer.capacity(), buffer.len(), buffer.extend_from_slice(&[])), (0, 0, Ok(())));
        assert_eq!(buffer.extend_from_slice(&[1]), Err(BufferFull { capacity: 0, wanted: 1 }));
    }

    #[test]
    fn never_grows_past_its_capacity() {
        let mut buffer = AlignedBuffer::new(4096).unwrap();
        buffer.extend_from_slice(&[7; 4000]).unwrap();
        assert_eq!(buffer.extend_from_slice(&[1; 97]), Err(BufferFull { capacity: 4096, wanted: 4097 }));
        assert_eq!(buffer.resize_zeroed(4097), Err(BufferFull { capacity: 4096, wanted: 4097 }));
        assert_eq!(&buffer[..], &[7; 4000]);
        buffer.extend_from_slice(&[1; 96]).unwrap();
        assert_eq!(buffer[3999..], [[7].as_slice(), &[1; 96]].concat());
    }

    #[test]
    fn growing_gives_zeros_where_it_says_so() {
        let mut buffer = AlignedBuffer::new(4096).unwrap();
        buffer.extend_from_slice(&[9; 100]).unwrap();
        buffer.resize_zeroed(10).unwrap();
        buffer.set_len(20).unwrap();
        assert_eq!(&buffer[..], &[9; 20]);
        buffer.resize_zeroed(10).unwrap();
        buffer.resize_zeroed(30).unwrap();
        assert_eq!(buffer[..], [[9; 10].as_slice(), &[0; 20]].concat());
        buffer.clear();
        assert!(buffer.is_empty());
    }
}
