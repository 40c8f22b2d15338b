//! Making the index anew once a loss has been accepted: what is derived is built from what is not.
//!
//! What counts are the entries of slot maps whose bodies are there, and the names of sets. Trees,
//! directories, lists of extents, the pages of segments and of the namespace, free space and ledger
//! are made from them. The pages of slot maps, the bodies and the names stay where they are, and
//! everything else is written where none of them is. The head says `rebuilding` until all of it is
//! on the disk, and a start that finds that fails as before: whoever accepts the loss again begins
//! again, from the same pages.

mod gather;

use super::log::Lsn;
use super::page::PageId;
use super::pages::Pages;
use super::pages::survey::{Few, Survey};
use super::segment::{Left, PagedSegment, in_tree, retire};
use super::space::ExtentId;
use super::store::Store;
use gather::Gather;
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::Digest;

/// What is rebuilt.
pub struct Rebuild<'a> {
    pub namespace_id: [u8; 16],
    pub segments: u32,
    /// One past the last page that there may be.
    pub end: u32,
    /// As what pages of the index were last written, as far as that is known.
    pub written: &'a HashMap<PageId, Lsn>,
}

/// What came of it.
#[derive(Default)]
struct Tally {
    /// Records that were found, and those of them that are left.
    found: u64,
    left: u64,
    lost: Few<Digest>,
}

impl Rebuild<'_> {
    /// Makes the index of pages anew; answers them, and what was found to be missing.
    ///
    /// # Errors
    /// `storage_failed`; `device_full` where not even the index has room.
    pub fn run(&self, pages: Pages) -> Result<(Pages, Option<Error>)> {
        let survey = Survey::of(&pages, &self.namespace_id, self.segments, self.written)?;
        let store = Arc::new(Store::rebuild(pages, self.segments, self.end, &survey.names)?);
        let mut tally = Tally::default();
        let owners = owners(&store, &survey, &mut tally);
        store.space().claim(&mut owners.keys().copied())?;
        store.space().loaded();
        for (segment, maps) in (0..).zip(&survey.maps) {
            let owns = |id: PageId| extent(&store, id).is_some_and(|extent| owners.get(&extent) == Some(&segment));
            let left = Gather { store: &store, segment, maps, owns: &owns }.run();
            tally.left += left.records.len() as u64;
            retire(&store, segment, &left.retired, left.records.is_empty())?;
            note_kept(&store, &left);
            if !left.records.is_empty() {
                PagedSegment::new(Arc::clone(&store), segment).adopt(left)?;
            }
        }
        // What two segments claimed is lost to one of them.
        tally.lost.count += tally.found - tally.left;
        store.pages().rebuilt()?;
        let store = Arc::into_inner(store).ok_or_else(|| Error::new(ErrorCode::Internal, "a rebuild has left a segment behind"))?;
        Ok((store.into_pages(), report(&survey, &tally)))
    }
}

fn extent(store: &Store, page: PageId) -> Option<ExtentId> {
    store.space().place(page).map(|(extent, _)| extent)
}

/// Which segment has each extent that has something of one: of two, which only pages of different
/// times can say, that with the newest page.
fn owners(store: &Store, survey: &Survey, tally: &mut Tally) -> HashMap<ExtentId, u16> {
    let of_names: HashSet<ExtentId> = survey.names.iter().filter_map(|id| extent(store, *id)).collect();
    let outside = |id: PageId| extent(store, id).is_some_and(|extent| !of_names.contains(&extent));
    let mut claims = HashMap::<ExtentId, (Lsn, u16)>::new();
    for (segment, maps) in (0..).zip(&survey.maps) {
        let Left { records, pages, mut lost, .. } = Gather { store, segment, maps, owns: &outside }.run();
        for (id, (_, lsn)) in pages {
            let Some(extent) = extent(store, id) else { continue };
            let claim = claims.entry(extent).or_insert((lsn, segment));
            *claim = (*claim).max((lsn, segment));
        }
        // What the tree has besides was in pages of the slot map that are gone.
        lost.extend(in_tree(store, segment));
        for (digest, _) in &records {
            lost.remove(digest);
        }
        lost.into_iter().for_each(|digest| tally.lost.add(digest));
        tally.found += records.len() as u64;
    }
    claims.into_iter().map(|(extent, (_, segment))| (extent, segment)).collect()
}

/// The ledger knows pages that stay as they are, too.
fn note_kept(store: &Store, left: &Left) {
    let cache = store.pages().cache();
    for id in left.maps.values() {
        if let Ok(page) = cache.read(*id) {
            cache.ledger().note(std::iter::once((*id, &page[..])));
        }
    }
}

/// What was found to be missing; `None` if nothing was.
fn report(survey: &Survey, Tally { left, lost, .. }: &Tally) -> Option<Error> {
    let pages = |pages: &Few<PageId>| listed(pages, |id| id.0.to_string());
    let signs = [
        (survey.damaged.count > 0).then(|| format!("damaged pages: {}", pages(&survey.damaged))),
        (survey.older.count > 0).then(|| format!("pages of the index that are older copies: {}", pages(&survey.older))),
        (lost.count > 0).then(|| format!("records that are lost, or were removed since: {}", listed(lost, ToString::to_string))),
    ];
    let signs: Vec<String> = signs.into_iter().flatten().collect();
    let code = if survey.older.count > 0 { ErrorCode::DataRolledBack } else { ErrorCode::RecordDamaged };
    let message = || format!("{}; the index was rebuilt from the {left} records that are left", signs.join("; "));
    (!signs.is_empty()).then(|| Error::new(code, message()))
}

/// How many there are, and the first of them.
fn listed<T>(few: &Few<T>, name: impl Fn(&T) -> String) -> String {
    let names: Vec<String> = few.first.iter().map(name).collect();
    let more = if few.count > names.len() as u64 { ", …" } else { "" };
    match names.is_empty() {
        true => few.count.to_string(),
        false => format!("{} ({}{more})", few.count, names.join(", ")),
    }
}
