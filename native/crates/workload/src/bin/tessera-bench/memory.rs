//! What the process itself says of its memory, to hold the engine's own figures against.

use crate::Failure;

/// Resident bytes of this process.
///
/// # Errors
/// When /proc is not there.
pub fn resident() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib * 1024)
}

/// Bytes that the allocator has handed out and not got back, its own overhead included.
pub fn allocated() -> u64 {
    // SAFETY: mallinfo2 takes no argument and only reads the allocator's counters.
    let counters = unsafe { libc::mallinfo2() };
    (counters.uordblks + counters.hblkhd) as u64
}
