//! A tree made from all its entries at once, level by level; and what is left of one that is
//! damaged.

use super::{Allocator, COUNT, ENTRY, FIRST_CHILD, Node, base, capacity, entry};
use crate::paged::cache::Cache;
use crate::paged::change::Change;
use crate::paged::page::{Kind, PageId};
use hashbrown::HashSet;
use tessera_base::Result;
use tessera_record::Digest;

/// What a level of pages has: of leaves digests and slots, above them the first digest below each
/// page, and the page.
pub type Level = Vec<(Digest, u32)>;

/// How many of so many entries a page of `kind` takes: all take as many, and none is more than
/// three quarters full.
pub fn per_page(kind: Kind, page_bytes: usize, entries: usize) -> usize {
    let most = capacity(kind, page_bytes) * 3 / 4;
    entries.div_ceil(entries.div_ceil(most).max(1)).max(1)
}

/// Makes a page of `kind` of entries in order, at least one, which fit.
///
/// # Errors
/// As `Allocator::take`.
pub fn lay(change: &mut Change<'_>, pages: &mut dyn Allocator, kind: Kind, entries: &[(Digest, u32)]) -> Result<PageId> {
    let id = pages.take(kind)?;
    let page = change.format(id, kind)?;
    let (first, rest) = match (kind, entries.split_first()) {
        (Kind::Inner, Some((first, rest))) => (Some(first.1), rest),
        _ => (None, entries),
    };
    if let Some(child) = first {
        change.write(page, FIRST_CHILD, &child.to_le_bytes());
    }
    let mut bytes = Vec::with_capacity(rest.len() * ENTRY);
    rest.iter().for_each(|(digest, value)| bytes.extend_from_slice(&entry(&digest.0, *value)));
    change.write(page, base(kind), &bytes);
    change.write(page, COUNT, &(rest.len() as u16).to_le_bytes());
    Ok(id)
}

/// Every digest in what can be read of a tree.
pub fn left(cache: &Cache, root: PageId) -> Vec<Digest> {
    let (mut seen, mut pages, mut digests) = (HashSet::new(), vec![root], vec![]);
    while let Some(id) = pages.pop() {
        if id == PageId::NONE || !seen.insert(id) {
            continue;
        }
        let Ok(page) = cache.read(id) else { continue };
        let Ok(node) = Node::of(id, &page) else { continue };
        if node.kind == Kind::Leaf {
            digests.extend((0..node.count).map(|at| Digest(std::array::from_fn(|byte| node.digest(at)[byte]))));
        } else {
            pages.extend((0..=node.count).map(|at| node.child(at)));
        }
    }
    digests
}
