//! A filter as text for people: of one that took long, and of its shape.

use super::expression::Term;
use super::field::Field;
use super::test::{Each, Members, Op};
use super::{Filter, Node};
use crate::json::{self, Shape};
use crate::{Path, PathStep, ValueRef};
use std::cmp::Ordering;
use std::fmt::{self, Write};

impl Filter {
    /// The filter in at most so many bytes, `…` at the end of one that is longer.
    pub fn describe(&self, most: usize) -> String {
        self.text(true, most)
    }

    /// As `describe`, each value being `?`: filters of one shape ask the same of other values.
    pub fn shape(&self, most: usize) -> String {
        self.text(false, most)
    }

    fn text(&self, values: bool, most: usize) -> String {
        let mut text = Text { out: String::new(), most, values };
        // The only error is that the text is full.
        let _ = text.node(self.root(), true);
        text.out
    }
}

/// Text that refuses more than it has room for.
struct Text {
    out: String,
    most: usize,
    values: bool,
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        const CUT: &str = "…";
        if self.out.len() + part.len() + CUT.len() <= self.most {
            self.out.push_str(part);
            return Ok(());
        }
        let room = self.most.saturating_sub(self.out.len() + CUT.len());
        self.out.push_str(tessera_base::prefix(part, room));
        self.out.push_str(CUT);
        Err(fmt::Error)
    }
}

impl Text {
    fn node(&mut self, node: &Node, alone: bool) -> fmt::Result {
        match node {
            Node::And(parts) => self.joined(parts, " and ", alone),
            Node::Or(parts) => self.joined(parts, " or ", alone),
            Node::Not(part) => {
                self.write_str("not (")?;
                self.node(part, true)?;
                self.write_str(")")
            }
            Node::Test(test) => {
                self.bin(&test.bin, &test.path)?;
                test.each.map_or(Ok(()), |each| self.each(each))?;
                self.op(&test.op)
            }
            Node::Meta(test) => {
                self.meta(test.field)?;
                self.op(&test.op)
            }
            Node::Expression(test) => {
                self.term(test.expression.root())?;
                self.op(&test.op)
            }
        }
    }

    fn bin(&mut self, bin: &str, path: &Path) -> fmt::Result {
        self.name(bin)?;
        for step in path.steps() {
            match step {
                PathStep::Key(key) => {
                    self.write_str(".")?;
                    self.name(&String::from_utf8_lossy(key))?;
                }
                PathStep::Item(position) => write!(self, "[{position}]")?,
                PathStep::Every => self.write_str("[*]")?,
            }
        }
        Ok(())
    }

    /// In quotes unless it is a word, so that no name reads as a part of a filter.
    fn name(&mut self, name: &str) -> fmt::Result {
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        if plain { self.write_str(name) } else { write!(self, "{name:?}") }
    }

    fn meta(&mut self, field: Field) -> fmt::Result {
        write!(self, "record {}", field.name())
    }

    /// As a call, its constants being values: `mul(price, 2)`, `if(age >= 18, adult, child)`.
    fn term(&mut self, term: &Term) -> fmt::Result {
        match term {
            Term::Bin { bin, path } => return self.bin(bin, path),
            Term::Meta(field) => return self.meta(*field),
            Term::Value(operand) => return self.with("", operand.value()),
            _ => write!(self, "{}(", term.name())?,
        }
        let mut between = "";
        if let Term::If(filter, _) | Term::Is(filter) = term {
            self.node(filter.root(), true)?;
            between = ", ";
        }
        for part in term.parts() {
            self.write_str(between)?;
            self.term(part)?;
            between = ", ";
        }
        self.write_str(")")
    }

