//! The process and the machine, from the operating system's own counters.

use super::gauges::ProcessUse;
use std::path::Path;
use std::time::Instant;
use tessera_base::{Error, Result, thread_guard};

/// CPU time between two looks.
#[derive(Debug)]
pub struct ProcessSampler {
    at: Instant,
    cpu_nanos: u64,
}

impl ProcessSampler {
    pub fn new() -> Self {
        Self { at: Instant::now(), cpu_nanos: cpu_nanos() }
    }

    /// CPU use since the last call, and resident bytes now.
    pub fn sample(&mut self) -> ProcessUse {
        let (at, cpu) = (Instant::now(), cpu_nanos());
        let wall = at.saturating_duration_since(self.at).as_nanos();
        let used = cpu.saturating_sub(self.cpu_nanos);
        (self.at, self.cpu_nanos) = (at, cpu);
        ProcessUse { cpu_nanos: used, wall_nanos: u64::try_from(wall).unwrap_or(u64::MAX), resident_bytes: resident_bytes() }
    }
}

impl Default for ProcessSampler {
    fn default() -> Self {
        Self::new()
    }
}

/// CPU time of all threads since the process began.
fn cpu_nanos() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Second number of `/proc/self/statm`, in pages; 0 where there is no such file.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    pages * rustix::param::page_size() as u64
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes that an ordinary user may still write.
    pub free: u64,
    pub total: u64,
}

/// Space of the file system that holds `path`.
///
/// # Errors
/// `storage_failed`.
pub fn disk_space(path: &Path) -> Result<DiskSpace> {
    thread_guard::may_wait("asks a file system for its room");
    let stat = rustix::fs::statvfs(path).map_err(|e| Error::io("ask for the free disk space", &e.into()))?;
    Ok(DiskSpace { free: stat.f_bavail * stat.f_frsize, total: stat.f_blocks * stat.f_frsize })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_is_seen() {
        let mut sampler = ProcessSampler::new();
        let start = Instant::now();
        while start.elapsed().as_millis() < 20 {
            std::hint::spin_loop();
        }
        let seen = sampler.sample();
        assert!(seen.cpu_percent() > 0.0 && seen.resident_bytes > 100_000, "{seen:?}");
        assert!(crate::metrics::memory_total_bytes() > seen.resident_bytes);
        let disk = disk_space(Path::new("/")).unwrap();
        assert!(disk.total >= disk.free && disk.total > 0);
        assert!(disk_space(Path::new("/no/such/place")).is_err());
    }
}
