//! From JSON to columns: everything unknown, missing or of the wrong type is refused by its path.

use super::{Column, Source, Unnest};
use std::collections::HashSet;
use tessera_base::limits::{COLUMNS, SELECT_BYTES};
use tessera_base::{ErrorCode, Result, sentence};
use tessera_record::filter::request_reader::RequestReader;
use tessera_record::{MapRef, Path, ValueRef};

/// `item`: what an unnested item is called.
pub(super) fn columns(json: &[u8], item: Option<&str>) -> Result<Vec<Column>> {
    RequestReader::read(json, "select", SELECT_BYTES, ErrorCode::QueryInvalid, |reader, value| {
        let ValueRef::List(wanted) = value else { return Err(reader.fault(sentence!("must be a list of columns"))) };
        let (mut columns, mut names) = (Vec::new(), HashSet::new());
        for (at, wanted) in wanted.iter().enumerate() {
            if at >= COLUMNS {
                return Err(reader.fault(sentence!("must have at most {most} columns", most = COLUMNS)));
            }
            let column = reader.item(at, |reader| {
                let column = column(reader, &wanted, item)?;
                if names.insert(column.name.clone()) {
                    return Ok(column);
                }
                Err(reader.fault(sentence!("two columns have the name \"{name}\"; rename one with 'as'", name = column.name)))
            })?;
            columns.push(column);
        }
        // Where no column is of the item, the row has all of it beside them.
        let whole = item.filter(|_| !columns.iter().any(Column::of_item));
        match whole.filter(|name| names.contains(*name)) {
            Some(name) => {
                Err(reader.fault(sentence!("a column and the item both have the name \"{name}\"; rename one with 'as'", name = name)))
            }
            None => Ok(columns),
        }
    })
}

pub(super) fn unnest(json: &[u8]) -> Result<Unnest> {
    RequestReader::read(json, "unnest", SELECT_BYTES, ErrorCode::QueryInvalid, |reader, value| {
        let ValueRef::Map(fields) = value else { return Err(reader.fault(sentence!("must be an object with 'bin' and 'as'"))) };
        let (bin, path, name) = parts(reader, *fields)?;
        Ok(Unnest { bin, path, name: name.ok_or_else(|| reader.missing(b"as"))? })
    })
}

fn column(reader: &mut RequestReader, wanted: &ValueRef<'_>, item: Option<&str>) -> Result<Column> {
    if let ValueRef::Map(fields) = wanted
        && fields.get(b"expr").is_some()
    {
        return expression(reader, *fields, item);
    }
    let (bin, path, name) = match wanted {
        ValueRef::String(_) => (reader.bin(wanted)?, Path::default(), None),
        ValueRef::Map(fields) => parts(reader, *fields)?,
        _ => return Err(reader.fault(sentence!("must be the name of a bin, or an object with 'bin' or 'expr'"))),
    };
    let name = match (name, path.last_key()) {
        (Some(name), _) => name,
        (None, None) => bin.clone(),
        (None, Some(last)) => {
            let last = String::from_utf8_lossy(last);
            tessera_base::limits::check_bin_name(&last).map_err(|_| reader.missing(b"as"))?;
            last.into()
        }
    };
    let source = if item == Some(&*bin) { Source::Item } else { Source::Bin(bin) };
    Ok(Column { name, source, path })
}

/// `expr` and `as`.
fn expression(reader: &mut RequestReader, fields: MapRef<'_>, item: Option<&str>) -> Result<Column> {
    let known: [&[u8]; 2] = [b"expr", b"as"];
    if let Some((other, _)) = fields.iter().find(|(field, _)| !known.contains(field)) {
        return Err(reader.wrong(other, sentence!("unknown; a column with an expression has expr and as")));
    }
    let expression = fields.get(b"expr").ok_or_else(|| reader.missing(b"expr"))?;
    let expression = Box::new(reader.step(b"expr", |reader| reader.expression(&expression))?);
    let name = match fields.get(b"as") {
        Some(name) => reader.step(b"as", |reader| reader.bin(&name))?,
        None => {
            let name = expression.name().filter(|name| tessera_base::limits::check_bin_name(name).is_ok());
            name.ok_or_else(|| reader.missing(b"as"))?.into()
        }
    };
    let of_item = item.is_some_and(|item| expression.reads_bin(item));
    Ok(Column { name, source: Source::Expression { expression, of_item }, path: Path::default() })
}

/// `bin`, `path` and `as` of an object that has nothing else.
fn parts(reader: &mut RequestReader, fields: MapRef<'_>) -> Result<(Box<str>, Path, Option<Box<str>>)> {
    let known: [&[u8]; 3] = [b"bin", b"path", b"as"];
    if let Some((other, _)) = fields.iter().find(|(field, _)| !known.contains(field)) {
        return Err(reader.wrong(other, sentence!("unknown; a column has bin, path and as")));
    }
    let bin = fields.get(b"bin").ok_or_else(|| reader.missing(b"bin"))?;
    let bin = reader.step(b"bin", |reader| reader.bin(&bin))?;
    let path = fields.get(b"path").map(|path| reader.step(b"path", |reader| reader.keys(&path))).transpose()?;
    let name = fields.get(b"as").map(|name| reader.step(b"as", |reader| reader.bin(&name))).transpose()?;
    Ok((bin, path.unwrap_or_default(), name))
}
