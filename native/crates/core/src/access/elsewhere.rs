//! What the indexes of a cluster are asked for a filter.
//!
//! A cluster answers one ask well, and cannot combine two. So of an AND one part is asked, the one that brings fewest rows, and
//! of an OR all, one beside the other; the rows are merged, and each is checked with the whole filter.

use super::lookup::{Lookup, Wanted};
use crate::store::remote::{Ask, Asks, Remote, RemoteIndex, RemoteIndexes};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tessera_base::Result;
use tessera_index::Index;
use tessera_record::filter::Node;

/// More asks than these are not merged: each takes a request of its own for every page.
const MOST_ASKS: usize = 32;
/// Terms of one document that are compared: which of them brings fewest rows.
const TERMS: usize = 16;
/// Asks of one filter that are compared.
const PROBED: usize = 128;

/// What is asked for a filter.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    pub asks: Arc<Asks>,
    /// Those that are asked, in the order of the list.
    pub indexes: Vec<Arc<Index>>,
    /// What is asked, each with its index and about how many rows it brings.
    pub parts: Vec<(Arc<Index>, u64)>,
}

/// What could be asked: every record that passes is among the rows.
enum Offer {
    Ask(Ask, Arc<Index>),
    /// Of all of these together.
    Any(Vec<Self>),
    /// Of any one of these.
    OneOf(Vec<Self>),
}

/// What was chosen of an offer: asks, with about how many rows they bring.
type Chosen = Vec<(Ask, Arc<Index>, u64)>;

/// The cheapest that a filter can be asked for; `None` if no index helps. `usable`: those that may be asked.
///
/// # Errors
/// `cluster_unavailable`.
pub(crate) fn plan(remote: &dyn Remote, listed: &RemoteIndexes, usable: &[Arc<Index>], filter: &Node) -> Result<Option<Elsewhere>> {
    let is_usable = |known: &Arc<Index>| usable.iter().any(|index| Arc::ptr_eq(index, known));
    let indexes: Vec<_> = listed.of_values().filter(|(_, known)| is_usable(known)).collect();
    let Some(offer) = offer(filter, &indexes)? else { return Ok(None) };
    let mut probed = Vec::new();
    offer.asks(&mut probed);
    probed.sort_unstable();
    probed.dedup();
    if probed.len() > PROBED {
        return Ok(None);
    }
    let rows: HashMap<Ask, u64> = probed.iter().copied().zip(remote.probe(&probed)?).collect();
    let Some(mut chosen) = offer.choose(&rows) else { return Ok(None) };
    let mut asked = HashSet::new();
    chosen.retain(|(ask, ..)| asked.insert(*ask));
    let estimate = chosen.iter().map(|(.., rows)| rows).sum();
    let used = |known: &Arc<Index>| chosen.iter().any(|(_, index, _)| Arc::ptr_eq(index, known));
    Ok(Some(Elsewhere {
        asks: listed.asks(chosen.iter().map(|(ask, ..)| *ask).collect(), estimate),
        indexes: indexes.iter().map(|(_, known)| (*known).clone()).filter(used).collect(),
        parts: chosen.iter().map(|(_, index, rows)| (index.clone(), *rows)).collect(),
    }))
}

/// # Errors
/// `internal`.
fn offer(node: &Node, indexes: &[(&RemoteIndex, &Arc<Index>)]) -> Result<Option<Offer>> {
    let each = |parts: &[Node]| parts.iter().map(|part| offer(part, indexes)).collect::<Result<Vec<_>>>();
    Ok(match node {
        Node::And(parts) => some_of(each(parts)?.into_iter().flatten().collect()),
        // A part that cannot be asked for could pass anything.
        Node::Or(parts) => each(parts)?.into_iter().collect::<Option<Vec<_>>>().filter(|parts| !parts.is_empty()).map(Offer::Any),
        Node::Test(test) => {
            let mut offers = Vec::new();
            for (index, known) in indexes {
                let Some(lookup) = Lookup::of(known, test) else { continue };
                let parts = lookup.wanted().iter().map(|wanted| of_wanted(index, known, wanted));
                offers.extend(parts.collect::<Result<Option<Vec<_>>>>()?.map(Offer::Any));
            }
            some_of(offers)
        }
        Node::Not(_) | Node::Meta(_) | Node::Expression(_) => None,
    })
}

/// # Errors
/// `internal`.
fn of_wanted(index: &RemoteIndex, known: &Arc<Index>, wanted: &Wanted) -> Result<Option<Offer>> {
    Ok(match wanted {
        Wanted::Terms { terms, .. } => {
            let terms = terms.kept().iter().take(TERMS);
            some_of(terms.map(|kept| Offer::Ask(index.ask_term(*kept), known.clone())).collect())
        }
        Wanted::Range(bounds) => Some(Offer::Ask(index.ask_bounds(bounds)?, known.clone())),
    })
}

fn some_of(offers: Vec<Offer>) -> Option<Offer> {
    (!offers.is_empty()).then_some(Offer::OneOf(offers))
}

impl Offer {
    fn asks(&self, out: &mut Vec<Ask>) {
        match self {
            Self::Ask(ask, _) => out.push(*ask),
            Self::Any(parts) | Self::OneOf(parts) => parts.iter().for_each(|part| part.asks(out)),
        }
    }

    /// `None`: more than can be merged.
    fn choose(&self, rows: &HashMap<Ask, u64>) -> Option<Chosen> {
        let sum = |chosen: &Chosen| chosen.iter().fold(0_u64, |sum, (.., rows)| sum.saturating_add(*rows));
        match self {
            Self::Ask(ask, index) => Some(vec![(*ask, index.clone(), rows.get(ask).copied().unwrap_or(u64::MAX))]),
            Self::Any(parts) => {
                let all: Chosen = parts.iter().map(|part| part.choose(rows)).collect::<Option<Vec<_>>>()?.concat();
                (all.len() <= MOST_ASKS).then_some(all)
            }
            Self::OneOf(parts) => parts.iter().filter_map(|part| part.choose(rows)).min_by_key(sum),
        }
    }
}
