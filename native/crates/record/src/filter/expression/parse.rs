//! From JSON to an expression: everything unknown, missing or of the wrong type is refused by its path.

use super::Expression;
use super::term::{Many, One, Term, Two};
use crate::filter::field::Field;
use crate::filter::operand::Operand;
use crate::filter::request_reader::RequestReader;
use crate::json::{Shape, write_value};
use crate::{MapRef, ValueRef};
use tessera_base::Result;
use tessera_base::Sentence;
use tessera_base::limits::{EXPRESSION_DEPTH, EXPRESSION_TERMS};
use tessera_base::sentence;

const OPERATORS: &str =
    "add, sub, mul, div, mod, neg, abs, floor, ceil, round, min, max, length, lower, upper, concat, substring, coalesce, if, is";

fn forms() -> Sentence {
    sentence!(
        "an expression: the name of a bin, a number, true or false, or an object with 'bin', 'meta', 'value' or one of {operators}",
        operators = OPERATORS
    )
}

impl RequestReader {
    /// Reads an expression, where it stands.
    pub fn expression(&mut self, value: &ValueRef<'_>) -> Result<Expression> {
        let root = self.term(value)?;
        let mut text = Vec::new();
        write_value(&mut text, *value, Shape::Record);
        Ok(Expression::new(root, String::from_utf8_lossy(&text).into()))
    }

    fn term(&mut self, value: &ValueRef<'_>) -> Result<Term> {
        self.terms += 1;
        if self.terms > EXPRESSION_TERMS {
            return Err(self.fault(sentence!("the expressions of a request must have at most {most} parts", most = EXPRESSION_TERMS)));
        }
        if self.depth >= EXPRESSION_DEPTH {
            return Err(self.fault(sentence!("an expression must nest at most {most} deep", most = EXPRESSION_DEPTH)));
        }
        match value {
            ValueRef::String(_) => self.bin(value).map(|bin| Term::Bin { bin, path: Default::default() }),
            ValueRef::Int(_) | ValueRef::Double(_) | ValueRef::Bool(_) => Ok(Term::Value(Operand::new(&value.to_value()))),
            ValueRef::Map(fields) => {
                self.depth += 1;
                let term = self.operation(*fields)?;
                self.depth -= 1;
                Ok(term)
            }
            _ => Err(self.fault(forms())),
        }
    }

    fn operation(&mut self, fields: MapRef<'_>) -> Result<Term> {
        let also: &[u8] = if fields.get(b"bin").is_some() {
            b"path"
        } else if fields.get(b"meta").is_some() {
            b"modulo"
        } else {
            b""
        };
        let mut others = fields.iter().filter(|(name, _)| *name != also || also.is_empty());
        let Some((name, of)) = others.next() else { return Err(self.fault(forms())) };
        if let Some((other, _)) = others.next() {
            return Err(self.wrong(other, sentence!("not allowed together with \"{name}\"", name = String::from_utf8_lossy(name))));
        }
        let also = fields.get(also).filter(|_| !also.is_empty());
        match name {
            b"bin" => {
                let bin = self.step(name, |reader| reader.bin(&of))?;
                let path = also.map(|path| self.step(b"path", |reader| reader.keys(&path))).transpose()?;
                return Ok(Term::Bin { bin, path: path.unwrap_or_default() });
            }
            b"meta" => {
                let field = self.step(name, |reader| reader.text(&of))?;
                return Field::read(self, field, also).map(Term::Meta);
            }
            _ => {}
        }
        let Some(operator) = Operator::of(name) else { return Err(self.wrong(name, forms())) };
        self.step(name, |reader| match operator {
            Operator::Value => Ok(Term::Value(Operand::new(&of.to_value()))),
            Operator::One(one) => reader.term(&of).map(|of| Term::One(one, of.into())),
            Operator::Two(two) => {
                let [a, b] = reader.exactly(&of, sentence!("a list of two expressions"))?;
                Ok(Term::Two(two, Box::new([reader.item(0, |reader| reader.term(&a))?, reader.item(1, |reader| reader.term(&b))?])))
            }
            Operator::Many(many) => {
                let ValueRef::List(items) = of else { return Err(reader.fault(sentence!("must be a list of expressions"))) };
                let mut parts = Vec::new();
                for (at, part) in items.iter().enumerate() {
                    parts.push(reader.item(at, |reader| reader.term(&part))?);
                }
                if parts.is_empty() {
                    Err(reader.fault(sentence!("must have at least one expression")))
                } else {
                    Ok(Term::Many(many, parts.into()))
                }
            }
            Operator::Substring => reader.substring(&of),
            Operator::If => {
                let [filter, then, otherwise] = reader.exactly(&of, sentence!("must be a list of a filter and two expressions"))?;
                let filter = reader.item(0, |reader| reader.filter(&filter))?;
                let then = reader.item(1, |reader| reader.term(&then))?;
                let otherwise = reader.item(2, |reader| reader.term(&otherwise))?;
                Ok(Term::If(filter.into(), Box::new([then, otherwise])))
            }
            Operator::Is => reader.filter(&of).map(|filter| Term::Is(filter.into())),
        })
    }

    fn substring(&mut self, of: &ValueRef<'_>) -> Result<Term> {
        let fault =
            || self.fault(sentence!("must be a list of an expression, the first position and, optionally, the number of characters"));
        let ValueRef::List(items) = of else { return Err(fault()) };
        let (of, from, count) = match &items.iter().take(4).collect::<Vec<_>>()[..] {
            [of, from] => (*of, *from, None),
            [of, from, count] => (*of, *from, Some(*count)),
            _ => return Err(fault()),
        };
        let of = self.item(0, |reader| reader.term(&of))?;
        let from = self.item(1, |reader| reader.term(&from))?;
        let count = count.map(|count| self.item(2, |reader| reader.term(&count))).transpose()?;
        Ok(Term::Substring(Box::new([of, from]), count.map(Box::new)))
    }

    fn exactly<'v, const N: usize>(&self, value: &ValueRef<'v>, expected: Sentence) -> Result<[ValueRef<'v>; N]> {
        let ValueRef::List(items) = value else { return Err(self.fault(expected)) };
        let items: Vec<ValueRef<'v>> = items.iter().take(N + 1).collect();
        items.try_into().map_err(|_| self.fault(expected))
    }
}

/// What an object's one field says is to be done with what is in it.
enum Operator {
    Value,
    One(One),
    Two(Two),
    Many(Many),
    Substring,
    If,
    Is,
}

impl Operator {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"value" => Self::Value,
            b"substring" => Self::Substring,
            b"if" => Self::If,
            b"is" => Self::Is,
            _ => {
                let one = || One::ALL.into_iter().find(|one| one.name().as_bytes() == name).map(Self::One);
                let two = || Two::ALL.into_iter().find(|two| two.name().as_bytes() == name).map(Self::Two);
                let many = || Many::ALL.into_iter().find(|many| many.name().as_bytes() == name).map(Self::Many);
                return one().or_else(two).or_else(many);
            }
        })
    }
}
