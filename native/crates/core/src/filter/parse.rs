//! From JSON to a filter: everything unknown, missing or of the wrong type is refused by its path.

use std::cmp::Ordering;
use std::fmt::Write;

use super::Node;
use super::test::{Contains, In, Op, Operand, Test};
use crate::error::{Error, ErrorCode, Result};
use crate::limits::{self, FILTER_BYTES, FILTER_DEPTH, FILTER_TESTS};
use crate::record::json::parse_value;
use crate::record::{MapRef, Path, ValueRef};

const LESS: &[Ordering] = &[Ordering::Less];
const AT_MOST: &[Ordering] = &[Ordering::Less, Ordering::Equal];
const GREATER: &[Ordering] = &[Ordering::Greater];
const AT_LEAST: &[Ordering] = &[Ordering::Greater, Ordering::Equal];

pub(super) fn filter(json: &[u8]) -> Result<Node> {
    if json.len() > FILTER_BYTES {
        return Err(Error::new(ErrorCode::FilterInvalid, format!("a filter has at most {FILTER_BYTES} bytes")).in_field("where"));
    }
    let mut encoded = Vec::new();
    parse_value(json, &mut encoded).map_err(|error| if error.field.is_none() { error.in_field("where") } else { error })?;
    Parser { path: "where".into(), tests: 0 }.node(&ValueRef::of(&encoded), 0)
}

struct Parser {
    /// Where we are, for messages: `where.and[1]`.
    path: String,
    tests: usize,
}

impl Parser {
    fn node(&mut self, value: &ValueRef<'_>, depth: usize) -> Result<Node> {
        let ValueRef::Map(fields) = value else { return Err(self.fault("a filter is an object")) };
        if depth > FILTER_DEPTH {
            return Err(self.fault(&format!("filters nest at most {FILTER_DEPTH} deep")));
        }
        let mut names = fields.iter();
        match names.next() {
            Some((name @ (b"and" | b"or" | b"not"), value)) => {
                if let Some((other, _)) = names.next() {
                    return Err(self.within(other, |p| p.fault("beside 'and', 'or' or 'not' there is nothing else")));
                }
                drop(names);
                self.step(name, |p| match name {
                    b"and" => p.parts(&value, depth).map(Node::And),
                    b"or" => p.parts(&value, depth).map(Node::Or),
                    _ => p.node(&value, depth + 1).map(|part| Node::Not(part.into())),
                })
            }
            Some(_) => self.test(*fields).map(Node::Test),
            None => Err(self.fault("an empty filter; leave 'where' out to match every record")),
        }
    }

