//! The names of sets, as slot maps refer to them: by a number that stays the same as long as the namespace is there.
//!
//! Pages of kind Namespace, in a row: bytes of names in it (2 bytes at 20), number of its first name (2 at 22), the next page (4 at 24), and from byte 28
//! on the names, each behind its length (1). A set's number is the place of its name, from 1; records of no set have 0.
//!
//! Each page is there twice, in both halves of its extent: without its name a set's records could not be told from another's. A start reads the
//! first halves; a rebuild (see `mend`) takes the newer whole one of two.

use super::Store;
use crate::paged::cache::Cache;
use crate::paged::change::Change;
use crate::paged::log::Lsn;
use crate::paged::page::{self, Kind, PageId, u16_at, u32_at};
use crate::paged::space::Space;
use hashbrown::HashMap;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU16, Ordering::Acquire, Ordering::Release};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

const USED: usize = 20;
const NUMBER: usize = 22;
const NEXT: usize = 24;
const FIRST: usize = 28;

/// By number or by id: what it is on the other side, 0 for nothing known.
type Column = Box<[AtomicU16]>;

pub struct Names {
    numbers: Column,
    ids: Column,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By number, from 1; empty where it was lost.
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u16>,
    /// The last page of the row, and how many bytes of names it has.
    last: Option<(PageId, usize)>,
}

impl State {
    fn push(&mut self, name: &str) -> u16 {
        self.names.push(name.into());
        let number = self.names.len() as u16;
        self.numbers.insert(name.into(), number);
        number
    }
}

impl Default for Names {
    fn default() -> Self {
        let column = || (0..=limits::SETS + 1).map(|_| AtomicU16::new(0)).collect();
        Self { numbers: column(), ids: column(), state: Mutex::default() }
    }
}

fn damaged(id: PageId) -> Error {
    Error::new(ErrorCode::RecordDamaged, format!("page {} has no names of sets", id.0))
}

impl Names {
    /// Reads the row that begins at `first`.
    ///
    /// # Errors
    /// As `Cache::read`; `record_damaged` for what are no names.
    pub fn load(cache: &Cache, space: &Space, first: PageId) -> Result<Self> {
        let (mut state, mut id, mut claimed) = (State::default(), first, None);
        while id != PageId::NONE {
            let page = cache.read(id)?;
            let (number, names) = parse(&page).ok_or_else(|| damaged(id))?;
            if number <= state.names.len() || number + names.len() > limits::SETS + 1 {
                return Err(damaged(id));
            }
            state.names.resize(number - 1, Box::default());
            for name in names {
                limits::check_name(name, "set").map_err(|_| damaged(id))?;
                if state.numbers.contains_key(name) {
                    return Err(damaged(id));
                }
                state.push(name);
            }
            let (extent, _) = space.place(id).ok_or_else(|| damaged(id))?;
            if claimed.replace(extent) != Some(extent) {
                space.claim(&mut std::iter::once(extent))?;
            }
            state.last = Some((id, usize::from(u16_at(&page, USED))));
            id = PageId(u32_at(&page, NEXT));
        }
        Ok(Self { state: Mutex::new(state), ..Self::default() })
    }

    /// Whether a number is one of a set that has a name, or of none.
    pub fn knows(&self, number: u16) -> bool {
        number == 0 || self.state.lock().names.get(usize::from(number) - 1).is_some_and(|name| !name.is_empty())
    }

    /// See `Store::bind`.
    pub fn bind(&self, id_of: &dyn Fn(&str) -> Result<u16>) -> Result<()> {
        let state = self.state.lock();
        for (number, name) in (1..).zip(&state.names).filter(|(_, name)| !name.is_empty()) {
            self.know(id_of(name)?, number);
        }
        Ok(())
    }

    fn know(&self, id: u16, number: u16) {
        self.ids[usize::from(number)].store(id, Release);
        self.numbers[usize::from(id)].store(number, Release);
    }

    /// See `Store::set_id`.
    pub fn id_of(&self, number: u16) -> Option<u16> {
        let id = self.ids[usize::from(number)].load(Acquire);
        (id != 0 || number == 0).then_some(id)
    }

    /// See `Store::set_number`. Without a lock where the set is known.
    pub fn number_of(&self, store: &Store, id: u16, name: &str) -> Result<u16> {
        let known = self.numbers[usize::from(id)].load(Acquire);
        if known != 0 || id == 0 {
            return Ok(known);
        }
        let mut state = self.state.lock();
        let number = match state.numbers.get(name) {
            Some(number) => *number,
            None => add(&mut state, store, name)?,
        };
        self.know(id, number);
        Ok(number)
    }
}

/// Number of the first name of a page, and its names; `None` where it is no page of names.
fn parse(page: &[u8]) -> Option<(usize, Vec<&str>)> {
    let used = usize::from(u16_at(page, USED));
    let mut rest = page.get(FIRST..FIRST + used).filter(|names| !names.is_empty() && Kind::of(page) == Some(Kind::Namespace))?;
    let mut names = vec![];
    while let Some((length, behind)) = rest.split_first() {
        let (name, behind) = behind.split_at_checked(usize::from(*length))?;
        names.push(std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?);
        rest = behind;
    }
    Some((usize::from(u16_at(page, NUMBER)), names))
}

