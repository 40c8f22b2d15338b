//! A disk in memory, and a storage over it that nothing has been read of yet.

use crate::device::disks::volume::{Member, Volume};
use crate::device::options::DeviceOptions;
use crate::device::write::shared::Shared;
use parking_lot::Mutex;
use std::io::{ErrorKind, Result};
use std::sync::Arc;
use tessera_io::{Access, Backend, Disk, FileKind, Meter};

/// Bytes of a write block: the smallest there may be.
pub const BLOCK: usize = 16 * 1024;
pub const ID: [u8; 16] = [7; 16];

/// Clones are handles on the same disk.
#[derive(Clone, Default)]
pub struct MemoryDisk(Arc<Mutex<Vec<u8>>>, Arc<Meter>);

impl MemoryDisk {
    pub fn with(image: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(image)), Arc::default())
    }
}

/// Threads, as setting up a ring takes longer than reading a block of memory. A forged loss is accepted.
pub fn options() -> DeviceOptions {
    DeviceOptions { write_block_bytes: BLOCK as u32, backend: Backend::Threads, accept_loss: true, ..DeviceOptions::new(ID) }
}

pub fn member(disk: &MemoryDisk) -> Member {
    Member { disk: Arc::new(disk.clone()), label: "data.tsr".into(), capacity_bytes: 0, kind: FileKind::File, access: Access::Cached }
}

/// A storage over one disk.
pub fn shared(disk: &MemoryDisk) -> Shared {
    Shared::new(Volume::new(vec![member(disk)]), options())
}

impl Disk for MemoryDisk {
    fn meter(&self) -> &Meter {
        &self.1
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> Result<()> {
        let image = self.0.lock();
        let found = usize::try_from(offset).ok().and_then(|from| image.get(from..)).and_then(|rest| rest.get(..out.len()));
        out.copy_from_slice(found.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let mut image = self.0.lock();
        let from = usize::try_from(offset).map_err(|_| ErrorKind::FileTooLarge)?;
        let length = image.len().max(from + bytes.len());
        image.resize(length, 0);
        image[from..from + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn length(&self) -> Result<u64> {
        Ok(self.0.lock().len() as u64)
    }

    fn set_len(&self, length: u64) -> Result<()> {
        self.0.lock().resize(usize::try_from(length).map_err(|_| ErrorKind::FileTooLarge)?, 0);
        Ok(())
    }
}
