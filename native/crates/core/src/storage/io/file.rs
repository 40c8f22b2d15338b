//! A disk that is a file, read and written by position through the page cache.

use super::Disk;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;
use std::path::Path;

#[derive(Debug)]
pub struct FileDisk {
    file: File,
}

impl FileDisk {
    /// Opens `path`; with `create` it is made (and its directory entry made durable) where there is none.
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn open(path: &Path, create: bool) -> Result<Self> {
        let fresh = create && !path.exists();
        let file = OpenOptions::new().read(true).write(true).create(create).truncate(false).open(path)?;
        if fresh && let Some(parent) = path.parent() {
            File::open(parent)?.sync_all()?;
        }
        Ok(Self { file })
    }
}

impl Disk for FileDisk {
    fn read_at(&self, mut out: &mut [u8], mut offset: u64) -> Result<()> {
        while !out.is_empty() {
            match self.file.read_at(out, offset) {
                Ok(0) => return Err(Error::new(ErrorKind::UnexpectedEof, format!("the file ends before byte {offset}"))),
                Ok(count) => {
                    out = out.get_mut(count..).unwrap_or_default();
                    offset += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_at(&self, mut bytes: &[u8], mut offset: u64) -> Result<()> {
        while !bytes.is_empty() {
            match self.file.write_at(bytes, offset) {
                Ok(0) => return Err(Error::new(ErrorKind::WriteZero, format!("nothing could be written at byte {offset}"))),
                Ok(count) => {
                    bytes = bytes.get(count..).unwrap_or_default();
                    offset += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        self.file.sync_data()
    }

    fn length(&self) -> Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn set_len(&self, length: u64) -> Result<()> {
        self.file.set_len(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_was_written_and_names_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let disk = FileDisk::open(&dir.path().join("f"), true).unwrap();
        disk.write_at(b"abc", 10).unwrap();
        disk.sync().unwrap();
        assert_eq!(disk.length().unwrap(), 13);
        let mut out = [0; 3];
        disk.read_at(&mut out, 10).unwrap();
        assert_eq!(&out, b"abc");
        assert_eq!(disk.read_at(&mut out, 11).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        disk.set_len(11).unwrap();
        assert_eq!(disk.read_at(&mut out, 10).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
