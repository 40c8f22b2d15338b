//! Asking the processor for memory ahead of its use; where it cannot be asked, nothing happens.

/// Bytes of a cache line, near enough everywhere.
const LINE: usize = 64;

/// Fetches the line at `at` for reading. Any address is fine: a prefetch never faults.
#[inline]
pub fn read(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching is a hint; the processor ignores addresses that are not mapped.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Fetches all lines of `bytes`, at most `most` of them.
#[inline]
pub fn slice(bytes: &[u8], most: usize) {
    for offset in (0..bytes.len()).step_by(LINE).take(most) {
        read(bytes.as_ptr().wrapping_add(offset));
    }
}