    fn parts(&mut self, value: &ValueRef<'_>, depth: usize) -> Result<Vec<Node>> {
        let ValueRef::List(items) = value else { return Err(self.fault("a list of filters")) };
        let mut parts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let length = self.path.len();
            let _ = write!(self.path, "[{at}]");
            parts.push(self.node(&item, depth + 1)?);
            self.path.truncate(length);
        }
        if parts.is_empty() {
            return Err(self.fault("at least one filter"));
        }
        parts.sort_by_key(Node::cost);
        Ok(parts)
    }

    fn test(&mut self, fields: MapRef<'_>) -> Result<Test> {
        self.tests += 1;
        if self.tests > FILTER_TESTS {
            return Err(self.fault(&format!("a filter has at most {FILTER_TESTS} tests")));
        }
        let (mut bin, mut op, mut path, mut value) = (None, None, Path::default(), None);
        for (name, field) in fields.iter() {
            match name {
                b"bin" => bin = Some(self.step(name, |p| p.bin(&field))?),
                b"op" => op = Some(self.step(name, |p| p.text(&field).map(str::to_owned))?),
                b"path" => path = self.step(name, |p| p.keys(&field))?,
                b"value" => value = Some(field),
                _ => return Err(self.within(name, |p| p.fault("unknown; a test has 'bin', 'op', 'value' and 'path'"))),
            }
        }
        let bin = bin.ok_or_else(|| self.within(b"bin", |p| p.fault("is missing")))?;
        let op = op.ok_or_else(|| self.within(b"op", |p| p.fault("is missing")))?;
        Ok(Test { bin, path, op: self.op(&op, value)? })
    }

    fn op(&mut self, name: &str, value: Option<ValueRef<'_>>) -> Result<Op> {
        if name == "exists" {
            return match value {
                None | Some(ValueRef::Bool(true)) => Ok(Op::Exists(true)),
                Some(ValueRef::Bool(false)) => Ok(Op::Exists(false)),
                Some(_) => Err(self.within(b"value", |p| p.fault("true or false"))),
            };
        }
        let known = ["eq", "ne", "lt", "le", "gt", "ge", "in", "prefix", "contains"];
        if !known.contains(&name) {
            return Err(self.within(b"op", |p| p.fault(&format!("one of {}, exists", known.join(", ")))));
        }
        let value = value.ok_or_else(|| self.within(b"value", |p| p.fault("is missing")))?;
        let operand = Operand::new(&value.to_value());
        self.step(b"value", |p| match name {
            "eq" => Ok(Op::Equal(operand)),
            "ne" => Ok(Op::NotEqual(operand)),
            "lt" => p.ordered(LESS, operand),
            "le" => p.ordered(AT_MOST, operand),
            "gt" => p.ordered(GREATER, operand),
            "ge" => p.ordered(AT_LEAST, operand),
            "in" => match value {
                ValueRef::List(items) => Ok(Op::In(In::new(items.iter().map(|item| Operand::new(&item.to_value()))))),
                _ => Err(p.fault("a list of values")),
            },
            "prefix" => p.text(&value).map(|text| Op::Prefix(text.as_bytes().into())),
            _ => Ok(Op::Contains(Contains::new(operand).into())),
        })
    }

    fn ordered(&self, orders: &'static [Ordering], operand: Operand) -> Result<Op> {
        match operand.value() {
            ValueRef::Int(_) | ValueRef::Double(_) | ValueRef::String(_) | ValueRef::Bytes(_) => Ok(Op::Order(orders, operand)),
            _ => Err(self.fault("a number, a string or bytes, which have an order")),
        }
    }

    fn bin(&self, value: &ValueRef<'_>) -> Result<Box<str>> {
        let name = self.text(value)?;
        limits::check_bin_name(name).map_err(|error| self.fault(&error.message))?;
        Ok(name.into())
    }

    /// `"a.b"`, or `["a", "b"]` for keys that hold a dot themselves.
    fn keys(&self, value: &ValueRef<'_>) -> Result<Path> {
        let path = match value {
            ValueRef::String(_) => Path::parse(self.text(value)?),
            ValueRef::List(items) if !items.is_empty() => {
                let keys: Vec<&str> = items.iter().map(|item| self.text(&item)).collect::<Result<_>>()?;
                Path::of_keys(keys.into_iter())
            }
            _ => return Err(self.fault("keys joined by dots, or a list of keys")),
        };
        path.map_err(|error| self.fault(&error.message))
    }

    fn text<'v>(&self, value: &ValueRef<'v>) -> Result<&'v str> {
        match value {
            ValueRef::String(text) => std::str::from_utf8(text).map_err(|_| self.fault("a string")),
            _ => Err(self.fault("a string")),
        }
    }

    /// Goes into a field and, when all is well, out again.
    fn step<T>(&mut self, name: &[u8], inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let length = self.path.len();
        let _ = write!(self.path, ".{}", String::from_utf8_lossy(name));
        let result = inside(self);
        self.path.truncate(length);
        result
    }

    fn within(&mut self, name: &[u8], error: impl FnOnce(&Self) -> Error) -> Error {
        let _ = write!(self.path, ".{}", String::from_utf8_lossy(name));
        error(self)
    }

    fn fault(&self, expected: &str) -> Error {
        Error::new(ErrorCode::FilterInvalid, format!("{}: {expected}", self.path)).in_field(self.path.clone())
    }
}
