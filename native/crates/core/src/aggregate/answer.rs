//! Totals as JSON.

use super::{Cell, Figure, Kind, Number, Part, Totals};
use serde_json::{Map, Value, json};
use tessera_base::Result;
use tessera_record::json::{Shape, write_value};

/// Integers beyond this are not exact in every reader of JSON, and are given as text too.
const EXACT: u128 = 1 << 53;

impl Totals {
    /// One JSON object: by name, what came of each aggregate. Of groups, a line for each that is wanted, and how many others there
    /// are.
    ///
    /// # Errors
    /// `aggregate_invalid` where a histogram has too many buckets; `too_many_groups`.
    pub(crate) fn answer(&mut self) -> Result<(Vec<u8>, Option<u64>)> {
        match (&mut self.groups, &self.of.grouping) {
            (Some(groups), Some(grouping)) => groups.lines(grouping).map(|(lines, others)| (lines, Some(others))),
            _ => Ok((self.figures()?.into_bytes(), None)),
        }
    }

    /// One JSON object: by name, what came of each aggregate.
    ///
    /// # Errors
    /// As `answer`.
    pub(super) fn figures(&self) -> Result<String> {
        let mut all = String::from("{");
        for (part, cell) in self.of.parts.iter().zip(&self.cells) {
            if all.len() > 1 {
                all.push(',');
            }
            all.push_str(&format!("{}:{}", json!(&*part.name), cell.answer(part)?));
        }
        all.push('}');
        Ok(all)
    }
}

impl Cell {
    fn answer(&self, part: &Part) -> Result<String> {
        let mut fields = Map::new();
        let mut value = None;
        match &self.figure {
            Figure::Count => value = Some(self.taken.to_string()),
            Figure::Sum(sum) if matches!(part.kind, Kind::Average) => {
                value = Some(if self.taken == 0 { "null".into() } else { double(sum.double() / self.taken as f64) });
            }
            Figure::Sum(sum) => match sum.integer() {
                Some(exact) => {
                    value = Some(exact.to_string());
                    fields.extend(beyond(exact));
                }
                None => value = Some(double(sum.double())),
            },
            Figure::Extreme(_, number) => {
                value = Some(number.map_or_else(|| "null".into(), json));
                if let Some(Number::Int(n)) = number {
                    fields.extend(beyond(i128::from(*n)));
                }
            }
            Figure::Distinct(sketch) => value = Some(sketch.estimate().to_string()),
            Figure::Histogram(_) => {}
        }
        if matches!(self.figure, Figure::Sum(_) | Figure::Extreme(..) | Figure::Histogram(_)) {
            fields.insert("numbers".into(), self.taken.into());
            fields.insert("others".into(), self.others.into());
        }
        if part.source.is_some() {
            fields.insert("missing".into(), self.missing.into());
        }
        let mut parts: Vec<String> = value.map(|value| format!("\"value\":{value}")).into_iter().collect();
        if let Figure::Histogram(histogram) = &self.figure {
            histogram.check()?;
            let bucket = |(&bucket, &count): (&i64, &u64)| {
                let (from, to) = histogram.ends(bucket)?;
                Some(format!("{{\"from\":{},\"to\":{},\"count\":{count}}}", json(from), json(to)))
            };
            let buckets: Vec<String> = histogram.counts.iter().filter_map(bucket).collect();
            parts.push(format!("\"buckets\":[{}],\"below\":{},\"above\":{}", buckets.join(","), histogram.below, histogram.above));
        }
        parts.extend(fields.iter().map(|(name, value): (&String, &Value)| format!("\"{name}\":{value}")));
        Ok(format!("{{{}}}", parts.join(",")))
    }
}

fn json(number: Number) -> String {
    let mut out = Vec::new();
    write_value(&mut out, number.value(), Shape::Record);
    String::from_utf8_lossy(&out).into_owned()
}

/// As JSON has it; a sum may be past all doubles.
fn double(value: f64) -> String {
    if value.is_finite() { json(Number::Double(value)) } else { "null".into() }
}

fn beyond(integer: i128) -> Option<(String, Value)> {
    (integer.unsigned_abs() > EXACT).then(|| ("exact".into(), Value::String(integer.to_string())))
}
