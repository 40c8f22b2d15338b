//! How indexes find the records of a query: lookups, and what they have in common or together, as the filter's tree says.
//!
//! `lookup` is what one index is asked for, `Access` what several are together, `cost` what that
//! takes, `proposal` what it answers; `ordered` is a range index that has the order that is wanted.
//! `elsewhere` is what the indexes of a cluster are asked.
//! A query chooses between them and a scan, which walks what they propose.

mod cost;
pub(crate) mod elsewhere;
mod lookup;
mod ordered;
mod proposal;

pub(crate) use cost::{Estimator, scan_is_cheaper};
pub(crate) use lookup::Lookup;
pub(crate) use ordered::{Around, RangeOrder};
pub(crate) use proposal::{LookedUp, Proposal};

use std::sync::Arc;

use crate::segment::Segment;
use cost::Estimate;
use tessera_base::limits::LOOKUP_STEPS;
use tessera_index::Index;
use tessera_index::document::Candidates;
use tessera_record::filter::Node;

/// Every record that passes the filter is among the candidates.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub kind: AccessKind,
    /// Of all segments that are asked.
    pub estimate: Estimate,
}

#[derive(Clone, Debug)]
pub(crate) enum AccessKind {
    Lookup(Lookup),
    /// Those of all parts, the one with the fewest first.
    And(Vec<Access>),
    /// Those of any part.
    Or(Vec<Access>),
}

/// What a query could look up.
#[derive(Default)]
pub(crate) struct Planned {
    /// The cheapest; `None` when no index helps.
    pub access: Option<Access>,
    /// All that were considered for it, the cheapest first.
    pub considered: Vec<Access>,
    /// Of the candidates, those that are looked at before a page is full.
    pub share: f64,
}

/// What an `and` offers to look up.
#[derive(Default)]
struct Offers<'f> {
    lookups: Vec<(Lookup, Vec<usize>)>,
    /// Each with its place.
    ors: Vec<(&'f [Node], usize)>,
    parts: usize,
}

/// Something that a filter's `and` offers to look up.
struct Conjunct {
    access: Access,
    /// The parts of the `and` that it serves.
    of: Vec<usize>,
}

impl Access {
    /// The ways to find what passes `filter`; a page ends when `limit` records have.
    pub fn plan(filter: &Node, limit: Option<u64>, indexes: &[Arc<Index>], costs: &Estimator<'_>) -> Planned {
        let mut conjuncts = conjuncts(filter, indexes, costs);
        let matches = conjuncts.iter().map(|conjunct| conjunct.access.estimate.slots).min().unwrap_or(0);
        let share = limit.map_or(1.0, |limit| (limit as f64 / matches.max(1) as f64).min(1.0));
        conjuncts.sort_by(|a, b| costs.ms(&a.access.estimate, share).total_cmp(&costs.ms(&b.access.estimate, share)));
        let access = choose(&conjuncts, share, costs);
        Planned { access, considered: conjuncts.into_iter().map(|conjunct| conjunct.access).collect(), share }
    }

    /// Lookups that are made in each segment.
    pub fn steps(&self) -> usize {
        match &self.kind {
            AccessKind::Lookup(lookup) => lookup.steps(),
            AccessKind::And(parts) | AccessKind::Or(parts) => parts.iter().map(Self::steps).sum(),
        }
    }

    /// Puts the slots that can match into `out`, ascending. `All` when the indexes cannot say.
    pub fn candidates(&self, segment: &Segment, out: &mut Vec<u32>) -> Candidates {
        let parts = match &self.kind {
            AccessKind::Lookup(lookup) => return lookup.candidates(segment, out),
            AccessKind::And(parts) => return common(parts, segment, out),
            AccessKind::Or(parts) => parts,
        };
        out.clear();
        let mut more = Vec::new();
        for part in parts {
            if part.candidates(segment, &mut more) == Candidates::All {
                return Candidates::All;
            }
            out.extend_from_slice(&more);
        }
        out.sort_unstable();
        out.dedup();
        Candidates::Slots
    }

    /// Its lookups, from the outside in.
    pub fn lookups<'a>(&'a self, out: &mut Vec<&'a Lookup>) {
        match &self.kind {
            AccessKind::Lookup(lookup) => out.push(lookup),
            AccessKind::And(parts) | AccessKind::Or(parts) => parts.iter().for_each(|part| part.lookups(out)),
        }
    }
}

/// The slots that all parts propose; parts that cannot say are left out.
fn common(parts: &[Access], segment: &Segment, out: &mut Vec<u32>) -> Candidates {
    let (mut known, mut more) = (false, Vec::new());
    for part in parts {
        if known && out.is_empty() {
            break;
        }
        if part.candidates(segment, &mut more) == Candidates::All {
            continue;
        }
        if known {
            keep_common(out, &more);
        } else {
            std::mem::swap(out, &mut more);
            known = true;
        }
    }
    if known { Candidates::Slots } else { Candidates::All }
}

