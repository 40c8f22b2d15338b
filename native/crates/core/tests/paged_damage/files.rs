//! The files of a data directory as bytes, and what is done to them.

use crate::script::mix;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Every file of a paged namespace, by its path in the data directory.
pub const FILES: [&str; 6] =
    ["namespaces/1/pages", "namespaces/1/log", "namespaces/1/ledger", "namespaces/1/index.tss", "namespaces/1/namespace", "manifest"];
pub const PAGES: usize = 0;
pub const LOG: usize = 1;
const BLOCK: usize = 4096;
/// Where the log's ring begins.
const RING_AT: u64 = 12288;

/// The bytes of each of `FILES`; `None` where it is not there.
pub type Image = Vec<Option<Vec<u8>>>;

pub fn read(directory: &Path) -> Image {
    FILES.iter().map(|name| fs::read(directory.join(name)).ok()).collect()
}

/// Writes files as they are, with holes for their zeros.
pub fn write(directory: &Path, image: &Image) {
    fs::create_dir_all(directory.join("namespaces/1")).unwrap();
    for (name, bytes) in FILES.iter().zip(image) {
        let Some(bytes) = bytes else { continue };
        let mut file = fs::File::create(directory.join(name)).unwrap();
        for (number, block) in bytes.chunks(BLOCK).enumerate().filter(|(_, block)| block.iter().any(|byte| *byte != 0)) {
            file.seek(SeekFrom::Start((number * BLOCK) as u64)).unwrap();
            file.write_all(block).unwrap();
        }
        file.set_len(bytes.len() as u64).unwrap();
    }
}

/// Writes to one of the files what is different in it, as whoever has it open does not.
pub fn patch(directory: &Path, file: usize, before: &Image, after: &Image) {
    let (Some(before), Some(after)) = (&before[file], &after[file]) else { return };
    let mut open = fs::OpenOptions::new().write(true).open(directory.join(FILES[file])).unwrap();
    for (number, (_, new)) in before.chunks(BLOCK).zip(after.chunks(BLOCK)).enumerate().filter(|(_, (old, new))| old != new) {
        open.seek(SeekFrom::Start((number * BLOCK) as u64)).unwrap();
        open.write_all(new).unwrap();
    }
    open.sync_all().unwrap();
}

pub fn copy(from: &Path, to: &Path) {
    write(to, &read(from));
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|n| bytes[at + n]))
}

/// The newer of the two heads of a file of pages.
fn head(pages: &[u8]) -> &[u8] {
    let size = [pages, &pages[BLOCK..]]
        .into_iter()
        .find(|head| head.starts_with(b"TESSPAGE"))
        .map_or(BLOCK, |head| u32::from_le_bytes(std::array::from_fn(|n| head[12 + n])) as usize);
    let heads = [&pages[..128], &pages[size..size + 128]].into_iter().filter(|head| head.starts_with(b"TESSPAGE"));
    heads.max_by_key(|head| word(head, 32)).unwrap()
}

/// Up to where the log is stable, as the head of the pages says.
pub fn stable(pages: &[u8]) -> u64 {
    word(head(pages), 68)
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bits,
    Zeroed,
    Cut,
    Swapped,
    /// The whole file as it was earlier.
    OlderFile,
    /// A page of it, or 4 KiB, as they were earlier.
    OlderBlock,
    Removed,
}

impl Kind {
    pub const ALL: [Self; 7] = [Self::Bits, Self::Zeroed, Self::Cut, Self::Swapped, Self::OlderFile, Self::OlderBlock, Self::Removed];
}

/// Chance, the same for the same seed.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.0) >> 20) as usize % sides.max(1)
    }
}

/// What was done, for who reads of a fault; and how many bits were changed, if that was all.
pub struct Done {
    pub text: String,
    pub bits: Option<u64>,
}