    fn joined(&mut self, parts: &[Node], word: &str, alone: bool) -> fmt::Result {
        let brackets = if alone { ["", ""] } else { ["(", ")"] };
        self.write_str(brackets[0])?;
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.write_str(word)?;
            }
            self.node(part, false)?;
        }
        self.write_str(brackets[1])
    }

    fn each(&mut self, each: Each) -> fmt::Result {
        let members = match each.members {
            Members::Items => "item",
            Members::Keys => "key",
            Members::Values => "value",
        };
        write!(self, " {} {members}", if each.all { "every" } else { "any" })
    }

    fn op(&mut self, op: &Op) -> fmt::Result {
        match op {
            Op::Equal(operand) => self.with(" = ", operand.value()),
            Op::NotEqual(operand) => self.with(" != ", operand.value()),
            Op::Order(orders, operand) => {
                let word = match (orders.contains(&Ordering::Less), orders.contains(&Ordering::Equal)) {
                    (true, true) => " <= ",
                    (true, false) => " < ",
                    (false, true) => " >= ",
                    (false, false) => " > ",
                };
                self.with(word, operand.value())
            }
            Op::Between(least, most) => {
                self.with(" between ", least.value())?;
                self.with(" and ", most.value())
            }
            Op::In(list) => {
                self.write_str(" in ")?;
                self.list(list.operands().map(|operand| operand.value()))
            }
            Op::Prefix(prefix) => self.with(" begins with ", ValueRef::String(prefix)),
            Op::Exists(exists) => self.write_str(if *exists { " exists" } else { " is missing" }),
            Op::Contains(contains) => self.with(" contains ", contains.wanted()),
            Op::Has(has) => {
                self.write_str(if has.all { " has all of " } else { " has any of " })?;
                self.list(has.keys.iter().map(|key| ValueRef::String(key)))
            }
        }
    }

    /// A shape does not say how many values there are.
    fn list<'v>(&mut self, values: impl Iterator<Item = ValueRef<'v>>) -> fmt::Result {
        if !self.values {
            return self.write_str("?");
        }
        for (at, value) in values.enumerate() {
            self.with(if at == 0 { "(" } else { ", " }, value)?;
        }
        self.write_str(")")
    }

    fn with(&mut self, word: &str, value: ValueRef<'_>) -> fmt::Result {
        self.write_str(word)?;
        if !self.values {
            return self.write_str("?");
        }
        let mut json = Vec::new();
        json::write_value(&mut json, value, Shape::Record);
        self.write_str(&String::from_utf8_lossy(&json))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(json: &str) -> (String, String) {
        let filter = Filter::compile(json.as_bytes()).unwrap();
        (filter.describe(500), filter.shape(500))
    }

    #[test]
    fn a_shape_is_the_filter_without_its_values() {
        let (text, shape) = both(r#"{"and":[{"bin":"age","op":"ge","value":21},{"bin":"city","op":"eq","value":"Rome"}]}"#);
        assert_eq!((&*text, &*shape), (r#"age >= 21 and city = "Rome""#, "age >= ? and city = ?"));
        let (text, shape) = both(r#"{"or":[{"bin":"a","op":"in","value":[7]},{"not":{"bin":"b","op":"exists","value":true}}]}"#);
        assert_eq!((&*text, &*shape), ("not (b exists) or a in (7)", "not (b exists) or a in ?"));
    }

    #[test]
    fn no_secret_is_in_any_shape() {
        let forms = [
            r#"{"bin":"b","op":"eq","value":"secret"}"#,
            r#"{"bin":"b","op":"ne","value":"secret"}"#,
            r#"{"bin":"b","op":"lt","value":"secret"}"#,
            r#"{"bin":"b","op":"between","value":["secret","secrets"]}"#,
            r#"{"bin":"b","op":"in","value":["secret"]}"#,
            r#"{"bin":"b","op":"prefix","value":"secret"}"#,
            r#"{"bin":"b","op":"contains","value":{"secret":1}}"#,
            r#"{"meta":"key","op":"eq","value":"secret"}"#,
        ];
        for form in forms {
            let (text, shape) = both(form);
            assert!(text.contains("secret") && !shape.contains("secret") && shape.contains('?'), "{text}: {shape}");
        }
    }

    #[test]
    fn no_name_reads_as_a_part_of_a_filter() {
        let filters = [
            (r#"{"bin":"a = ? and b","op":"eq","value":1}"#, r#""a = ? and b" = ?"#),
            (r#"{"and":[{"bin":"a","op":"eq","value":1},{"bin":"b","op":"eq","value":1}]}"#, "a = ? and b = ?"),
            (r#"{"bin":"a","path":["x = ? and b"],"op":"eq","value":1}"#, r#"a."x = ? and b" = ?"#),
            (r#"{"bin":"a.b","op":"eq","value":1}"#, r#""a.b" = ?"#),
            (r#"{"bin":"a","path":["b"],"op":"eq","value":1}"#, "a.b = ?"),
            (r#"{"bin":"record size","op":"eq","value":1}"#, r#""record size" = ?"#),
            (r#"{"meta":"size","op":"eq","value":1}"#, "record size = ?"),
            (r#"{"bin":"a\"b","op":"eq","value":1}"#, r#""a\"b" = ?"#),
            (r#"{"bin":"größe_2-x","path":[0,"b"],"op":"eq","value":1}"#, "größe_2-x[0].b = ?"),
        ];
        for (filter, shape) in filters {
            assert_eq!(both(filter).1, shape, "{filter}");
        }
    }

    #[test]
    fn a_shape_has_what_an_expression_computes() {
        let expressions = [
            (r#"{"mul":["price",2]}"#, "mul(price, 2)", "mul(price, ?)"),
            (r#"{"mul":["price",{"value":3.5}]}"#, "mul(price, 3.5)", "mul(price, ?)"),
            (r#"{"add":["price",2]}"#, "add(price, 2)", "add(price, ?)"),
            (r#"{"add":["cost",2]}"#, "add(cost, 2)", "add(cost, ?)"),
            (r#"{"sub":[{"bin":"a","path":["b",0]},{"meta":"size"}]}"#, "sub(a.b[0], record size)", "sub(a.b[0], record size)"),
            (r#"{"upper":{"value":"secret"}}"#, r#"upper("secret")"#, "upper(?)"),
            (r#"{"substring":["name",0,3]}"#, "substring(name, 0, 3)", "substring(name, ?, ?)"),
            (r#"{"substring":["name",1]}"#, "substring(name, 1)", "substring(name, ?)"),
            (
                r#"{"if":[{"and":[{"bin":"n","op":"ge","value":18},{"bin":"m","op":"eq","value":"secret"}]},"a",{"neg":"b"}]}"#,
                r#"if(n >= 18 and m = "secret", a, neg(b))"#,
                "if(n >= ? and m = ?, a, neg(b))",
            ),
            (r#"{"is":{"bin":"n","op":"in","value":[2]}}"#, "is(n in (2))", "is(n in ?)"),
            (r#"{"is":{"bin":"n","op":"in","value":[3]}}"#, "is(n in (3))", "is(n in ?)"),
        ];
        for (expression, text, shape) in expressions {
            let (said, shaped) = both(&format!(r#"{{"expr":{expression},"op":"gt","value":7}}"#));
            assert_eq!((said, shaped), (format!("{text} > 7"), format!("{shape} > ?")), "{expression}");
        }
    }

    #[test]
    fn the_shape_of_a_long_expression_is_cut() {
        let bins: Vec<_> = (0..100).map(|n| format!("\"bin{n}\"")).collect();
        let filter = Filter::compile(format!(r#"{{"expr":{{"add":[{}]}},"op":"gt","value":7}}"#, bins.join(",")).as_bytes()).unwrap();
        let shape = filter.shape(64);
        assert!(shape.starts_with("add(bin0, bin1, ") && shape.ends_with('…') && shape.len() <= 64, "{shape}");
    }

    #[test]
    fn a_long_one_is_cut_between_characters() {
        let filter = Filter::compile(format!(r#"{{"bin":"b","op":"eq","value":"{}"}}"#, "ü".repeat(400)).as_bytes()).unwrap();
        for most in 3..60 {
            let text = filter.describe(most);
            assert!(text.len() <= most && text.ends_with('…'), "{most}: {text}");
        }
        assert_eq!(filter.shape(100), "b = ?");
    }
}
