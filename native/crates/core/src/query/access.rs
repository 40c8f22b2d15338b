//! How indexes find the records of a query: lookups, and what they have in common or together, as the filter's tree says.

use std::sync::Arc;

use super::cost::{Estimate, Estimator};
use super::lookup::Lookup;
use crate::filter::{Node, Test};
use crate::index::Index;
use crate::index::document::Candidates;
use crate::segment::Segment;

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

/// Something that a filter's `and` offers to look up.
struct Conjunct {
    access: Access,
    /// The parts of the `and` that it serves.
    of: Vec<usize>,
}

impl Access {
    /// The cheapest way to find what passes `filter`, and all that were considered for it; `None` when no index helps.
    pub fn plan(filter: &Node, indexes: &[Arc<Index>], costs: &Estimator<'_>) -> (Option<Self>, Vec<Self>) {
        let mut conjuncts = Vec::new();
        conjoin(filter, &mut 0, indexes, costs, &mut conjuncts);
        conjuncts.sort_by_key(|conjunct| conjunct.access.estimate.slots);
        let considered = conjuncts.iter().map(|conjunct| conjunct.access.clone()).collect();
        (choose(conjuncts, costs), considered)
    }

    fn lookup(lookup: Lookup, costs: &Estimator<'_>) -> Self {
        Self { estimate: costs.of_lookup(&lookup), kind: AccessKind::Lookup(lookup) }
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

/// Collects what the parts of an `and` offer; `part` counts them.
fn conjoin(node: &Node, part: &mut usize, indexes: &[Arc<Index>], costs: &Estimator<'_>, out: &mut Vec<Conjunct>) {
    if let Node::And(parts) = node {
        return parts.iter().for_each(|node| conjoin(node, part, indexes, costs, out));
    }
    let this = *part;
    *part += 1;
    match node {
        Node::Test(test) => {
            for lookup in lookups(test, indexes) {
                let same = out.iter_mut().find_map(|conjunct| match &mut conjunct.access.kind {
                    AccessKind::Lookup(other) => other.narrow(&lookup).then_some(conjunct),
                    _ => None,
                });
                match same {
                    Some(conjunct) => {
                        conjunct.of.push(this);
                        if let AccessKind::Lookup(lookup) = &conjunct.access.kind {
                            conjunct.access.estimate = costs.of_lookup(lookup);
                        }
                    }
                    None => out.push(Conjunct { access: Access::lookup(lookup, costs), of: vec![this] }),
                }
            }
        }
        Node::Or(parts) => {
            // A part without an access could pass anything.
            let parts: Option<Vec<Access>> = parts.iter().map(|node| Access::plan(node, indexes, costs).0).collect();
            if let Some(parts) = parts {
                let estimate = costs.together(parts.iter().map(|part| part.estimate));
                out.push(Conjunct { access: Access { kind: AccessKind::Or(parts), estimate }, of: vec![this] });
            }
        }
        Node::Not(_) | Node::Meta(_) | Node::And(_) => {}
    }
}

fn lookups<'a>(test: &'a Test, indexes: &'a [Arc<Index>]) -> impl Iterator<Item = Lookup> + 'a {
    indexes.iter().filter_map(|index| Lookup::of(index, test))
}

/// The one with the fewest candidates, and of the others those that leave out more than they cost.
fn choose(conjuncts: Vec<Conjunct>, costs: &Estimator<'_>) -> Option<Access> {
    let (mut chosen, mut served): (Vec<Access>, Vec<usize>) = (Vec::new(), Vec::new());
    for Conjunct { access, of } in conjuncts {
        let new = of.iter().any(|part| !served.contains(part));
        let pays = chosen.first().is_none_or(|first| new && costs.narrows(&first.estimate, &access.estimate));
        if pays {
            chosen.push(access);
            served.extend(of);
        }
    }
    if chosen.len() < 2 {
        return chosen.pop();
    }
    let estimate = costs.in_common(chosen.iter().map(|part| part.estimate));
    Some(Access { kind: AccessKind::And(chosen), estimate })
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
