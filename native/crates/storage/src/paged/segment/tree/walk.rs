//! For tests: every page and every entry of a tree.

use super::{DEPTH, Node, damaged};
use crate::paged::cache::Cache;
use crate::paged::page::{Kind, PageId};
use tessera_base::Result;
use tessera_record::Digest;

/// Gives every page to `visit`, and every entry, in order, to `each`.
///
/// # Errors
/// As `Cache::read`; `record_damaged` where the entries are in no order.
pub fn walk(cache: &Cache, root: PageId, visit: &mut dyn FnMut(PageId, Kind), each: &mut dyn FnMut(Digest, u32)) -> Result<()> {
    let mut last: Option<Digest> = None;
    let mut ordered = |id: PageId, digest: Digest, slot: u32| {
        if last.replace(digest).is_some_and(|last| last.0 >= digest.0) {
            return Err(damaged(id, "not in order"));
        }
        each(digest, slot);
        Ok(())
    };
    walk_below(cache, root, 0, visit, &mut ordered)
}

fn walk_below(
    cache: &Cache,
    id: PageId,
    depth: usize,
    visit: &mut dyn FnMut(PageId, Kind),
    each: &mut dyn FnMut(PageId, Digest, u32) -> Result<()>,
) -> Result<()> {
    if depth == DEPTH {
        return Err(damaged(id, "in a tree without an end"));
    }
    let children: Vec<PageId> = {
        let page = cache.read(id)?;
        let node = Node::of(id, &page)?;
        visit(id, node.kind);
        if node.kind == Kind::Leaf {
            for at in 0..node.count {
                each(id, Digest(std::array::from_fn(|byte| node.digest(at)[byte])), node.value(at))?;
            }
            return Ok(());
        }
        (0..=node.count).map(|at| node.child(at)).collect()
    };
    children.into_iter().try_for_each(|child| walk_below(cache, child, depth + 1, visit, each))
}
