//! What a device adds to its snapshot.

use crate::device::disks::volume::Volume;
use crate::device::write::blocks::BlockState;
use crate::device::write::shared::Shared;
use crate::snapshot::chunk::Section;
use crate::snapshot::head::{DiskNote, SnapshotHead};
use crate::snapshot::items::{BlockImage, encode_block};
use crate::snapshot::{self, Fault, Writer};
use crate::{IndexSource, Location};
use std::path::Path;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Writes the snapshot of a storage that is closed, the mark of which is at `close`, into `directory`.
///
/// # Errors
/// As `snapshot::save`.
pub fn save(shared: &Shared, directory: &Path, close: Option<Location>, source: &dyn IndexSource) -> Result<()> {
    let (run, last_sequence, ends) = {
        let state = shared.state.lock();
        (state.queue.run(), state.queue.last_sequence(), state.queue.space().ends())
    };
    let mut disks = Vec::with_capacity(ends.len());
    for (member, end) in shared.volume.members().iter().zip(ends) {
        let length = member.disk.length().map_err(|error| Error::io(&format!("the length of {}", member.label), &error))?;
        disks.push(DiskNote { length, end });
    }
    let head = SnapshotHead {
        namespace_id: shared.options.namespace_id,
        block_bytes: shared.options.write_block_bytes,
        run,
        last_sequence,
        close,
        disks: disks.clone(),
        ..SnapshotHead::default()
    };
    snapshot::save(directory, head, source, &|writer| blocks(shared, writer, &disks))
}

fn blocks(shared: &Shared, writer: &mut Writer<'_>, disks: &[DiskNote]) -> std::result::Result<(), Fault> {
    let blocks = &shared.blocks;
    // The block that was open to the end is the only one whose length is not noted yet.
    let open = shared.state.lock().queue.open_end();
    // The next run does not know them; uncounted, they would hide that others are left.
    let needless = shared.defrag.needless_bytes();
    for (disk, note) in disks.iter().enumerate() {
        writer.begin(Section::Blocks, disk as u32);
        let first = Volume::join(disk, 0) / shared.block_bytes();
        for number in first + 1..first + note.end {
            let state = blocks.state(number);
            if state == BlockState::Unreadable {
                return Err(Fault::Other(Error::said(
                    ErrorCode::StorageFailed,
                    sentence!("a write block could not be read; a start has to try again"),
                )));
            }
            let image = BlockImage {
                free: state == BlockState::Free,
                tombstones: blocks.kept(number).tombstones + needless.get(&number).copied().unwrap_or(0),
                begin: blocks.begin(number),
                filled: open.filter(|(of, _)| *of == number).map_or_else(|| blocks.filled(number), |(_, filled)| filled),
            };
            writer.item(&encode_block(&image))?;
        }
        writer.end()?;
    }
    Ok(())
}
