//! A start that finds no block to make room with.
//!
//! The last block there is can be begun by defragmentation alone (`Purpose`), which copies: until a block that it emptied is marked
//! as free, whatever it copied is in its old place too. So where a crash leaves something wanted in every block, the newest one can
//! go, and what it was copied from counts again. That everything in it has an original is looked up, not relied on.

use super::block_note::{BlockNote, Head};
use crate::device::format::entry::{Entry, EntryKind, Found};
use crate::device::format::place::Place;
use crate::device::write::shared::Shared;
use crate::{Location, RecordImage, RecoverySink};
use std::collections::HashMap;
use tessera_record::Digest;

/// The newest entry of a record in the block that may go.
struct Copied<'a> {
    entry: Entry<'a>,
    sequence: u64,
    elsewhere: Option<Elsewhere>,
}

/// The newest entry of the same record in all other blocks.
struct Elsewhere {
    sequence: u64,
    location: Location,
    same: bool,
}

impl Copied<'_> {
    /// Whether the next start would find the same without it.
    fn is_needless(&self) -> bool {
        self.elsewhere.as_ref().map_or(self.entry.kind == EntryKind::Tombstone, |elsewhere| elsewhere.same)
    }
}

/// Lets the originals of all that the newest of `blocks` holds count in its place, so that nothing in it is wanted; changes nothing
/// where something has none. Every block holds something wanted and was read, and they are in the order of writing.
pub fn give_up_newest(shared: &Shared, blocks: &[BlockNote], sink: &dyn RecoverySink) {
    let Some((newest, others)) = blocks.split_last().filter(|(newest, _)| matches!(newest.head, Head::Entries(..))) else { return };
    let (mut scratch, mut others_scratch) = (None, None);
    let Ok(block) = shared.read_block(newest.number, &mut scratch) else { return };
    let mut copied = copied(shared, newest.number, block);
    for other in others {
        let Ok(block) = shared.read_block(other.number, &mut others_scratch) else { return };
        shared.entries(other.number, block, &mut |found, location| {
            if !is_of_a_record(found) {
                return;
            }
            let copied = copied.get_mut(&(found.entry.segment, found.entry.digest));
            if let Some(copied) = copied.filter(|copied| copied.elsewhere.as_ref().is_none_or(|known| known.sequence < found.sequence)) {
                let same = found.body_sound && found.entry == copied.entry;
                copied.elsewhere = Some(Elsewhere { sequence: found.sequence, location, same });
            }
        });
    }
    if !copied.values().all(Copied::is_needless) {
        return;
    }
    for Copied { entry, sequence, elsewhere } in copied.into_values() {
        if let (EntryKind::Record, Some(original)) = (entry.kind, elsewhere) {
            let image = RecordImage { digest: entry.digest, slot: 0, meta: entry.meta, set: entry.set, body: entry.body };
            // Newer than the copy, for the sink.
            sink.record(entry.segment, &image, original.location, sequence + 1);
        }
    }
    shared.tombstone_dies(newest.number, shared.blocks.kept(newest.number).tombstones);
}

/// The newest sound entry of each record in a block.
fn copied<'a>(shared: &Shared, number: u64, block: &'a [u8]) -> HashMap<(u16, Digest), Copied<'a>> {
    let start = number * shared.block_bytes();
    let mut places = Vec::new();
    shared.entries(number, block, &mut |found, location| {
        if found.body_sound && is_of_a_record(found) {
            places.push(Place::unpack(location).offset);
        }
    });
    let decode = |offset: u64| Found::decode(block.get((offset - start) as usize..)?, shared.seal, offset);
    let found = places.into_iter().filter_map(decode);
    // In the order of sequences, so the newest stays.
    found.map(|Found { entry, sequence, .. }| ((entry.segment, entry.digest), Copied { entry, sequence, elsewhere: None })).collect()
}

const fn is_of_a_record(found: &Found<'_>) -> bool {
    matches!(found.entry.kind, EntryKind::Record | EntryKind::Tombstone)
}
