//! Removing records past their time, a bounded amount at a time. Reads do not wait for it: they see no expired record.

use crate::segment::{Removal, Segment};
use crate::store::RecordStore;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use tessera_base::{Result, clock};
use tessera_storage::Admission;

/// Slots looked at in one hold of a segment's lock.
const STEP: u32 = 4096;

impl RecordStore {
    /// By which time records are removed, Unix seconds.
    pub(in crate::store) fn sweep_seconds(&self) -> u32 {
        u32::try_from(self.settled_millis() / 1000).unwrap_or(u32::MAX)
    }

    /// By which time something is removed for good, Unix milliseconds.
    pub(crate) fn settled_millis(&self) -> u64 {
        self.settled_clock.lock().look(clock::unix_millis(), Instant::now())
    }

    /// Goes on where the last sweep ended, looks at about `budget` slots, and removes what has expired. Returns how many
    /// slots it looked at; less than `budget` when it has been everywhere once.
    ///
    /// # Errors
    /// What the storage returns; the next sweep tries again.
    pub(crate) fn sweep(&self, budget: u64) -> Result<u64> {
        let looked = self.sweep_here(budget);
        self.carry_all().and(looked)
    }

    fn sweep_here(&self, budget: u64) -> Result<u64> {
        if self.remote.is_some() || self.check_open().is_err() || self.device_failure().is_some() {
            return Ok(0);
        }
        // First, as without the newest copy an older one would come back.
        self.bury_all()?;
        let now = self.sweep_seconds();
        let mut at = self.sweep_at.lock();
        let (mut looked, mut passed) = (0, 0);
        while looked < budget && passed <= self.segments.len() {
            let (id, slot) = *at;
            let cell = &self.segments[id];
            let (expired, end) = {
                let segment = cell.read();
                let end = if segment.expiring() == 0 { 0 } else { segment.end() };
                let mut expired = Vec::new();
                for slot in slot..end.min(slot.saturating_add(STEP)) {
                    if self.sound_record(&segment, slot)?.is_some_and(|record| record.meta.expired(now)) {
                        expired.push(slot);
                    }
                }
                (expired, end)
            };
            looked += u64::from(end.saturating_sub(slot).min(STEP));
            for expired in expired.chunks(self.removed_at_once(STEP as usize)) {
                let remove = |segment: &mut Segment| -> Result<()> {
                    self.check_open()?;
                    for &slot in expired {
                        // Looked at again: it may have been written meanwhile.
                        let Some(record) = self.sound_record(segment, slot)?.filter(|record| record.meta.expired(now)) else { continue };
                        let Some(set) = self.sets.by_id(segment.sets().set_of(slot)) else { continue };
                        let removed = segment.remove(&set, slot, &record, Removal::Logged);
                        if self.past_damage(segment.id(), slot, removed)?.is_some() {
                            self.link.note(&record.digest, set.id);
                            self.watch.note(segment.id(), &record.digest, set.id);
                            self.fullness.expired.fetch_add(1, Relaxed);
                        }
                    }
                    segment.tidy();
                    Ok(())
                };
                self.admitted(Admission::Delete, || cell.write(remove))?;
            }
            *at = match slot.saturating_add(STEP) {
                next if next < end => (id, next),
                _ => {
                    passed += 1;
                    ((id + 1) % self.segments.len(), 0)
                }
            };
        }
        Ok(looked)
    }
}
