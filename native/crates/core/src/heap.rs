//! What an allocation costs beside its bytes.

/// Bytes that the allocator takes for `bytes`: a header of one word, rounded up to 16, at least 32 (glibc and most others).
pub const fn block(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    let whole = (bytes + size_of::<usize>()).next_multiple_of(16);
    if whole < 32 { 32 } else { whole }
}
