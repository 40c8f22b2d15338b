//! Pipelines by chance over records by chance, in every engine and on different numbers of threads.

use super::model::{Element, Last, Model, Step};
use super::store::{SET, Store, every_engine};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tessera_base::dice::Dice;
use tessera_core::Container;

const WORDS: [&str; 4] = ["ash", "birch", "cedar", "elm"];
const BINS: [&str; 6] = ["n", "t", "l", "m", "x", "y"];
const TREES: usize = 4;

/// Bins of any kind, and none of them always there.
fn bins(dice: &mut Dice) -> Map<String, Value> {
    let mut bins = Map::new();
    let scalar = |dice: &mut Dice| match dice.roll(8) {
        0 => json!(dice.roll(20) as f64 + 0.5),
        1 => json!(WORDS[dice.roll(TREES as u64) as usize]),
        2 => json!(dice.roll(2) == 0),
        3 => Value::Null,
        _ => json!(dice.roll(20) as i64 - 5),
    };
    let list = |dice: &mut Dice| {
        let item = |dice: &mut Dice| if dice.roll(3) == 0 { json!({"n": dice.roll(4)}) } else { scalar(dice) };
        Value::Array((0..dice.roll(4)).map(|_| item(dice)).collect())
    };
    if dice.roll(10) > 0 {
        bins.insert("n".into(), scalar(dice));
    }
    if dice.roll(6) > 0 {
        bins.insert("t".into(), json!(WORDS[dice.roll(TREES as u64) as usize]));
    }
    if dice.roll(3) > 0 {
        bins.insert("l".into(), if dice.roll(8) == 0 { scalar(dice) } else { list(dice) });
    }
    if dice.roll(3) > 0 {
        bins.insert("m".into(), json!({"n": dice.roll(5), "l": list(dice)}));
    }
    bins
}

struct World {
    stores: Vec<Store>,
    elements: Vec<Element>,
}

/// Some hundred records of the set and some of another, in each of the engines.
fn world(seed: u64) -> World {
    let mut dice = Dice(seed);
    let elements: Vec<Element> = (0..300 + dice.roll(300) as i64).map(|key| Element { key, bins: bins(&mut dice) }).collect();
    let stores = every_engine().into_iter().map(|config| {
        // So many others lie between them in a flat container that its slots are shared out among the threads.
        let others = if config.container == Container::Flat { 16 } else { 1 };
        let store = Store::open(config);
        for Element { key, bins } in &elements {
            store.put(SET, *key, &json!(bins));
            (0..others).for_each(|other| store.put("other", key * others + other, &json!({"n": key})));
        }
        store
    });
    World { stores: stores.collect(), elements }
}

fn bin() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&BINS[..])
}

fn step() -> impl Strategy<Value = Step> {
    let inside = prop::sample::select(vec!["", "", "n", "l"]);
    let column = (bin(), bin(), inside.clone());
    // Columns have different names.
    let columns = prop::collection::vec(column, 1..4).prop_map(|columns| {
        let mut columns = columns;
        columns.sort();
        columns.dedup_by_key(|column| column.0);
        columns
    });
    let limit = prop_oneof![1..20_usize, Just(100_000)];
    prop_oneof![
        3 => (bin(), -5..20_i64).prop_map(|(bin, n)| Step::AtLeast(bin, n)),
        2 => (bin(), prop::sample::select(&WORDS[..])).prop_map(|(bin, word)| Step::Is(bin, word)),
        1 => bin().prop_map(Step::Has),
        1 => (0..5_i64).prop_map(Step::Within),
        3 => columns.prop_map(Step::Map),
        3 => (bin(), bin(), inside).prop_map(|(name, bin, keys)| Step::FlatMap(name, bin, keys)),
        2 => Just(Step::Distinct),
        3 => (bin(), any::<bool>(), limit).prop_map(|(bin, descending, limit)| Step::Sort(bin, descending, limit)),
    ]
}

fn last() -> impl Strategy<Value = Last> {
    prop_oneof![
        4 => Just(Last::Elements),
        1 => (1..400_usize).prop_map(Last::Limit),
        2 => Just(Last::Count),
        1 => bin().prop_map(Last::Reduce),
        1 => (bin(), bin()).prop_map(|(by, bin)| Last::Group(by, bin)),
    ]
}

/// Whether each of `part` is in `all`, as often.
fn is_part(part: &[String], all: &[String]) -> bool {
    let mut rest = all.to_vec();
    part.iter().all(|line| rest.iter().position(|other| other == line).map(|at| rest.swap_remove(at)).is_some())
}

#[test]
fn streams_answer_what_loops_do() {
    let worlds: Vec<World> = (1..4).map(|seed| world(seed * 0x9e37_79b9)).collect();
    proptest!(ProptestConfig::with_cases(tessera_base::cases(400)), |(world in 0..3_usize, steps in prop::collection::vec(step(), 0..6), last in last())| {
        let World { stores, elements } = &worlds[world];
        let json: Value = steps.iter().map(Step::json).chain(last.json()).collect();
        let model = steps.iter().try_fold(Model::new(elements.clone()), Model::step);
        prop_assume!(model.is_some());
        let (mut expected, model) = model.unwrap().last(&last);
        let sorted = model.ordered && matches!(last, Last::Elements | Last::Limit(_));
        if !sorted {
            expected.sort();
        }
        for store in stores {
            for threads in [1, 2, 8] {
                let (lines, summary) = store.ask(&json, threads).unwrap();
                let mut lines: Vec<String> = lines.iter().map(|line| model.read(&last, line)).collect();
                if !sorted {
                    lines.sort();
                }
                let place = format!("{} on {threads}: {json}", store.namespace.name());
                match model.any {
                    Some(wanted) => prop_assert!(lines.len() == wanted && is_part(&lines, &expected), "{place}: {lines:?}"),
                    None => prop_assert_eq!(&lines, &expected, "{}", place),
                }
                prop_assert!(summary.damaged == 0 && !summary.truncated, "{place}: {summary:?}");
            }
        }
    });
}
