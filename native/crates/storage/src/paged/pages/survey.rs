//! What the pages of a file are, each looked at alone.

use super::Pages;
use super::head;
use crate::paged::log::Lsn;
use crate::paged::page::{self, Kind, PageId, PageSize, Seal};
use hashbrown::HashMap;
use std::io;
use tessera_base::{Error, Result};
use tessera_io::{AlignedBuffer, Disk};

/// How many of some things there are, and the first of them.
#[derive(Debug)]
pub struct Few<T> {
    pub count: u64,
    pub first: Vec<T>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self { count: 0, first: vec![] }
    }
}

impl<T> Few<T> {
    const MOST: usize = 8;

    pub fn add(&mut self, one: T) {
        self.count += 1;
        if self.first.len() < Self::MOST {
            self.first.push(one);
        }
    }
}

/// What there is.
#[derive(Default)]
pub struct Survey {
    /// By segment: pages of slot maps, each with its LSN.
    pub maps: Vec<Vec<(PageId, Lsn)>>,
    /// Pages of names of sets.
    pub names: Vec<PageId>,
    pub damaged: Few<PageId>,
    pub older: Few<PageId>,
}

impl Survey {
    /// Looks at all pages of a namespace. `written`: what is known of those of the index.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn of(pages: &Pages, namespace_id: &[u8; 16], segments: u32, written: &HashMap<PageId, Lsn>) -> Result<Self> {
        let mut survey = Self { maps: vec![vec![]; segments as usize], ..Self::default() };
        let namespace = PageId(Pages::FIRST + segments);
        each_page(pages.disk(), pages.cache().size(), Seal::new(namespace_id), &mut |id, page| {
            let Some(page) = page else { return survey.damaged.add(id) };
            let (kind, known) = (Kind::of(page), written.get(&id).copied().unwrap_or(0));
            match kind {
                // What was never written is zeros.
                None if known == 0 => {}
                None => survey.damaged.add(id),
                Some(_) if page::lsn(page) < known => survey.older.add(id),
                _ => {}
            }
            match (kind, survey.maps.get_mut(usize::from(page::segment(page)))) {
                (Some(Kind::SlotMap), Some(maps)) => maps.push((id, page::lsn(page))),
                (Some(Kind::Namespace), _) if id > namespace => survey.names.push(id),
                _ => {}
            }
        })?;
        Ok(survey)
    }
}

/// The newest change of any page; `None` if no page is sound.
///
/// # Errors
/// `storage_failed`.
pub fn newest(disk: &dyn Disk, size: PageSize, seal: Seal) -> Result<Option<Lsn>> {
    let mut newest = None;
    each_page(disk, size, seal, &mut |_, page| {
        newest = newest.max(page.filter(|page| Kind::of(page).is_some()).map(page::lsn));
    })?;
    Ok(newest)
}

/// Gives every page behind the head to `each`: zeros as they are, and `None` for what is damaged or
/// cannot be read.
fn each_page(disk: &dyn Disk, size: PageSize, seal: Seal, each: &mut dyn FnMut(PageId, Option<&[u8]>)) -> Result<()> {
    const STEP: usize = 1024 * 1024;
    let failed = |error: io::Error| Error::io("reading the pages", &error);
    let (bytes, length) = (size.bytes(), disk.length().map_err(failed)?);
    let mut buffer = AlignedBuffer::new(STEP).map_err(failed)?;
    let mut id = head::PAGES;
    while PageId(id).offset(size) + bytes as u64 <= length {
        let left = (length - PageId(id).offset(size)) / bytes as u64;
        let pages = left.min((STEP / bytes) as u64) as u32;
        buffer.set_len(pages as usize * bytes).map_err(|error| failed(error.into()))?;
        let whole = disk.read_at(&mut buffer, PageId(id).offset(size)).is_ok();
        for (id, page) in (id..).map(PageId).zip(buffer.chunks_exact_mut(bytes)) {
            // A sector that cannot be read costs its page and no other.
            let read = whole || disk.read_at(page, id.offset(size)).is_ok();
            let sound = read && (seal.check(page, id).is_ok() || page.iter().all(|byte| *byte == 0));
            each(id, sound.then_some(&*page));
        }
        id += pages;
    }
    Ok(())
}