/// Where the other copy of a page is.
fn twin(space: &Space, id: PageId) -> PageId {
    let half = space.extent_pages() / 2;
    match space.place(id) {
        Some((extent, at)) => space.page(extent, if at < half { at + half } else { at - half }),
        None => PageId::NONE,
    }
}

/// Adds a name to the row.
fn add(state: &mut State, store: &Store, name: &str) -> Result<u16> {
    let length = u8::try_from(name.len()).map_err(|_| Error::said(ErrorCode::NameInvalid, sentence!("the name of a set is too long")))?;
    if state.names.len() >= limits::SETS {
        return Err(Error::said(ErrorCode::SetLimit, sentence!("a namespace can have at most {most} sets", most = limits::SETS)));
    }
    let entry = [&[length], name.as_bytes()].concat();
    let room = store.pages().cache().size().bytes() - FIRST;
    let (id, used) = match state.last.filter(|(_, used)| used + entry.len() <= room) {
        Some((id, used)) => {
            store.change(|change, _| {
                for id in [id, twin(store.space(), id)] {
                    let page = change.page(id)?;
                    change.write(page, FIRST + used, &entry);
                    change.write(page, USED, &((used + entry.len()) as u16).to_le_bytes());
                }
                Ok(())
            })?;
            (id, used)
        }
        None => (add_page(state.last.map(|(id, _)| id), store, state.names.len() + 1, &entry)?, 0),
    };
    state.last = Some((id, used + entry.len()));
    Ok(state.push(name))
}

/// Adds a page to the row that ends at `last`.
fn add_page(last: Option<PageId>, store: &Store, number: usize, entry: &[u8]) -> Result<PageId> {
    let space = store.space();
    let place = last.and_then(|last| space.place(last)).filter(|(_, at)| at + 1 < space.extent_pages() / 2);
    let (extent, at, taken) = match place {
        Some((extent, at)) => (extent, at + 1, false),
        None => (store.take_extent()?, 0, true),
    };
    let id = space.page(extent, at);
    let added = store.change(|change, namespace| {
        lay(change, space, id, number, PageId::NONE, entry)?;
        match last {
            Some(last) => {
                for last in [last, twin(space, last)] {
                    let last = change.page(last)?;
                    change.write(last, NEXT, &id.0.to_le_bytes());
                }
            }
            None => {
                let namespace = change.page(namespace)?;
                Store::set_names(change, namespace, id);
            }
        }
        Ok(id)
    });
    if taken && added.is_err() {
        space.give(extent);
    }
    added
}

/// Writes both copies of a page.
fn lay(change: &mut Change<'_>, space: &Space, id: PageId, number: usize, next: PageId, names: &[u8]) -> Result<()> {
    for id in [id, twin(space, id)] {
        let page = change.format(id, Kind::Namespace)?;
        change.write(page, FIRST, names);
        change.write(page, USED, &(names.len() as u16).to_le_bytes());
        change.write(page, NUMBER, &(number as u16).to_le_bytes());
        change.write(page, NEXT, &next.0.to_le_bytes());
    }
    Ok(())
}

/// Makes the row anew from what is left of it: of each page the newer copy that is whole. `pages` may be pages of names, as those in their place are
/// known by what they hold.
///
/// # Errors
/// As `Cache::write`.
pub fn mend(store: &Store, pages: &[PageId]) -> Result<Names> {
    let (cache, space) = (store.pages().cache(), store.space());
    let half = space.extent_pages() / 2;
    // By their first number: LSN, place, bytes of names, and how many these are.
    let mut found = BTreeMap::<usize, (Lsn, PageId, Vec<u8>, usize)>::new();
    for id in pages {
        let Some((extent, at)) = space.place(*id) else { continue };
        let Ok(page) = cache.read(*id) else { continue };
        let Some((number, names)) = parse(&page) else { continue };
        let (lsn, names_here) = (page::lsn(&page), page[FIRST..FIRST + usize::from(u16_at(&page, USED))].to_vec());
        if found.get(&number).is_none_or(|(known, ..)| *known < lsn) {
            found.insert(number, (lsn, space.page(extent, at % half), names_here, names.len()));
        }
    }
    let mut end = 1;
    found.retain(|number, (.., names)| {
        let follows = *number >= end;
        end = if follows { number + *names } else { end };
        follows
    });
    let mut next = PageId::NONE;
    for (number, (_, id, names, _)) in found.iter().rev() {
        store.change(|change, namespace| {
            lay(change, space, *id, *number, next, names)?;
            let namespace = change.page(namespace)?;
            Store::set_names(change, namespace, *id);
            Ok(())
        })?;
        next = *id;
    }
    Names::load(cache, space, next)
}

#[cfg(test)]
mod tests;
