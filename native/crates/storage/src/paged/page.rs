//! What every page begins with, and the checksum that says that it is whole and where it belongs.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | CRC32C of the namespace's id, the page's number and the rest of the page |
//! | 4..8 | number of the page |
//! | 8..16 | LSN: end of the log record that changed it last |
//! | 16 | kind |
//! | 18..20 | segment that it belongs to |
//! | 20..32 | what the kind makes of them |
//!
//! All numbers are little-endian.

use tessera_base::{Error, ErrorCode, Result, sentence};

/// Bytes of every page that its kind does not own.
pub const HEADER: usize = 20;
/// Where a page's kind is.
pub const KIND: usize = 16;

/// A size of pages: 4, 8, 16, 32 or 64 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(u32);

impl PageSize {
    pub const MIN: u32 = 4 * 1024;
    pub const MAX: u32 = 64 * 1024;

    /// # Errors
    /// `config_invalid` for what is none of the five.
    pub fn new(bytes: u32) -> Result<Self> {
        if bytes.is_power_of_two() && (Self::MIN..=Self::MAX).contains(&bytes) {
            return Ok(Self(bytes));
        }
        Err(Error::said(ErrorCode::ConfigInvalid, sentence!("pageBytes must be 4, 8, 16, 32 or 64 KiB, got {given} bytes", given = bytes))
            .in_field("pageBytes"))
    }

    pub fn bytes(self) -> usize {
        self.0 as usize
    }
}

/// Number of a page: it lies at so many times the page size. 0 is the namespace's head, which no other page points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageId(pub u32);

impl PageId {
    /// Where a page number is kept and there is none.
    pub const NONE: Self = Self(0);

    pub fn offset(self, size: PageSize) -> u64 {
        u64::from(self.0) * u64::from(size.0)
    }
}

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Of a segment's tree: with children.
    Inner = 1,
    /// Of a segment's tree: with entries.
    Leaf = 2,
    /// Cells.
    Data = 3,
    /// Where everything of a segment begins.
    Segment = 4,
    /// Entries of slots.
    SlotMap = 5,
    /// Where the pages of a slot map are.
    Directory = 6,
    /// Which extents a segment has, and what their pages are.
    Extents = 7,
    /// A part of a long record.
    Overflow = 8,
    /// Of the namespace itself: extents handed out, names of sets.
    Namespace = 9,
}

impl Kind {
    /// All kinds, each at the place of its number less one.
    pub const ALL: [Self; 9] = [
        Self::Inner,
        Self::Leaf,
        Self::Data,
        Self::Segment,
        Self::SlotMap,
        Self::Directory,
        Self::Extents,
        Self::Overflow,
        Self::Namespace,
    ];

    /// As reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::Leaf => "leaf",
            Self::Data => "data",
            Self::Segment => "segment",
            Self::SlotMap => "slot_map",
            Self::Directory => "directory",
            Self::Extents => "extents",
            Self::Overflow => "overflow",
            Self::Namespace => "namespace",
        }
    }

    pub fn of(page: &[u8]) -> Option<Self> {
        Self::from_byte(page[16])
    }

    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte).wrapping_sub(1)).copied()
    }
}

/// Makes a page of zeros one of `kind`; its number and segment are its own from now on.
pub fn format(page: &mut [u8], id: PageId, kind: Kind, segment: u16) {
    page.fill(0);
    page[4..8].copy_from_slice(&id.0.to_le_bytes());
    page[16] = kind as u8;
    page[18..20].copy_from_slice(&segment.to_le_bytes());
}

pub fn lsn(page: &[u8]) -> u64 {
    u64_at(page, 8)
}

/// The segment that a page belongs to.
pub fn segment(page: &[u8]) -> u16 {
    u16_at(page, 18)
}

pub fn set_lsn(page: &mut [u8], lsn: u64) {
    page[8..16].copy_from_slice(&lsn.to_le_bytes());
}

pub fn u16_at(page: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([page[at], page[at + 1]])
}

pub fn u32_at(page: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| page[at + byte]))
}

pub fn u64_at(page: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| page[at + byte]))
}

/// Checksums of the pages of one namespace: a page of another one, or of another place, never passes.
#[derive(Clone, Copy, Debug)]
pub struct Seal(u32);

impl Seal {
    pub fn new(namespace_id: &[u8; 16]) -> Self {
        Self(crc32c::crc32c(namespace_id))
    }

    fn over(self, page: &[u8], id: PageId) -> u32 {
        crc32c::crc32c_append(crc32c::crc32c_append(self.0, &id.0.to_le_bytes()), &page[4..])
    }

    /// Seals a page that is about to be written.
    pub fn set(self, page: &mut [u8], id: PageId) {
        let crc = self.over(page, id);
        page[..4].copy_from_slice(&crc.to_le_bytes());
    }

    /// Checks a page that was read.
    ///
    /// # Errors
    /// `record_damaged`, with the place.
    pub fn check(self, page: &[u8], id: PageId) -> Result<()> {
        if u32_at(page, 0) == self.over(page, id) && u32_at(page, 4) == id.0 {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::RecordDamaged,
            format!("page {} is damaged (at byte {} of the pages)", id.0, u64::from(id.0) * page.len() as u64),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_one_of_five() {
        for good in [4096, 8192, 16_384, 32_768, 65_536] {
            assert_eq!(PageSize::new(good).unwrap().bytes(), good as usize);
        }
        for bad in [0, 1, 2048, 5000, 131_072, u32::MAX] {
            let error = PageSize::new(bad).unwrap_err();
            assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("pageBytes")), "{bad}");
        }
    }

    #[test]
    fn a_kind_is_known_by_its_byte() {
        for byte in 0..=u8::MAX {
            assert_eq!(Kind::from_byte(byte).map(|kind| kind as u8), (1..=9).contains(&byte).then_some(byte));
        }
    }

    #[test]
    fn a_sealed_page_passes_only_whole_and_at_its_place() {
        let seal = Seal::new(&[7; 16]);
        let mut page = vec![0; 4096];
        format(&mut page, PageId(9), Kind::Leaf, 3);
        set_lsn(&mut page, 77);
        seal.set(&mut page, PageId(9));
        assert_eq!((Kind::of(&page), lsn(&page), seal.check(&page, PageId(9))), (Some(Kind::Leaf), 77, Ok(())));
        assert!(seal.check(&page, PageId(10)).is_err());
        assert!(Seal::new(&[8; 16]).check(&page, PageId(9)).is_err());
        for at in [0, 4, 8, 16, 4095] {
            page[at] ^= 1;
            assert_eq!(seal.check(&page, PageId(9)).unwrap_err().code, ErrorCode::RecordDamaged, "byte {at}");
            page[at] ^= 1;
        }
        assert!(seal.check(&vec![0; 4096], PageId(0)).is_err(), "a hole in the file is no page");
    }
}
