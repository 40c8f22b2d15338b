//! From JSON to aggregates: everything unknown, missing or of the wrong type is refused by its path.

use super::group::{By, Grouping};
use super::histogram::Buckets;
use super::{Kind, Number, Part, Source};
use std::cmp::Ordering;
use tessera_base::limits::{AGGREGATE_BYTES, AGGREGATES, BUCKETS, GROUPS};
use tessera_base::{ErrorCode, Result, sentence};
use tessera_record::filter::Field;
use tessera_record::filter::request_reader::RequestReader;
use tessera_record::{MapRef, Path, ValueRef};

pub(super) fn aggregates(json: &[u8]) -> Result<Vec<Part>> {
    RequestReader::read(json, "aggregate", AGGREGATE_BYTES, ErrorCode::AggregateInvalid, |reader, value| {
        let ValueRef::Map(fields) = value else { return Err(reader.fault(sentence!("must be an object of aggregates by name"))) };
        let mut parts = Vec::new();
        for (at, (name, value)) in fields.iter().enumerate() {
            if at >= AGGREGATES {
                return Err(reader.fault(sentence!("must have at most {most} aggregates", most = AGGREGATES)));
            }
            parts.push(reader.step(name, |reader| part(reader, String::from_utf8_lossy(name).into(), &value))?);
        }
        if parts.is_empty() { Err(reader.fault(sentence!("must have at least one aggregate"))) } else { Ok(parts) }
    })
}

pub(super) fn grouping(json: &[u8], parts: &[Part]) -> Result<Grouping> {
    RequestReader::read(json, "group", AGGREGATE_BYTES, ErrorCode::QueryInvalid, |reader, value| {
        let ValueRef::Map(fields) = value else { return Err(reader.fault(sentence!("must be an object with 'by'"))) };
        let known: [&[u8]; 4] = [b"by", b"top", b"order", b"desc"];
        if let Some((other, _)) = fields.iter().find(|(field, _)| !known.contains(field)) {
            return Err(reader.wrong(other, sentence!("unknown; a group has by, top, order and desc")));
        }
        let wanted = fields.get(b"by").ok_or_else(|| reader.missing(b"by"))?;
        let by = reader.step(b"by", |reader| group_values(reader, &wanted))?;
        let top = match fields.get(b"top") {
            None => GROUPS,
            Some(ValueRef::Int(top)) if (1..=GROUPS as i64).contains(&top) => top as usize,
            Some(_) => return Err(reader.wrong(b"top", sentence!("must be a whole number from 1 to {most}", most = GROUPS))),
        };
        let place = match fields.get(b"order") {
            None => 0,
            Some(order) => {
                let name = reader.step(b"order", |reader| reader.text(&order))?;
                let place = parts.iter().position(|part| *part.name == *name);
                place.ok_or_else(|| reader.wrong(b"order", sentence!("must be the name of an aggregate")))?
            }
        };
        let descending = match fields.get(b"desc") {
            None => true,
            Some(ValueRef::Bool(descending)) => descending,
            Some(_) => return Err(reader.wrong(b"desc", sentence!("must be true or false"))),
        };
        Ok(Grouping { by, order: (place, descending), top })
    })
}

fn group_values(reader: &mut RequestReader, wanted: &ValueRef<'_>) -> Result<Vec<By>> {
    let ValueRef::List(items) = wanted else { return Err(reader.fault(sentence!("must be a list of group keys"))) };
    let mut all: Vec<By> = Vec::new();
    for (at, wanted) in items.iter().enumerate() {
        if at >= AGGREGATES {
            return Err(reader.fault(sentence!("must have at most {most} group keys", most = AGGREGATES)));
        }
        let by = reader.item(at, |reader| {
            let by = group_value(reader, &wanted)?;
            let again = all.iter().any(|other| other.name == by.name);
            if again { Err(reader.fault(sentence!("two group keys have this name; rename one with 'as'"))) } else { Ok(by) }
        })?;
        all.push(by);
    }
    if all.is_empty() { Err(reader.fault(sentence!("must have at least one group key"))) } else { Ok(all) }
}

