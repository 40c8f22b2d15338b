//! The newest mark of each namespace's files, kept beside them: an older copy of all files of a killed namespace agrees with
//! itself, so only what lies elsewhere can tell that they are older.
//!
//! The file `witness` has two slots, which are written in turn; the list with the higher number counts. A list that cannot be
//! read is as none: less is known then, and nothing is wrong. Little-endian.
//!
//! | bytes of a slot | what |
//! | --- | --- |
//! | 0..8 | `TESSWITN` |
//! | 8..12 | CRC32C of all that follows, up to the last mark |
//! | 12..16 | how many marks follow |
//! | 16..24 | number of the list |
//! | 24 for each | id of a namespace (16), its mark (8) |

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use tessera_base::{Error, Result, limits, open_to_append, thread_guard};

const NAME: &str = "witness";
const MAGIC: &[u8; 8] = b"TESSWITN";
const CRC_AT: usize = 8;
const HEAD_BYTES: usize = 24;
const MARK_BYTES: usize = 24;
/// Whole sectors, so that writing one slot leaves the other as it is.
const SLOT_BYTES: usize = (HEAD_BYTES + limits::NAMESPACES * MARK_BYTES).next_multiple_of(4096);

#[derive(Debug)]
pub(crate) struct Witness {
    path: PathBuf,
    list: Mutex<List>,
    /// As the file has it; held while it is written.
    file: Mutex<Option<File>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct List {
    number: u64,
    marks: BTreeMap<[u8; 16], u64>,
}

impl Witness {
    /// Reads what there is in a data directory, and opens the file that marks are written to: one that was opened later could be in a
    /// directory that has replaced this one meanwhile.
    pub(super) fn read(directory: &Path) -> Self {
        let path = directory.join(NAME);
        let slot = |file: &File, number: u64| {
            let mut bytes = vec![0; SLOT_BYTES];
            let read = file.read_at(&mut bytes, offset_of(number)).ok()?;
            List::decode(bytes.get(..read)?)
        };
        let opened = open(&path).ok();
        let lists = opened.iter().flat_map(|(file, _)| [0, 1].into_iter().filter_map(|at| slot(file, at)));
        let list = lists.max_by_key(|list| list.number).unwrap_or_default();
        // Otherwise the first mark tries again.
        let file = opened.filter(|(_, takes_writes)| *takes_writes).map(|(file, _)| file);
        Self { path, list: Mutex::new(list), file: Mutex::new(file) }
    }

    /// The newest mark that is known of a namespace; 0 for none.
    pub(crate) fn mark_of(&self, id: &[u8; 16]) -> u64 {
        self.list.lock().marks.get(id).copied().unwrap_or(0)
    }

    /// Keeps `marks`, which are on stable storage already, unless it has them. A namespace that is not `listed` may be an orphan,
    /// which comes back with an adoption: its mark goes only when there is no room for all.
    ///
    /// # Errors
    /// `storage_failed`.
    pub(super) fn note(&self, marks: impl IntoIterator<Item = ([u8; 16], u64)>, listed: impl Fn(&[u8; 16]) -> bool) -> Result<()> {
        let mut file = self.file.lock();
        let before = self.list.lock().clone();
        let mut next = before.clone();
        for (id, mark) in marks.into_iter().filter(|(_, mark)| *mark > 0) {
            let known = next.marks.entry(id).or_default();
            *known = mark.max(*known);
        }
        let mut spare = next.marks.len().saturating_sub(limits::NAMESPACES);
        next.marks.retain(|id, _| {
            let goes = spare > 0 && !listed(id);
            spare -= usize::from(goes);
            !goes
        });
        if next == before {
            return Ok(());
        }
        next.number += 1;
        let written = self.write(&mut file, &next);
        written.map_err(|error| Error::io(&format!("writing {}", self.path.display()), &error))?;
        *self.list.lock() = next;
        Ok(())
    }

    /// Nothing is left of this namespace. The file forgets it with the next mark.
    pub(crate) fn forget(&self, id: &[u8; 16]) {
        let _file = self.file.lock();
        self.list.lock().marks.remove(id);
    }

    fn write(&self, file: &mut Option<File>, list: &List) -> io::Result<()> {
        thread_guard::may_wait("writes the witness");
        let file = match file {
            Some(file) => file,
            None => file.insert(open(&self.path)?.0),
        };
        file.write_all_at(&list.encode(), offset_of(list.number))?;
        file.sync_data()
    }
}

/// Makes the file if there is none. Answers whether it takes writes.
fn open(path: &Path) -> io::Result<(File, bool)> {
    match open_to_append(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().create_new(true).read(true).write(true).open(path).map(|file| (file, true))
        }
        opened => opened,
    }
}

const fn offset_of(number: u64) -> u64 {
    number % 2 * SLOT_BYTES as u64
}