/// Does `kind` to a file of `image`; `None` where that changes nothing. `older` is what was there earlier.
pub fn damage(image: &mut Image, older: &Image, file: usize, kind: Kind, page_bytes: usize, dice: &mut Dice) -> Option<Done> {
    let needed = needed(image);
    let bytes = image[file].as_mut()?;
    let before = bytes.clone();
    let unit = if file == PAGES && dice.roll(3) > 0 { page_bytes } else { BLOCK };
    let mut bits = None;
    let text = match kind {
        Kind::Bits => {
            let many = 1 + dice.roll(3);
            let at: Vec<usize> = (0..many).map(|_| used(bytes, file, BLOCK, needed, dice) * BLOCK + dice.roll(BLOCK)).collect();
            let at: Vec<usize> = at.into_iter().filter(|at| *at < bytes.len()).collect();
            at.iter().for_each(|at| bytes[*at] ^= 1 << dice.roll(8));
            bits = Some(at.len() as u64);
            format!("bits at {at:?}")
        }
        Kind::Zeroed => {
            let at = used(bytes, file, BLOCK, needed, dice) * BLOCK;
            let end = (at + BLOCK).min(bytes.len());
            bytes[at..end].fill(0);
            format!("zeros at {at}")
        }
        Kind::Cut => {
            let at =
                if dice.roll(2) == 0 { used(bytes, file, BLOCK, needed, dice) * BLOCK + dice.roll(BLOCK) } else { dice.roll(bytes.len()) };
            bytes.truncate(at);
            format!("cut at {at}")
        }
        Kind::Swapped => {
            let [one, two] = [0, 1].map(|_| used(bytes, file, unit, needed, dice));
            if (one.max(two) + 1) * unit > bytes.len() {
                return None;
            }
            (0..unit).for_each(|n| bytes.swap(one * unit + n, two * unit + n));
            format!("{unit} bytes at {} and {} swapped", one * unit, two * unit)
        }
        Kind::OlderFile => {
            *bytes = older[file].clone()?;
            "the file of an earlier time".to_owned()
        }
        Kind::OlderBlock => {
            let older = older[file].as_ref()?;
            let changed: Vec<usize> = bytes
                .chunks_exact(unit)
                .zip(older.chunks_exact(unit))
                .enumerate()
                .filter(|(_, (new, old))| new != old)
                .map(|(at, _)| at)
                .collect();
            let at = *changed.get(dice.roll(changed.len()))? * unit;
            let about = format!("kind {} and {}, LSN {} and {}", older[at + 16], bytes[at + 16], word(older, at + 8), word(bytes, at + 8));
            bytes[at..at + unit].copy_from_slice(&older[at..at + unit]);
            format!("{unit} bytes at {at} of an earlier time, {about}")
        }
        Kind::Removed => {
            image[file] = None;
            return Some(Done { text: "removed".to_owned(), bits });
        }
    };
    (*bytes != before).then_some(Done { text, bits })
}

/// The pages that were changed since an earlier time, each with its kind.
pub fn changed_pages(image: &Image, older: &Image, page_bytes: usize) -> Vec<(usize, u8)> {
    let pages = |image: &'_ Image| image[PAGES].clone().unwrap();
    let (new, old) = (pages(image), pages(older));
    let both = new.chunks_exact(page_bytes).zip(old.chunks_exact(page_bytes)).enumerate().skip(2);
    both.filter(|(_, (new, old))| new != old && old[16] != 0).map(|(number, (new, _))| (number, new[16])).collect()
}

/// Puts a page back to what it was.
pub fn put_back(image: &mut Image, older: &Image, page: usize, page_bytes: usize) {
    let place = page * page_bytes..(page + 1) * page_bytes;
    let old = older[PAGES].as_ref().unwrap()[place.clone()].to_vec();
    image[PAGES].as_mut().unwrap()[place].copy_from_slice(&old);
}

/// From where to where in its file the log is needed by a start.
fn needed(image: &Image) -> (u64, u64) {
    image[PAGES].as_ref().map_or((0, 0), |pages| (RING_AT + word(head(pages), 40), RING_AT + stable(pages)))
}

/// The number of a block that is in use: of the log mostly of the part that is needed, of the pages those of every kind alike.
fn used(bytes: &[u8], file: usize, unit: usize, needed: (u64, u64), dice: &mut Dice) -> usize {
    let blocks = || bytes.chunks(unit).enumerate().filter(|(_, block)| block.iter().any(|byte| *byte != 0));
    let all: Vec<usize> = match file {
        LOG if dice.roll(4) > 0 => {
            let some: Vec<usize> = blocks().map(|(at, _)| at).filter(|at| (needed.0..=needed.1).contains(&((at * unit) as u64))).collect();
            if some.is_empty() { blocks().map(|(at, _)| at).collect() } else { some }
        }
        PAGES if dice.roll(4) > 0 => {
            let kind = blocks().map(|(_, block)| block[16]).collect::<std::collections::BTreeSet<u8>>();
            let kind = kind.iter().nth(dice.roll(kind.len())).copied();
            blocks().filter(|(_, block)| Some(block[16]) == kind).map(|(at, _)| at).collect()
        }
        _ => blocks().map(|(at, _)| at).collect(),
    };
    all.get(dice.roll(all.len())).copied().unwrap_or(0)
}
