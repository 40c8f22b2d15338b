//! Asking the processor for memory ahead of its use; where it cannot be asked, nothing happens.

/// Bytes of a cache line, near enough everywhere.
pub const LINE: usize = 64;

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

/// Fetches so many lines from `at` on.
#[inline]
pub fn lines(at: *const u8, lines: usize) {
    for line in 0..lines {
        read(at.wrapping_add(line * LINE));
    }
}

/// Fetches all lines of `bytes`, at most `most` of them.
#[inline]
pub fn slice(bytes: &[u8], most: usize) {
    lines(bytes.as_ptr(), bytes.len().div_ceil(LINE).min(most));
}
