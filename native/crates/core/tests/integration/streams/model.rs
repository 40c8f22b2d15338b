//! What a stream is to answer, by loops over JSON.

use super::store::SET;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use tessera_record::{Digest, KeyRef};

/// A record, or a row of one.
#[derive(Clone, Debug)]
pub struct Element {
    pub key: i64,
    pub bins: Map<String, Value>,
}

/// What is left after some steps, and how much of that is certain.
pub struct Model {
    pub elements: Vec<Element>,
    pub rows: bool,
    /// In an order that answers have.
    pub ordered: bool,
    /// Whether equal elements stand for each other: it is then open which of their records are left.
    merged: bool,
    /// Elements of the answer, where they are any so many of these.
    pub any: Option<usize>,
}

/// A step, as a stream and as a loop have it.
#[derive(Clone, Debug)]
pub enum Step {
    AtLeast(&'static str, i64),
    Is(&'static str, &'static str),
    Has(&'static str),
    Within(i64),
    /// Column, bin and path.
    Map(Vec<(&'static str, &'static str, &'static str)>),
    FlatMap(&'static str, &'static str, &'static str),
    Distinct,
    Sort(&'static str, bool, usize),
}

#[derive(Clone, Debug)]
pub enum Last {
    Elements,
    Limit(usize),
    Count,
    Reduce(&'static str),
    Group(&'static str, &'static str),
}

impl Step {
    pub fn json(&self) -> Value {
        let path = |bin: &str, path: &str| if path.is_empty() { json!({"bin": bin}) } else { json!({"bin": bin, "path": path}) };
        match self {
            Self::AtLeast(bin, n) => json!({"filter": {"bin": bin, "op": "ge", "value": n}}),
            Self::Is(bin, text) => json!({"filter": {"bin": bin, "op": "eq", "value": text}}),
            Self::Has(bin) => json!({"filter": {"not": {"bin": bin, "op": "exists", "value": false}}}),
            Self::Within(n) => json!({"filter": {"bin": "m", "op": "contains", "value": {"n": n}}}),
            Self::Map(columns) => {
                let column = |(name, bin, keys): &(&str, &str, &str)| {
                    let mut column = path(bin, keys);
                    column["as"] = json!(name);
                    column
                };
                json!({"map": columns.iter().map(column).collect::<Vec<_>>()})
            }
            Self::FlatMap(name, bin, keys) => {
                let mut list = path(bin, keys);
                list["as"] = json!(name);
                json!({"flatMap": list})
            }
            Self::Distinct => json!({"distinct": true}),
            Self::Sort(bin, descending, limit) => json!({"sort": {"bin": bin, "desc": descending, "limit": limit}}),
        }
    }
}

impl Last {
    pub fn json(&self) -> Option<Value> {
        match self {
            Self::Elements => None,
            Self::Limit(most) => Some(json!({"limit": most})),
            Self::Count => Some(json!({"count": true})),
            Self::Reduce(bin) => {
                Some(json!({"reduce": {"all": {"op": "count"}, "sum": {"op": "sum", "bin": bin}, "most": {"op": "max", "bin": bin}}}))
            }
            Self::Group(by, bin) => {
                Some(json!({"groupBy": {"by": [by], "aggregate": {"all": {"op": "count"}, "sum": {"op": "sum", "bin": bin}}}}))
            }
        }
    }
}

impl Model {
    pub fn new(elements: Vec<Element>) -> Self {
        Self { elements, rows: false, ordered: false, merged: false, any: None }
    }

    /// `None` where it is open what the answer is: where elements that are not equal have one place in the order.
    pub fn step(mut self, step: &Step) -> Option<Self> {
        match step {
            Step::AtLeast(bin, n) => self.retain(|bins| bins.get(*bin).and_then(Value::as_f64).is_some_and(|value| value >= *n as f64)),
            Step::Is(bin, text) => self.retain(|bins| bins.get(*bin).and_then(Value::as_str) == Some(text)),
            Step::Has(bin) => self.retain(|bins| bins.contains_key(*bin)),
            Step::Within(n) => self.retain(|bins| bins.get("m").and_then(|m| m.get("n")) == Some(&json!(n))),
            Step::Map(columns) => {
                self.rows = true;
                for element in &mut self.elements {
                    let found =
                        columns.iter().filter_map(|(name, bin, keys)| Some(((*name).to_owned(), find(&element.bins, bin, keys)?.clone())));
                    element.bins = found.collect();
                }
            }
            Step::FlatMap(name, bin, keys) => {
                self.rows = true;
                let rows = |Element { key, bins }: Element| {
                    let items = find(&bins, bin, keys).and_then(Value::as_array).cloned().unwrap_or_default();
                    items.into_iter().map(move |item| {
                        let mut bins = bins.clone();
                        bins.insert((*name).to_owned(), item);
                        Element { key, bins }
                    })
                };
                self.elements = self.elements.into_iter().flat_map(rows).collect();
            }
            Step::Distinct => {
                self.merged = true;
                let mut met = BTreeSet::new();
                self.elements.retain(|element| met.insert(text(&element.bins)));
            }
            Step::Sort(bin, descending, limit) => {
                let place = |element: &Element| (rank(element.bins.get(*bin)), Digest::of(SET, KeyRef::Integer(element.key)));
                let order = |a: &Element, b: &Element| {
                    let ((a, a_digest), (b, b_digest)) = (place(a), place(b));
                    let last = a.is_none().cmp(&b.is_none());
                    let by_value = a.partial_cmp(&b).unwrap_or(Ordering::Equal);
                    let by_digest = if self.merged { Ordering::Equal } else { a_digest.cmp(&b_digest) };
                    last.then(if *descending { by_value.reverse() } else { by_value }).then(by_digest)
                };
                self.elements.sort_by(order);
                if self.elements.windows(2).any(|pair| order(&pair[0], &pair[1]).is_eq() && text(&pair[0].bins) != text(&pair[1].bins)) {
                    return None;
                }
                self.elements.truncate(*limit);
                self.ordered = true;
            }
        }
        Some(self)
    }

    fn retain(&mut self, holds: impl Fn(&Map<String, Value>) -> bool) {
        self.elements.retain(|element| holds(&element.bins));
    }

    /// The lines of the answer.
    pub fn last(mut self, last: &Last) -> (Vec<String>, Self) {
        let number = |element: &Element, bin: &str| element.bins.get(bin).and_then(Value::as_f64);
        let sum = |elements: &[&Element], bin: &str| {
            elements.iter().filter_map(|element| number(element, bin)).fold(0.0, |sum, number| sum + number)
        };
        let lines = match last {
            Last::Elements => self.elements.iter().map(|element| self.line(element)).collect(),
            Last::Limit(most) => {
                if self.ordered {
                    self.elements.truncate(*most);
                } else {
                    self.any = Some(self.elements.len().min(*most));
                }
                self.elements.iter().map(|element| self.line(element)).collect()
            }
            Last::Count => vec![format!("{}", self.elements.len())],
            Last::Reduce(bin) => {
                let all: Vec<&Element> = self.elements.iter().collect();
                let most = all.iter().filter_map(|element| number(element, bin)).max_by(f64::total_cmp);
                vec![format!("{} {} {most:?}", all.len(), sum(&all, bin))]
            }
            Last::Group(by, bin) => {
                let mut groups: BTreeMap<String, Vec<&Element>> = BTreeMap::new();
                for element in &self.elements {
                    groups.entry(format!("{:?}", element.bins.get(*by))).or_default().push(element);
                }
                groups.iter().map(|(by, group)| format!("{by} {} {}", group.len(), sum(group, bin))).collect()
            }
        };
        (lines, self)
    }

    fn line(&self, element: &Element) -> String {
        if self.rows || self.merged { text(&element.bins) } else { format!("{} {}", element.key, text(&element.bins)) }
    }

    /// A line of an answer, as `last` writes it.
    pub fn read(&self, last: &Last, line: &Value) -> String {
        let figure = |of: &Value, name: &str| of[name]["value"].as_f64();
        match last {
            Last::Elements | Last::Limit(_) if self.rows => text(line.as_object().unwrap()),
            Last::Elements | Last::Limit(_) => {
                self.line(&Element { key: line["key"].as_i64().unwrap(), bins: line["bins"].as_object().unwrap().clone() })
            }
            Last::Count => format!("{}", line["count"]),
            Last::Reduce(_) => {
                let most = figure(line, "most");
                format!("{} {} {most:?}", line["all"]["value"], figure(line, "sum").unwrap())
            }
            Last::Group(by, _) => {
                let all = &line["aggregate"];
                format!("{:?} {} {}", line["by"].get(*by), all["all"]["value"], figure(all, "sum").unwrap())
            }
        }
    }
}

fn find<'v>(bins: &'v Map<String, Value>, bin: &str, path: &str) -> Option<&'v Value> {
    let value = bins.get(bin)?;
    if path.is_empty() { Some(value) } else { value.get(path) }
}

/// Bins in whatever order are the same.
fn text(bins: &Map<String, Value>) -> String {
    let sorted: BTreeMap<_, _> = bins.iter().collect();
    serde_json::to_string(&sorted).unwrap()
}

/// Numbers, then strings, then booleans; nothing else has a place.
fn rank(value: Option<&Value>) -> Option<(u8, f64, String)> {
    match value? {
        Value::Number(number) => Some((1, number.as_f64()?, String::new())),
        Value::String(text) => Some((2, 0.0, text.clone())),
        Value::Bool(truth) => Some((3, f64::from(u8::from(*truth)), String::new())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
