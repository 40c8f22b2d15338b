//! From JSON to steps. Each form inside a step is read by what reads it in a query; what is wrong is named by its path from `steps`.

use super::pipeline::{End, Pipeline, PipelineStep, Placed};
use crate::aggregate::Aggregates;
use crate::output::{ORDERED_MOST, Order, Rows};
use std::sync::Arc;
use tessera_base::limits::{STREAM_BYTES, STREAM_STEPS};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::filter::Filter;
use tessera_record::filter::request_reader::RequestReader;
use tessera_record::json::{Shape, write_string, write_value};
use tessera_record::{MapRef, ValueRef};

const NAMES: &str = "filter, map, flatMap, distinct, sort, limit, count, reduce, groupBy";

/// A step as it is read.
enum Read {
    Step(PipelineStep),
    End(End),
}

impl Pipeline {
    /// Compiles a JSON list of steps.
    ///
    /// # Errors
    /// `stream_invalid`, naming the field at fault as a path from `steps`; what the forms of the steps refuse, by such a path too; what
    /// reading JSON refuses.
    pub fn compile(json: &[u8]) -> Result<Self> {
        pipeline(json)
    }
}

fn pipeline(json: &[u8]) -> Result<Pipeline> {
    RequestReader::read(json, "steps", STREAM_BYTES, ErrorCode::StreamInvalid, |reader, value| {
        let ValueRef::List(items) = value else { return Err(reader.fault(sentence!("must be a list of steps"))) };
        let (mut first, mut steps, mut end) = (Vec::new(), Vec::new(), None);
        for (at, item) in items.iter().enumerate() {
            if at >= STREAM_STEPS {
                return Err(reader.fault(sentence!("must have at most {most} steps", most = STREAM_STEPS)));
            }
            let read = reader.item(at, |reader| match &end {
                None => step(reader, at, &item),
                Some(_) => Err(reader.fault(sentence!("count, reduce and groupBy must be the last step"))),
            })?;
            match read {
                Read::Step(PipelineStep::Filter(filter)) if steps.is_empty() => first.push(Arc::unwrap_or_clone(filter)),
                Read::Step(step) => steps.push(Placed { at, it: step }),
                Read::End(last) => end = Some(Placed { at, it: last }),
            }
        }
        let filter = Filter::all(first).map(Arc::new);
        let end = end.unwrap_or(Placed { at: items.iter().count(), it: End::Elements });
        Ok(Pipeline { filter, steps, end })
    })
}

fn step(reader: &mut RequestReader, at: usize, value: &ValueRef<'_>) -> Result<Read> {
    let ValueRef::Map(fields) = value else { return Err(reader.fault(sentence!("must be an object with one of {names}", names = NAMES))) };
    let mut fields = fields.iter();
    let Some((name, value)) = fields.next() else { return Err(reader.fault(sentence!("must have one of {names}", names = NAMES))) };
    if let Some((other, _)) = fields.next() {
        return Err(reader.wrong(other, sentence!("a step must have one member; write another step for it")));
    }
    let path = format!("steps[{at}].{}", String::from_utf8_lossy(name));
    Ok(match name {
        b"filter" => Read::Step(PipelineStep::Filter(Filter::compile(&text(&value)).map_err(|error| moved(error, "where", &path))?.into())),
        b"map" => Read::Step(PipelineStep::Map(rows(Rows::compile(Some(&text(&value)), None), "select", &path)?)),
        b"flatMap" => Read::Step(PipelineStep::FlatMap(rows(Rows::compile(None, Some(&text(&value))), "unnest", &path)?)),
        b"distinct" => reader.step(name, |reader| truth(reader, &value)).map(|()| Read::Step(PipelineStep::Distinct))?,
        b"sort" => reader.step(name, |reader| sort(reader, &value, &path)).map(Read::Step)?,
        b"limit" => match value {
            ValueRef::Int(most @ 1..) => Read::Step(PipelineStep::Limit(most as u64)),
            _ => return Err(reader.wrong(name, sentence!("must be a whole number, 1 or more"))),
        },
        b"count" => reader.step(name, |reader| truth(reader, &value)).map(|()| Read::End(End::Count))?,
        b"reduce" => {
            let aggregates = Aggregates::compile(&text(&value)).map_err(|error| moved(error, "aggregate", &path))?;
            Read::End(End::Reduce(aggregates.into()))
        }
        b"groupBy" => reader.step(name, |reader| group(reader, &value, &path)).map(Read::End)?,
        _ => return Err(reader.wrong(name, sentence!("unknown; a step has one of {names}", names = NAMES))),
    })
}

