//! From JSON to a filter: everything unknown, missing or of the wrong type is refused by its path.

use std::cmp::Ordering;

use super::field::Field;
use super::operand::Operand;
use super::request_reader::RequestReader;
use super::test::{Contains, Each, ExpressionTest, Has, In, Members, MetaTest, Op, Test};
use super::{Filter, Node};
use crate::compare::order;
use crate::json::parse_time;
use crate::{MapRef, Path, Value, ValueRef};
use tessera_base::limits::{FILTER_BYTES, FILTER_DEPTH, FILTER_TESTS};
use tessera_base::{ErrorCode, Result, sentence};

const LESS: &[Ordering] = &[Ordering::Less];
const AT_MOST: &[Ordering] = &[Ordering::Less, Ordering::Equal];
const GREATER: &[Ordering] = &[Ordering::Greater];
const AT_LEAST: &[Ordering] = &[Ordering::Greater, Ordering::Equal];

pub(super) fn filter(json: &[u8]) -> Result<Filter> {
    RequestReader::read(json, "where", FILTER_BYTES, ErrorCode::FilterInvalid, RequestReader::filter)
}

impl RequestReader {
    /// Reads a filter, where it stands.
    pub fn filter(&mut self, value: &ValueRef<'_>) -> Result<Filter> {
        self.node(value, 0).map(Filter::new)
    }

    fn node(&mut self, value: &ValueRef<'_>, depth: usize) -> Result<Node> {
        let ValueRef::Map(fields) = value else { return Err(self.fault(sentence!("a filter must be an object"))) };
        if depth > FILTER_DEPTH {
            return Err(self.fault(sentence!("a filter must nest at most {most} deep", most = FILTER_DEPTH)));
        }
        let mut names = fields.iter();
        match names.next() {
            Some((name @ (b"and" | b"or" | b"not"), value)) => {
                if let Some((other, _)) = names.next() {
                    return Err(self.wrong(other, sentence!("not allowed together with 'and', 'or' or 'not'")));
                }
                drop(names);
                self.step(name, |p| match name {
                    b"and" => p.parts(&value, depth).map(Node::And),
                    b"or" => p.parts(&value, depth).map(Node::Or),
                    _ => p.node(&value, depth + 1).map(|part| Node::Not(part.into())),
                })
            }
            Some(_) => self.test(*fields),
            None => Err(self.fault(sentence!("an empty filter; leave 'where' out to match every record"))),
        }
    }

