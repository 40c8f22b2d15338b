//! The LSN with which each page of the index was last written. An older copy of a page is whole, and its checksum tells nothing:
//! the ledger knows it. Bodies need none, because the index names their versions.
//!
//! It is in memory, and from checkpoint to checkpoint in the file `ledger`, beside the pages. What the file says was on stable
//! storage before it was written, so a page of the index never has a lower LSN. A file that is missing, damaged or older than it
//! was tells less, and never something wrong.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | `TESSLEDG` |
//! | 8..12 | version of the format, 1 |
//! | 12..28 | id of the namespace |
//! | 28.. | of each page number (4) and LSN (8) |
//! | the last 4 | CRC32C of what is before |

use crate::paged::log::Lsn;
use crate::paged::page::{self, Kind, PageId, u32_at, u64_at};
use hashbrown::HashMap;
use parking_lot::{Mutex, RwLock};
use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
use tessera_base::{Error, ErrorCode, Result, sentence};

const NAME: &str = "ledger";
const NEW: &str = "ledger.new";
const MAGIC: &[u8; 8] = b"TESSLEDG";
const VERSION: u32 = 1;
const HEADER: usize = 28;
const ENTRY: usize = 12;

/// What becomes of a page that is older than it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Stage {
    /// The namespace does not open.
    Opening,
    /// It is damaged for whoever reads it.
    Open,
}

/// What is kept from one start to the next.
struct Place {
    /// Held open: whatever takes its name later is not written to.
    folder: File,
    /// One writes at a time.
    saving: Mutex<()>,
    namespace_id: [u8; 16],
}

pub struct Ledger {
    pages: RwLock<HashMap<u32, Lsn>>,
    /// Changes of it, and those that the file has.
    changes: AtomicU64,
    saved: AtomicU64,
    stage: AtomicU8,
    place: Option<Place>,
}

impl Default for Ledger {
    /// One that no file keeps.
    fn default() -> Self {
        Self {
            pages: RwLock::default(),
            changes: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            stage: AtomicU8::new(Stage::Opening as u8),
            place: None,
        }
    }
}

/// What is to be saved: bytes, and the changes that they have.
pub struct Taken {
    bytes: Vec<u8>,
    changes: u64,
}

impl Ledger {
    /// The one in a namespace's folder; an empty one where there is none, or one of `new` pages.
    pub fn open(folder: &Path, namespace_id: [u8; 16], new: bool) -> Self {
        let bytes = if new { Vec::new() } else { fs::read(folder.join(NAME)).unwrap_or_default() };
        let pages = decode(&bytes, &namespace_id).unwrap_or_default();
        let place = File::open(folder).ok().map(|folder| Place { folder, saving: Mutex::default(), namespace_id });
        Self { pages: RwLock::new(pages), place, ..Self::default() }
    }

    /// Forgets everything, before pages are brought back to an earlier state; answers what it was.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn forget(&self) -> Result<HashMap<PageId, Lsn>> {
        let forgotten = || self.pages.write().drain().map(|(page, lsn)| (PageId(page), lsn)).collect();
        let Some(place) = &self.place else { return Ok(forgotten()) };
        let _saving = place.saving.lock();
        match unlinkat(&place.folder, NAME, AtFlags::empty()).map_err(io::Error::from).and_then(|()| place.folder.sync_all()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("removing the ledger of the pages", &error)),
            _ => Ok(forgotten()),
        }
    }

    /// All that a start reads was read.
    pub fn opened(&self) {
        self.stage.store(Stage::Open as u8, Relaxed);
    }

    /// Notes pages that were written just now.
    pub fn note<'a>(&self, written: impl Iterator<Item = (PageId, &'a [u8])>) {
        let mut index = written.filter(|(_, page)| is_of_index(page)).peekable();
        if index.peek().is_some() {
            let mut pages = self.pages.write();
            pages.extend(index.map(|(id, page)| (id.0, page::lsn(page))));
            self.changes.fetch_add(1, AcqRel);
        }
    }

    /// Checks a page that was read, and is whole.
    ///
    /// # Errors
    /// `data_rolled_back` while the namespace is opened; `record_damaged` later.
    pub fn check(&self, id: PageId, page: &[u8]) -> Result<()> {
        if !is_of_index(page) {
            return Ok(());
        }
        let known = self.pages.read().get(&id.0).copied().unwrap_or(0);
        if page::lsn(page) >= known { Ok(()) } else { self.older(id, page, known) }
    }

    #[cold]
    fn older(&self, id: PageId, page: &[u8], known: Lsn) -> Result<()> {
        let kind = Kind::of(page).map_or("", Kind::name);
        let what = sentence!(
            "page {id} ({kind}) is an older copy: its change is {page}, and {known} was written",
            id = id.0,
            kind = kind,
            page = page::lsn(page),
            known = known
        );
        let code = if self.stage.load(Relaxed) == Stage::Open as u8 { ErrorCode::RecordDamaged } else { ErrorCode::DataRolledBack };
        Err(Error::said(code, what))
    }

    /// What the file is to say; `None` if it says so already. The pages are synced next, and then it is saved.
    pub fn take(&self) -> Option<Taken> {
        let (place, changes) = (self.place.as_ref()?, self.changes.load(Acquire));
        let bytes = || encode(&self.pages.read(), &place.namespace_id);
        (changes != self.saved.load(Relaxed)).then(|| Taken { bytes: bytes(), changes })
    }

    /// Writes the file. Where that fails the one of before stays, which tells less.
    pub fn save(&self, taken: Option<Taken>) {
        let (Some(place), Some(Taken { bytes, changes })) = (&self.place, taken) else { return };
        let save = || -> io::Result<()> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
            let mut file = File::from(openat(&place.folder, NEW, flags, Mode::from_raw_mode(0o644))?);
            file.write_all(&bytes)?;
            file.sync_all()?;
            renameat(&place.folder, NEW, &place.folder, NAME)?;
            place.folder.sync_all()
        };
        let _saving = place.saving.lock();
        if save().is_ok() {
            self.saved.store(changes, Relaxed);
        }
    }
}