fn truth(reader: &RequestReader, value: &ValueRef<'_>) -> Result<()> {
    if matches!(value, ValueRef::Bool(true)) {
        Ok(())
    } else {
        Err(reader.fault(sentence!("must be true; to turn it off, leave the step out")))
    }
}

fn rows(compiled: Result<Rows>, form: &str, path: &str) -> Result<Arc<Rows>> {
    compiled.map(Arc::new).map_err(|error| moved(error, form, path))
}

fn sort(reader: &RequestReader, value: &ValueRef<'_>, path: &str) -> Result<PipelineStep> {
    let ValueRef::Map(fields) = value else { return Err(reader.fault(sentence!("must be an object with 'bin' or 'meta', and 'limit'"))) };
    let order = Order::compile(&without(*fields, b"limit")).map_err(|error| moved(error, "order", path))?;
    match fields.get(b"limit") {
        Some(ValueRef::Int(limit)) if (1..=ORDERED_MOST as i64).contains(&limit) => Ok(PipelineStep::Sort(order, limit as u64)),
        _ => {
            let message = sentence!("{path}.limit: a sort needs a limit from 1 to {most}", path = path, most = ORDERED_MOST);
            Err(Error::said(ErrorCode::OrderNeedsLimit, message).in_field(format!("{path}.limit")))
        }
    }
}

fn group(reader: &RequestReader, value: &ValueRef<'_>, path: &str) -> Result<End> {
    let ValueRef::Map(fields) = value else {
        return Err(reader.fault(sentence!("must be an object with 'by' and, optionally, 'aggregate'")));
    };
    // Of each group its elements, unless something else is asked.
    let aggregate = fields.get(b"aggregate").map_or_else(|| br#"{"elements":{"op":"count"}}"#.to_vec(), |aggregate| text(&aggregate));
    let below = format!("{path}.aggregate");
    let aggregates = Aggregates::compile(&aggregate).map_err(|error| moved(error, "aggregate", &below))?;
    let by = without(*fields, b"aggregate");
    let grouped = aggregates.by_group(&by).map_err(|error| match error.code {
        ErrorCode::AggregateInvalid => moved(error, "aggregate", &below),
        _ => moved(error, "group", path),
    });
    Ok(End::Group(grouped?.into()))
}

/// A value as JSON, as the forms are read.
fn text(value: &ValueRef<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    write_value(&mut text, *value, Shape::Record);
    text
}

/// An object as JSON, without one of its fields.
fn without(fields: MapRef<'_>, name: &[u8]) -> Vec<u8> {
    let mut text = vec![b'{'];
    for (field, value) in fields.iter().filter(|(field, _)| *field != name) {
        if text.len() > 1 {
            text.push(b',');
        }
        write_string(&mut text, field);
        text.push(b':');
        write_value(&mut text, value, Shape::Record);
    }
    text.push(b'}');
    text
}

/// An error of a form, named by where the form stands here instead of by the form's own name.
pub(super) fn moved(mut error: Error, form: &str, path: &str) -> Error {
    let inside = |text: &str| {
        let rest = text.strip_prefix(form)?;
        (rest.is_empty() || rest.starts_with(['.', '[', ':'])).then(|| format!("{path}{rest}"))
    };
    error.field = Some(error.field.as_deref().and_then(inside).unwrap_or_else(|| path.to_owned()));
    if let Some(message) = inside(&error.message) {
        error.said = error.said.map(|said| said.with_text("path", |text| inside(text)).into());
        error.message = message;
    }
    error
}