impl List {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD_BYTES + self.marks.len() * MARK_BYTES);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&(self.marks.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.number.to_le_bytes());
        for (id, mark) in &self.marks {
            out.extend_from_slice(id);
            out.extend_from_slice(&mark.to_le_bytes());
        }
        let crc = crc32c::crc32c(&out[CRC_AT + 4..]);
        out[CRC_AT..CRC_AT + 4].copy_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
        let end = HEAD_BYTES.checked_add((word(12)? as usize).checked_mul(MARK_BYTES)?)?;
        let whole = bytes.get(..end)?;
        if whole.get(..8)? != MAGIC || word(CRC_AT)? != crc32c::crc32c(whole.get(CRC_AT + 4..)?) {
            return None;
        }
        let number = u64::from_le_bytes(whole.get(16..24)?.try_into().ok()?);
        let marks = whole.get(HEAD_BYTES..)?.as_chunks::<MARK_BYTES>().0.iter().map(|mark| {
            let id = std::array::from_fn(|at| mark[at]);
            (id, u64::from_le_bytes(std::array::from_fn(|at| mark[16 + at])))
        });
        Some(Self { number, marks: marks.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tessera_base::ErrorCode;

    const ALL: fn(&[u8; 16]) -> bool = |_| true;

    #[test]
    fn the_newer_list_counts_and_damage_leaves_the_one_before() {
        let directory = tempfile::tempdir().unwrap();
        let known = || {
            let witness = Witness::read(directory.path());
            [[1; 16], [2; 16]].map(|id| witness.mark_of(&id))
        };
        assert_eq!(known(), [0, 0]);
        let witness = Witness::read(directory.path());
        witness.note([([1; 16], 5)], ALL).unwrap();
        assert_eq!((known(), witness.mark_of(&[1; 16])), ([5, 0], 5));
        witness.note([([1; 16], 7), ([2; 16], 3)], ALL).unwrap();
        assert_eq!(known(), [7, 3]);
        let path = directory.path().join(NAME);
        let whole = fs::read(&path).unwrap();
        witness.note([([1; 16], 6), ([2; 16], 0)], ALL).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole, "it has a higher one already");
        // The first list is in the second slot.
        for at in (0..HEAD_BYTES + 2 * MARK_BYTES).chain(SLOT_BYTES..SLOT_BYTES + HEAD_BYTES + MARK_BYTES) {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            fs::write(&path, damaged).unwrap();
            assert_eq!(known(), if at < SLOT_BYTES { [5, 0] } else { [7, 3] }, "byte {at}");
        }
        for length in [0, 10, SLOT_BYTES, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(known(), if length < SLOT_BYTES { [0, 0] } else { [7, 3] }, "{length} bytes");
        }
    }

    #[test]
    fn a_mark_makes_no_file_in_a_directory_that_took_the_place_of_its_own() {
        let parent = tempfile::tempdir().unwrap();
        let (directory, away) = (parent.path().join("data"), parent.path().join("away"));
        fs::create_dir(&directory).unwrap();
        let witness = Witness::read(&directory);
        fs::rename(&directory, &away).unwrap();
        fs::create_dir(&directory).unwrap();
        witness.note([([1; 16], 5)], ALL).unwrap();
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
        assert_eq!(Witness::read(&away).mark_of(&[1; 16]), 5);
    }

    #[test]
    fn a_pipe_in_its_place_is_waited_for_by_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(NAME);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        let witness = Witness::read(directory.path());
        assert_eq!(witness.note([([1; 16], 5)], ALL).unwrap_err().code, ErrorCode::StorageFailed);
        assert_eq!(witness.mark_of(&[1; 16]), 0);
    }

    #[test]
    fn all_namespaces_that_may_be_fit_and_the_unlisted_make_room() {
        let directory = tempfile::tempdir().unwrap();
        let witness = Witness::read(directory.path());
        let id = |n: usize| std::array::from_fn(|at| (n >> (8 * (at % 2))) as u8);
        let marks = (0..limits::NAMESPACES).map(|n| (id(n), 1 + n as u64));
        witness.note(marks.clone(), ALL).unwrap();
        witness.note([(id(0), 1000)], |listed| *listed == id(0)).unwrap();
        let again = Witness::read(directory.path());
        for (id, mark) in marks.skip(1) {
            assert_eq!(again.mark_of(&id), mark, "{id:?}");
        }
        let (gone, new) = (id(1), id(limits::NAMESPACES));
        again.note([(new, 7)], |listed| *listed != gone).unwrap();
        let last = Witness::read(directory.path());
        assert_eq!([id(0), gone, id(2), new].map(|id| last.mark_of(&id)), [1000, 0, 3, 7]);
    }

    #[test]
    fn what_is_gone_is_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let witness = Witness::read(directory.path());
        witness.note([([1; 16], 5), ([2; 16], 3)], ALL).unwrap();
        witness.forget(&[1; 16]);
        assert_eq!(witness.mark_of(&[1; 16]), 0);
        witness.note([([2; 16], 4)], ALL).unwrap();
        let again = Witness::read(directory.path());
        assert_eq!((again.mark_of(&[1; 16]), again.mark_of(&[2; 16])), (0, 4));
    }
}