fn is_of_index(page: &[u8]) -> bool {
    !matches!(Kind::of(page), None | Some(Kind::Data | Kind::Overflow))
}

fn encode(pages: &HashMap<u32, Lsn>, namespace_id: &[u8; 16]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + pages.len() * ENTRY + 4);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(namespace_id);
    for (page, lsn) in pages {
        out.extend_from_slice(&page.to_le_bytes());
        out.extend_from_slice(&lsn.to_le_bytes());
    }
    let crc = crc32c::crc32c(&out);
    out.extend_from_slice(&crc.to_le_bytes());
    out
}

/// `None` for what is no whole ledger of this namespace, or of another version.
fn decode(bytes: &[u8], namespace_id: &[u8; 16]) -> Option<HashMap<u32, Lsn>> {
    let (body, crc) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
    let entries = body.get(HEADER..)?;
    let ours = body[..8] == *MAGIC && u32_at(body, 8) == VERSION && body[12..HEADER] == *namespace_id;
    let whole = u32_at(crc, 0) == crc32c::crc32c(body) && entries.len().is_multiple_of(ENTRY);
    (ours && whole).then(|| entries.chunks_exact(ENTRY).map(|entry| (u32_at(entry, 0), u64_at(entry, 4))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(kind: Kind, lsn: Lsn) -> Vec<u8> {
        let mut page = vec![0; 4096];
        page::format(&mut page, PageId(7), kind, 1);
        page::set_lsn(&mut page, lsn);
        page
    }

    fn note(ledger: &Ledger, kind: Kind, lsn: Lsn) {
        ledger.note([(PageId(7), &page(kind, lsn)[..])].into_iter());
    }

    fn code(ledger: &Ledger, kind: Kind, lsn: Lsn) -> Option<ErrorCode> {
        ledger.check(PageId(7), &page(kind, lsn)).err().map(|error| error.code)
    }

    #[test]
    fn an_older_copy_of_a_page_of_the_index_is_known() {
        let ledger = Ledger::default();
        note(&ledger, Kind::Leaf, 50);
        assert_eq!([code(&ledger, Kind::Leaf, 50), code(&ledger, Kind::SlotMap, 60), code(&ledger, Kind::Data, 10)], [None; 3]);
        assert_eq!(code(&ledger, Kind::Leaf, 49), Some(ErrorCode::DataRolledBack));
        ledger.opened();
        assert_eq!(code(&ledger, Kind::Leaf, 49), Some(ErrorCode::RecordDamaged));
        assert_eq!(ledger.forget().unwrap(), [(PageId(7), 50)].into_iter().collect());
        assert_eq!(code(&ledger, Kind::Leaf, 1), None);
    }

    #[test]
    fn the_file_counts_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let open = || Ledger::open(folder.path(), [3; 16], false);
        let ledger = open();
        note(&ledger, Kind::Inner, 50);
        ledger.save(ledger.take());
        let sound = fs::read(&path).unwrap();
        assert_eq!(code(&open(), Kind::Leaf, 40), Some(ErrorCode::DataRolledBack));
        assert_eq!(code(&Ledger::open(folder.path(), [4; 16], false), Kind::Leaf, 40), None);
        assert_eq!(code(&Ledger::open(folder.path(), [3; 16], true), Kind::Leaf, 40), None);
        for bit in 0..sound.len() * 8 {
            let mut bad = sound.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bad).unwrap();
            assert_eq!(code(&open(), Kind::Leaf, 40), None, "bit {bit}");
            fs::write(&path, &sound[..bit / 8]).unwrap();
            assert_eq!(code(&open(), Kind::Leaf, 40), None, "cut at {}", bit / 8);
        }
        // Nothing new: nothing is written.
        fs::remove_file(&path).unwrap();
        ledger.save(ledger.take());
        assert!(!path.exists());
        note(&ledger, Kind::Leaf, 60);
        ledger.save(ledger.take());
        assert_eq!(code(&open(), Kind::Leaf, 59), Some(ErrorCode::DataRolledBack));
        open().forget().unwrap();
        open().forget().unwrap();
        assert!(!path.exists());
    }
}