fn group_value(reader: &mut RequestReader, wanted: &ValueRef<'_>) -> Result<By> {
    let fields = match wanted {
        ValueRef::String(_) => {
            let bin = reader.bin(wanted)?;
            return Ok(By { name: bin.clone(), source: Source::Bin { bin, path: Path::default() } });
        }
        ValueRef::Map(fields) => *fields,
        _ => return Err(reader.fault(sentence!("must be the name of a bin, or an object with 'bin', 'meta' or 'expr'"))),
    };
    let known: [&[u8]; 6] = [b"bin", b"path", b"as", b"meta", b"modulo", b"expr"];
    if let Some((other, _)) = fields.iter().find(|(field, _)| !known.contains(field)) {
        return Err(reader.wrong(other, sentence!("unknown; a group key has bin, path, meta, modulo, expr and as")));
    }
    let source = source(reader, fields)?.ok_or_else(|| reader.missing(b"bin"))?;
    let name = match (fields.get(b"as"), &source) {
        (Some(name), _) => reader.step(b"as", |reader| reader.bin(&name))?,
        (None, Source::Bin { bin, path }) => path.last_key().map_or_else(|| bin.clone(), |last| String::from_utf8_lossy(last).into()),
        (None, Source::Meta(field)) => field.name().into(),
        (None, Source::Expression(expression)) => expression.name().ok_or_else(|| reader.missing(b"as"))?.into(),
    };
    Ok(By { name, source })
}

fn part(reader: &mut RequestReader, name: Box<str>, value: &ValueRef<'_>) -> Result<Part> {
    let ValueRef::Map(fields) = value else { return Err(reader.fault(sentence!("must be an object with 'op'"))) };
    let op = fields.get(b"op").ok_or_else(|| reader.missing(b"op"))?;
    let op = reader.step(b"op", |reader| reader.text(&op))?;
    let histogram: &[&[u8]] = if op == "histogram" { &[b"bounds", b"width", b"from", b"buckets", b"min", b"max"] } else { &[] };
    let known: [&[u8]; 6] = [b"op", b"bin", b"path", b"meta", b"modulo", b"expr"];
    if let Some((other, _)) = fields.iter().find(|(field, _)| !known.contains(field) && !histogram.contains(field)) {
        return Err(reader.wrong(other, sentence!("unknown; this aggregate has no such field")));
    }
    let source = source(reader, *fields)?;
    let kind = match op {
        "count" => Kind::Count,
        "sum" => Kind::Sum,
        "min" => Kind::Min,
        "max" => Kind::Max,
        "avg" => Kind::Average,
        "distinct" => Kind::Distinct,
        "histogram" => Kind::Histogram(buckets(reader, *fields)?.into()),
        _ => return Err(reader.wrong(b"op", sentence!("must be one of count, sum, min, max, avg, distinct, histogram"))),
    };
    if source.is_none() && !matches!(kind, Kind::Count) {
        return Err(reader.missing(b"bin"));
    }
    Ok(Part { name, source, kind })
}

fn source(reader: &mut RequestReader, fields: MapRef<'_>) -> Result<Option<Source>> {
    let path = fields.get(b"path").map(|path| reader.step(b"path", |reader| reader.keys(&path))).transpose()?;
    let modulo = fields.get(b"modulo");
    if let Some(expression) = fields.get(b"expr") {
        let others: [&[u8]; 4] = [b"bin", b"path", b"meta", b"modulo"];
        if let Some(other) = others.into_iter().find(|other| fields.get(other).is_some()) {
            return Err(reader.wrong(other, sentence!("not allowed together with 'expr'")));
        }
        let expression = reader.step(b"expr", |reader| reader.expression(&expression))?;
        return Ok(Some(Source::Expression(expression.into())));
    }
    match (fields.get(b"bin"), fields.get(b"meta")) {
        (Some(_), Some(_)) => Err(reader.wrong(b"meta", sentence!("use either 'bin' or 'meta'"))),
        (Some(_), None) if modulo.is_some() => Err(reader.wrong(b"modulo", sentence!("only for the digest"))),
        (Some(bin), None) => {
            let bin = reader.step(b"bin", |reader| reader.bin(&bin))?;
            Ok(Some(Source::Bin { bin, path: path.unwrap_or_default() }))
        }
        (None, _) if path.is_some() => Err(reader.wrong(b"path", sentence!("only for a bin"))),
        (None, Some(meta)) => {
            let name = reader.step(b"meta", |reader| reader.text(&meta))?;
            Ok(Some(Source::Meta(Field::read(reader, name, modulo)?)))
        }
        (None, None) if modulo.is_some() => Err(reader.wrong(b"modulo", sentence!("only for the digest"))),
        (None, None) => Ok(None),
    }
}

