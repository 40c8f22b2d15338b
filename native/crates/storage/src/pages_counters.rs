//! What is counted of pages and their log: plain data, that adds up over time.

/// Bytes since the namespace was opened: what callers moved, and what the disks did for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bodies of records that callers read and wrote.
    pub records_read_bytes: u64,
    pub records_written_bytes: u64,
    /// Of pages: what the start read is not in it, and what checkpoints write is.
    pub pages_read_bytes: u64,
    pub pages_written_bytes: u64,
    /// Of the log, blocks that are written again included.
    pub log_written_bytes: u64,
}

impl Traffic {
    /// Bytes read from the pages for each byte of a record that was read; `None` before the first.
    pub fn read_amplification(&self) -> Option<f64> {
        quotient(self.pages_read_bytes, self.records_read_bytes)
    }

    /// Bytes written to pages and log for each byte of a record that was written; `None` before the first.
    pub fn write_amplification(&self) -> Option<f64> {
        quotient(self.pages_written_bytes + self.log_written_bytes, self.records_written_bytes)
    }
}

/// Reads of pages that found them in the cache, and those that a disk had to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageReads {
    pub hits: u64,
    pub misses: u64,
}

/// What is asked for once a second: counters since the namespace was opened, and what the log needs now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PagesCounters {
    /// As in `LogReport`.
    pub log_ring_bytes: u64,
    pub log_needed_bytes: u64,
    pub traffic: Traffic,
    /// Of pages of a tree, of slot maps and of records.
    pub index: PageReads,
    pub slot_map: PageReads,
    pub records: PageReads,
}

impl PageReads {
    const fn since(self, before: Self) -> Self {
        Self { hits: self.hits.saturating_sub(before.hits), misses: self.misses.saturating_sub(before.misses) }
    }

    const fn and(self, later: Self) -> Self {
        Self { hits: self.hits.saturating_add(later.hits), misses: self.misses.saturating_add(later.misses) }
    }
}

impl PagesCounters {
    /// What was counted since `before`, and the log as it is.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        let (now, then) = (&self.traffic, &before.traffic);
        Self {
            log_ring_bytes: self.log_ring_bytes,
            log_needed_bytes: self.log_needed_bytes,
            traffic: Traffic {
                records_read_bytes: now.records_read_bytes.saturating_sub(then.records_read_bytes),
                records_written_bytes: now.records_written_bytes.saturating_sub(then.records_written_bytes),
                pages_read_bytes: now.pages_read_bytes.saturating_sub(then.pages_read_bytes),
                pages_written_bytes: now.pages_written_bytes.saturating_sub(then.pages_written_bytes),
                log_written_bytes: now.log_written_bytes.saturating_sub(then.log_written_bytes),
            },
            index: self.index.since(before.index),
            slot_map: self.slot_map.since(before.slot_map),
            records: self.records.since(before.records),
        }
    }

    /// What two intervals counted together, and the log at the end of the later one.
    #[must_use]
    pub const fn and(&self, later: &Self) -> Self {
        let (one, two) = (&self.traffic, &later.traffic);
        Self {
            log_ring_bytes: later.log_ring_bytes,
            log_needed_bytes: later.log_needed_bytes,
            traffic: Traffic {
                records_read_bytes: one.records_read_bytes.saturating_add(two.records_read_bytes),
                records_written_bytes: one.records_written_bytes.saturating_add(two.records_written_bytes),
                pages_read_bytes: one.pages_read_bytes.saturating_add(two.pages_read_bytes),
                pages_written_bytes: one.pages_written_bytes.saturating_add(two.pages_written_bytes),
                log_written_bytes: one.log_written_bytes.saturating_add(two.log_written_bytes),
            },
            index: self.index.and(later.index),
            slot_map: self.slot_map.and(later.slot_map),
            records: self.records.and(later.records),
        }
    }
}

fn quotient(amount: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| amount as f64 / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amplification_is_what_disks_did_by_what_callers_asked_for() {
        assert_eq!((Traffic::default().read_amplification(), Traffic::default().write_amplification()), (None, None));
        let traffic = Traffic {
            records_read_bytes: 1000,
            records_written_bytes: 500,
            pages_read_bytes: 16_384,
            pages_written_bytes: 1500,
            log_written_bytes: 1000,
        };
        assert_eq!((traffic.read_amplification(), traffic.write_amplification()), (Some(16.384), Some(5.0)));
    }
}
