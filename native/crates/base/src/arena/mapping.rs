//! Memory from the system itself, beside the allocator.

use super::REGION;
use std::ptr::NonNull;

/// Mapped memory that begins at a multiple of `REGION`, all zeros at first.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping is the only owner of its memory.
unsafe impl Send for Mapping {}

impl Mapping {
    /// `bytes`: a multiple of the page size.
    pub(super) fn new(bytes: usize) -> Option<Self> {
        Some(Self { start: system::map(bytes)?, bytes })
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Leaves the memory mapped, and to the caller.
    pub(super) fn release(self) -> NonNull<u8> {
        std::mem::ManuallyDrop::new(self).start
    }

    /// Takes back what `release` gave.
    ///
    /// # Safety
    /// `start` and `bytes` are those of a released mapping that nobody else has taken back.
    pub(super) unsafe fn of(start: NonNull<u8>, bytes: usize) -> Self {
        Self { start, bytes }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own, and its owner is gone.
        unsafe { system::unmap(self.start, self.bytes) }
    }
}

#[cfg(not(miri))]
mod system {
    use super::REGION;
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    use std::ptr::NonNull;

    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        let whole = bytes.checked_add(REGION)?;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing that is there.
        let raw = unsafe { mmap_anonymous(std::ptr::null_mut(), whole, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) }.ok()?;
        let before = raw.cast::<u8>().align_offset(REGION);
        let start = raw.cast::<u8>().wrapping_add(before);
        let after = whole - before - bytes;
        // SAFETY: what is unmapped is the beginning and the end of the mapping just made; nobody knows of it yet.
        unsafe {
            if before > 0 {
                munmap(raw, before).ok()?;
            }
            if after > 0 {
                munmap(start.wrapping_add(bytes).cast(), after).ok()?;
            }
            #[cfg(target_os = "linux")]
            // A hint: without huge pages everything works, slower.
            let _ = rustix::mm::madvise(start.cast(), bytes, rustix::mm::Advice::LinuxHugepage);
        }
        NonNull::new(start)
    }

    /// A failure leaves the memory mapped, which is sound.
    ///
    /// # Safety
    /// `map` gave these bytes, and nobody uses them any more.
    pub(super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: as promised by the caller.
        let _ = unsafe { munmap(start.as_ptr().cast(), bytes) };
    }
}

/// Miri cannot map memory: its allocator's stands for it.
#[cfg(miri)]
mod system {
    use super::REGION;
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        let layout = Layout::from_size_align(bytes, REGION).ok().filter(|layout| layout.size() > 0)?;
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    /// # Safety
    /// As of the other.
    pub(super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: `map` has allocated with this very layout.
        unsafe { dealloc(start.as_ptr(), Layout::from_size_align_unchecked(bytes, REGION)) }
    }
}