/// Keeps of ascending slots those that `others` has too.
fn keep_common(slots: &mut Vec<u32>, mut others: &[u32]) {
    slots.retain(|slot| {
        // The next one is seldom far: steps that double find it in the logarithm of the distance.
        let mut step = 1;
        while others.get(step).is_some_and(|other| other < slot) {
            step *= 2;
        }
        let within = others.len().min(step + 1);
        others = &others[others[..within].partition_point(|other| other < slot)..];
        others.first() == Some(slot)
    });
}

/// What is offered for a filter, with what each would take; alternatives are planned last. What is too much to estimate is left to
/// the check.
fn conjuncts(filter: &Node, indexes: &[Arc<Index>], costs: &Estimator<'_>) -> Vec<Conjunct> {
    let mut offers = Offers::default();
    offers.collect(filter, indexes, costs);
    let Offers { lookups, ors, .. } = offers;
    let of_lookup = |(lookup, of)| Conjunct { access: Access { estimate: costs.of_lookup(&lookup), kind: AccessKind::Lookup(lookup) }, of };
    let mut out: Vec<Conjunct> = lookups.into_iter().map(of_lookup).collect();
    for (parts, place) in ors {
        // A part without an access could pass anything.
        let parts: Option<Vec<Access>> = parts.iter().map(|node| Access::plan(node, None, indexes, costs).access).collect();
        let Some(parts) = parts.filter(|parts| parts.iter().map(Access::steps).sum::<usize>() <= LOOKUP_STEPS) else { continue };
        let estimate = costs.together(parts.iter().map(|part| part.estimate));
        out.push(Conjunct { access: Access { kind: AccessKind::Or(parts), estimate }, of: vec![place] });
    }
    out
}

impl<'f> Offers<'f> {
    fn collect(&mut self, node: &'f Node, indexes: &[Arc<Index>], costs: &Estimator<'_>) {
        if let Node::And(parts) = node {
            return parts.iter().for_each(|node| self.collect(node, indexes, costs));
        }
        let place = self.parts;
        self.parts += 1;
        match node {
            Node::Test(test) => {
                for lookup in indexes.iter().take_while(|_| costs.may_estimate()).filter_map(|index| Lookup::of(index, test)) {
                    if costs.takes(lookup.steps()) {
                        self.add(lookup, place);
                    }
                }
            }
            Node::Or(parts) => self.ors.push((parts, place)),
            Node::Not(_) | Node::Meta(_) | Node::Expression(_) | Node::And(_) => {}
        }
    }

    /// Tests of one index are looked up in one go.
    fn add(&mut self, lookup: Lookup, place: usize) {
        match self.lookups.iter_mut().find_map(|(other, of)| other.narrow(&lookup).then_some(of)) {
            Some(of) => of.push(place),
            None => self.lookups.push((lookup, vec![place])),
        }
    }
}

/// The cheapest one, and of the others those that leave out more than they cost. What another serves too gives way to it.
fn choose(conjuncts: &[Conjunct], share: f64, costs: &Estimator<'_>) -> Option<Access> {
    let all = |chosen: &[&Conjunct]| costs.in_common(chosen.iter().map(|conjunct| conjunct.access.estimate));
    let mut chosen: Vec<&Conjunct> = Vec::new();
    for conjunct in conjuncts.iter().filter(|conjunct| conjunct.access.steps() <= LOOKUP_STEPS) {
        if chosen.iter().any(|other| serves(other, conjunct)) {
            continue;
        }
        let with: Vec<&Conjunct> = chosen.iter().copied().filter(|other| !serves(conjunct, other)).chain([conjunct]).collect();
        let steps: usize = with.iter().map(|conjunct| conjunct.access.steps()).sum();
        if chosen.is_empty() || steps <= LOOKUP_STEPS && costs.ms(&all(&with), share) < costs.ms(&all(&chosen), share) {
            chosen = with;
        }
    }
    if chosen.len() < 2 {
        return chosen.pop().map(|conjunct| conjunct.access.clone());
    }
    let estimate = all(&chosen);
    // The shortest list first: the others need not be read where it is empty.
    chosen.sort_by_key(|conjunct| conjunct.access.estimate.slots);
    Some(Access { kind: AccessKind::And(chosen.into_iter().map(|conjunct| conjunct.access.clone()).collect()), estimate })
}

/// Whether `one` serves all parts of the `and` that the other serves.
fn serves(one: &Conjunct, other: &Conjunct) -> bool {
    other.of.iter().all(|part| one.of.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn common_slots_are_those_of_both(a in prop::collection::btree_set(0..200_u32, 0..60), b in prop::collection::btree_set(0..200_u32, 0..60)) {
            let mut slots: Vec<u32> = a.iter().copied().collect();
            keep_common(&mut slots, &b.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(slots.into_iter().collect::<BTreeSet<_>>(), a.intersection(&b).copied().collect::<BTreeSet<_>>());
        }
    }
}