fn buckets(reader: &mut RequestReader, fields: MapRef<'_>) -> Result<Buckets> {
    let mut number = |name: &[u8]| {
        let read = |value| reader.step(name, |reader| Number::of(&value).ok_or_else(|| reader.fault(sentence!("must be a number"))));
        fields.get(name).map(read).transpose()
    };
    let (width, from, count, min, max) = (number(b"width")?, number(b"from")?, number(b"buckets")?, number(b"min")?, number(b"max")?);
    match (fields.get(b"bounds"), width, from, count, min, max) {
        (Some(bounds), None, None, None, None, None) => reader.step(b"bounds", |reader| given(reader, &bounds)).map(Buckets::Bounds),
        (None, Some(width), from, None, None, None) => {
            if width.order(Number::Int(0)) != Some(Ordering::Greater) {
                return Err(reader.wrong(b"width", sentence!("must be more than 0")));
            }
            Ok(Buckets::Width { width, from: from.unwrap_or(Number::Int(0)) })
        }
        (None, None, None, Some(count), Some(min), Some(max)) => {
            let Number::Int(count @ 1..) = count else {
                return Err(reader.wrong(b"buckets", sentence!("must be a whole number, 1 or more")));
            };
            let bounds = equal(count, min, max);
            reader.step(b"buckets", |reader| rising(reader, bounds)).map(Buckets::Bounds)
        }
        _ => Err(reader.fault(sentence!("a histogram needs 'bounds', or 'width' (and 'from'), or 'buckets', 'min' and 'max'"))),
    }
}

fn given(reader: &mut RequestReader, bounds: &ValueRef<'_>) -> Result<Vec<Number>> {
    let ValueRef::List(items) = bounds else { return Err(reader.fault(sentence!("must be a list of numbers"))) };
    let mut numbers = Vec::new();
    for (at, item) in items.iter().enumerate() {
        numbers.push(reader.item(at, |reader| Number::of(&item).ok_or_else(|| reader.fault(sentence!("must be a number"))))?);
    }
    rising(reader, numbers)
}

/// `count` equal buckets; whole numbers stay whole where they can.
fn equal(count: i64, min: Number, max: Number) -> Vec<Number> {
    // One more than may be is refused like any other list that is too long.
    let count = count.min(BUCKETS as i64 + 1);
    (0..=count)
        .map(|at| match (min, max) {
            (Number::Int(min), Number::Int(max)) if (i128::from(max) - i128::from(min)) % i128::from(count) == 0 => {
                let step = (i128::from(max) - i128::from(min)) / i128::from(count);
                Number::Int((i128::from(min) + step * i128::from(at)) as i64)
            }
            _ if at == count => max,
            _ => Number::Double(min.as_double() + (max.as_double() - min.as_double()) * (at as f64 / count as f64)),
        })
        .collect()
}

fn rising(reader: &RequestReader, bounds: Vec<Number>) -> Result<Vec<Number>> {
    if !(2..=BUCKETS + 1).contains(&bounds.len()) {
        return Err(reader.fault(sentence!("must have 1 to {most} buckets", most = BUCKETS)));
    }
    if bounds.windows(2).any(|pair| pair[0].order(pair[1]) != Some(Ordering::Less)) {
        return Err(reader.fault(sentence!("each bound must be greater than the one before")));
    }
    Ok(bounds)
}
