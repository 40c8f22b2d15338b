//! Making room: cells of pages that are less than half full go to others, until pages and extents are empty and are given back.

use super::PagedSegment;
use super::bodies::{self, Place};
use super::extents::LEVELS;
use super::operation::{Operation, is_damage};
use crate::paged::cells;
use crate::paged::page::PageId;
use tessera_base::Result;

/// Most cells that one step moves: each may need another page of the slot map.
const MOVED: usize = 64;

impl PagedSegment {
    /// A bounded step: moves cells of the emptiest data page, if that is less than half full, to one that has room for all of them. Whether another step
    /// may find something to do. Records keep their slots; their locations change.
    ///
    /// # Errors
    /// As `insert`.
    pub fn compact(&mut self) -> Result<bool> {
        // They have pages that nothing may be put into.
        if self.extents.has_batches() {
            return Ok(false);
        }
        let Some((from, levels)) = self.extents.emptiest(&self.store).filter(|(_, levels)| *levels <= LEVELS / 2) else { return Ok(false) };
        let bytes = self.store.pages().cache().size().bytes() * levels / LEVELS;
        let Some(to) = self.extents.with_room(&self.store, bytes, LEVELS, from) else { return Ok(false) };
        self.operate(None, |operation| operation.empty(from, to))
    }
}

impl Operation<'_> {
    /// Moves cells of a page to another; whether anything has changed.
    fn empty(&mut self, from: PageId, to: PageId) -> Result<bool> {
        let Some(page) = self.data(from)? else {
            self.fill_up(from);
            return Ok(true);
        };
        let mut cells = Vec::with_capacity(MOVED);
        cells.extend(cells::all(self.change.bytes(page)).take(MOVED).map(|(cell, bytes)| (cell, bytes.to_vec())));
        let mut moved = false;
        for (cell, bytes) in cells {
            // A cell that no slot refers to is of nobody.
            let slot = bodies::slot(&bytes);
            let record = match slot.map(|slot| self.slots.seen(&self.change, slot)).transpose() {
                Err(error) if is_damage(&error) => {
                    self.fill_up(from);
                    return Ok(true);
                }
                record => record?.flatten(),
            };
            let old = record.map(|record| record.location).filter(|location| Place::of(*location).is_cell(from, cell));
            if let (Some(slot), Some(old)) = (slot, old) {
                let Some(new) = self.add(to, &bytes, Place::of(old).bytes)? else {
                    self.fill_up(to);
                    return Ok(true);
                };
                self.slots.set_location(&mut self.change, slot, new)?;
                self.extents.leave(self.store, old);
            }
            self.take_out(page, cell)?;
            moved = true;
            if self.extents.share(self.store, from).cells == 0 {
                break;
            }
        }
        Ok(moved)
    }
}