    fn parts(&mut self, value: &ValueRef<'_>, depth: usize) -> Result<Vec<Node>> {
        let ValueRef::List(items) = value else { return Err(self.fault(sentence!("must be a list of filters"))) };
        let mut parts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            parts.push(self.item(at, |p| p.node(&item, depth + 1))?);
        }
        if parts.is_empty() {
            return Err(self.fault(sentence!("must have at least one filter")));
        }
        parts.sort_by_key(Node::cost);
        Ok(parts)
    }

    fn test(&mut self, fields: MapRef<'_>) -> Result<Node> {
        self.count += 1;
        if self.count > FILTER_TESTS {
            return Err(self.fault(sentence!("a filter must have at most {most} tests", most = FILTER_TESTS)));
        }
        if fields.get(b"expr").is_some() {
            return self.expression_test(fields);
        }
        let (mut bin, mut meta, mut modulo, mut each, mut op, mut path, mut value) = (None, None, None, None, None, None, None);
        for (name, field) in fields.iter() {
            match name {
                b"bin" => bin = Some(self.step(name, |p| p.bin(&field))?),
                b"meta" => meta = Some(self.step(name, |p| p.text(&field).map(str::to_owned))?),
                b"modulo" => modulo = Some(field),
                b"any" | b"all" if each.is_some() => return Err(self.wrong(name, sentence!("use either 'any' or 'all'"))),
                b"any" | b"all" => {
                    let members = self.step(name, |p| p.members(&field))?;
                    each = Some(Each { members, all: name == b"all" });
                }
                b"op" => op = Some(self.step(name, |p| p.text(&field).map(str::to_owned))?),
                b"path" => path = Some(self.step(name, |p| p.steps(&field))?),
                b"value" => value = Some(field),
                _ => {
                    return Err(self
                        .wrong(name, sentence!("unknown; a test has 'bin', 'meta' or 'expr', 'op', 'value', 'path' and 'any' or 'all'")));
                }
            }
        }
        let Some(meta) = meta else {
            let whole = bin.is_none() && path.is_none() && each.is_none() && modulo.is_none() && op.as_deref() == Some("contains");
            if let Some(value) = value.as_ref().filter(|_| whole) {
                return self.step(b"value", |p| p.contained_bins(value));
            }
            let bin = bin.ok_or_else(|| self.missing(b"bin"))?;
            if modulo.is_some() {
                return Err(self.wrong(b"modulo", sentence!("only for the digest")));
            }
            let op = op.ok_or_else(|| self.missing(b"op"))?;
            return Ok(Node::Test(Test { bin, path: path.unwrap_or_else(Path::default), each, op: self.op(&op, value)? }));
        };
        if bin.is_some() || path.is_some() || each.is_some() {
            return Err(self.wrong(b"meta", sentence!("a test of metadata has no 'bin', 'path', 'any' or 'all'")));
        }
        let field = Field::read(self, &meta, modulo)?;
        let op = op.ok_or_else(|| self.missing(b"op"))?;
        if ["contains", "has", "hasAny", "hasAll"].contains(&op.as_str()) {
            return Err(self.wrong(b"op", sentence!("metadata has no documents; use another operator")));
        }
        let operand = match value {
            Some(value) if op != "exists" => Some(self.step(b"value", |p| p.meta_operand(field, &value))?),
            Some(value) => Some(Operand::new(&value.to_value())),
            None => None,
        };
        Ok(Node::Meta(MetaTest { field, op: self.op(&op, operand.as_ref().map(Operand::value))? }))
    }

    fn expression_test(&mut self, fields: MapRef<'_>) -> Result<Node> {
        let (mut expression, mut op, mut value) = (None, None, None);
        for (name, field) in fields.iter() {
            match name {
                b"expr" => expression = Some(self.step(name, |p| p.expression(&field))?),
                b"op" => op = Some(self.step(name, |p| p.text(&field).map(str::to_owned))?),
                b"value" => value = Some(field),
                _ => return Err(self.wrong(name, sentence!("a test of an expression has 'expr', 'op' and 'value'"))),
            }
        }
        let expression = expression.ok_or_else(|| self.missing(b"expr"))?;
        let op = op.ok_or_else(|| self.missing(b"op"))?;
        Ok(Node::Expression(Box::new(ExpressionTest { expression, op: self.op(&op, value)? })))
    }

    /// A record contains the wanted one when each of its bins does, as values of a map do: a scalar there contains its equals.
    fn contained_bins(&mut self, value: &ValueRef<'_>) -> Result<Node> {
        let ValueRef::Map(bins) = value else {
            return Err(self.fault(sentence!("must be an object of bins, because the test has no 'bin'")));
        };
        self.count += bins.iter().count().saturating_sub(1);
        if self.count > FILTER_TESTS || bins.is_empty() {
            return Err(self.fault(sentence!("must have at least one bin, and at most {most} tests in total", most = FILTER_TESTS)));
        }
        let mut parts = Vec::new();
        for (name, wanted) in bins.iter() {
            let bin = self.step(name, |p| p.bin(&ValueRef::String(name)))?;
            let operand = Operand::new(&wanted.to_value());
            let op = match wanted {
                ValueRef::List(_) | ValueRef::Map(_) => Op::Contains(Contains::new(operand).into()),
                _ => Op::Equal(operand),
            };
            parts.push(Node::Test(Test { bin, path: Path::default(), each: None, op }));
        }
        parts.sort_by_key(Node::cost);
        Ok(Node::And(parts))
    }

    fn members(&self, value: &ValueRef<'_>) -> Result<Members> {
        match self.text(value)? {
            "items" => Ok(Members::Items),
            "keys" => Ok(Members::Keys),
            "values" => Ok(Members::Values),
            _ => Err(self.fault(sentence!("must be one of items, keys, values"))),
        }
    }

    /// A value, or each of a list of them, of the kind that the field has; times become milliseconds.
    fn meta_operand(&self, field: Field, value: &ValueRef<'_>) -> Result<Operand> {
        let one = |value: &ValueRef<'_>| match (field, value) {
            (Field::Set, ValueRef::String(_)) | (Field::Key, ValueRef::Int(_) | ValueRef::String(_) | ValueRef::Bytes(_)) => {
                Ok(value.to_value())
            }
            (Field::Set, _) => Err(self.fault(sentence!("must be the name of a set"))),
            (Field::Key, _) => Err(self.fault(sentence!("must be a key: an integer, a string or bytes"))),
            (_, ValueRef::Int(_) | ValueRef::Double(_)) => Ok(value.to_value()),
            (field, ValueRef::String(_)) if field.is_time() => match parse_time(self.text(value)?) {
                Some(ms) => Ok(Value::Int(ms)),
                None => Err(self.fault(sentence!("must be a time as RFC 3339, such as 2026-01-31T23:59:59.999Z, or Unix milliseconds"))),
            },
            _ => Err(self.fault(sentence!("must be a number"))),
        };
        Ok(Operand::new(&match value {
            ValueRef::List(items) => Value::List(items.iter().map(|item| one(&item)).collect::<Result<_>>()?),
            value => one(value)?,
        }))
    }

    fn op(&mut self, name: &str, value: Option<ValueRef<'_>>) -> Result<Op> {
        if name == "exists" {
            return match value {
                None | Some(ValueRef::Bool(true)) => Ok(Op::Exists(true)),
                Some(ValueRef::Bool(false)) => Ok(Op::Exists(false)),
                Some(_) => Err(self.wrong(b"value", sentence!("must be true or false"))),
            };
        }
        let known = ["eq", "ne", "lt", "le", "gt", "ge", "between", "in", "prefix", "contains", "has", "hasAny", "hasAll"];
        if !known.contains(&name) {
            return Err(self.wrong(b"op", sentence!("must be one of {known}, exists", known = known.join(", "))));
        }
        let value = value.ok_or_else(|| self.missing(b"value"))?;
        let operand = Operand::new(&value.to_value());
        self.step(b"value", |p| match name {
            "eq" => Ok(Op::Equal(operand)),
            "ne" => Ok(Op::NotEqual(operand)),
            "lt" => p.ordered(LESS, operand),
            "le" => p.ordered(AT_MOST, operand),
            "gt" => p.ordered(GREATER, operand),
            "ge" => p.ordered(AT_LEAST, operand),
            "between" => p.between(&value),
            "in" => match value {
                ValueRef::List(items) => Ok(Op::In(In::new(items.iter().map(|item| Operand::new(&item.to_value()))))),
                _ => Err(p.fault(sentence!("must be a list of values"))),
            },
            "prefix" => p.text(&value).map(|text| Op::Prefix(text.as_bytes().into())),
            "has" => p.text(&value).map(|key| Op::Has(Has::new(vec![key.as_bytes().into()], true))),
            "hasAny" => p.strings(&value).map(|keys| Op::Has(Has::new(keys, false))),
            "hasAll" => p.strings(&value).map(|keys| Op::Has(Has::new(keys, true))),
            _ => Ok(Op::Contains(Contains::new(operand).into())),
        })
    }

    fn strings(&self, value: &ValueRef<'_>) -> Result<Vec<Box<[u8]>>> {
        let ValueRef::List(items) = value else { return Err(self.fault(sentence!("must be a list of strings"))) };
        items.iter().map(|item| self.text(&item).map(|text| text.as_bytes().into())).collect()
    }

    fn between(&self, value: &ValueRef<'_>) -> Result<Op> {
        let bounds: Vec<_> = match value {
            ValueRef::List(items) => items.iter().take(3).collect(),
            _ => Vec::new(),
        };
        let [low, high] = &bounds[..] else { return Err(self.fault(sentence!("must be a list of two values: lowest and highest"))) };
        for bound in [low, high] {
            self.ordered(AT_LEAST, Operand::new(&bound.to_value()))?;
        }
        if order(low, high).is_none() {
            return Err(self.fault(sentence!("must be two values of the same type")));
        }
        Ok(Op::Between(Operand::new(&low.to_value()), Operand::new(&high.to_value())))
    }

    fn ordered(&self, orders: &'static [Ordering], operand: Operand) -> Result<Op> {
        match operand.value() {
            ValueRef::Int(_) | ValueRef::Double(_) | ValueRef::String(_) | ValueRef::Bytes(_) => Ok(Op::Order(orders, operand)),
            _ => Err(self.fault(sentence!("must be a number, a string or bytes"))),
        }
    }
}
