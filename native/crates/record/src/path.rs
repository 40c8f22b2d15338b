//! A way into a value: keys of maps and positions in lists, from the outside in.

use std::ops::ControlFlow;

use super::codec::ValueRef;
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};

/// Steps from the outside in; without any, the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<PathStep>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// A key of a map, as UTF-8 bytes.
    Key(Box<[u8]>),
    /// A position in a list, from 0; a negative one counts from the end.
    Item(i32),
    /// Each item of a list.
    Every,
}

impl Path {
    /// Reads a dotted path to one value: `author.email`, `commits[0]`, `commits[-1].author`, `[0].name`.
    ///
    /// # Errors
    /// `config_invalid` for what is no path, for more steps than values nest, and for `[*]`.
    pub fn parse(dotted: &str) -> Result<Self> {
        Self::parse_many(dotted)?.one()
    }

    /// As `parse`, to any number of values: `commits[*].author.email` too.
    ///
    /// # Errors
    /// `config_invalid` for what is no path, and for more steps than values nest.
    pub fn parse_many(dotted: &str) -> Result<Self> {
        if dotted.is_empty() {
            return Err(invalid(sentence!("a path must be keys joined by dots")));
        }
        let mut steps = Vec::new();
        for (at, part) in dotted.split('.').enumerate() {
            let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
            if rest.is_empty() || !key.is_empty() {
                steps.push(PathStep::Key(key.as_bytes().into()));
            } else if at > 0 {
                return Err(invalid(sentence!("brackets must follow a key, without a dot before them")));
            }
            while !rest.is_empty() {
                let inside = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                let (step, after) = inside.and_then(|(inside, after)| Some((bracket(inside)?, after))).ok_or_else(|| {
                    invalid(sentence!(
                        "brackets must have a position in a list, or * for each item; write a key that has brackets in a list of keys"
                    ))
                })?;
                steps.push(step);
                rest = after;
            }
            if steps.len() > limits::NESTING {
                break;
            }
        }
        Self::of_steps(steps.into_iter())
    }

    /// # Errors
    /// `config_invalid` for more steps than values nest.
    pub fn of_steps(steps: impl Iterator<Item = PathStep>) -> Result<Self> {
        let steps: Vec<PathStep> = steps.take(limits::NESTING + 1).collect();
        if steps.len() > limits::NESTING {
            return Err(invalid(sentence!("a path must have at most {most} steps", most = limits::NESTING)));
        }
        Ok(Self(steps))
    }

    /// # Errors
    /// `config_invalid` for a path that may lead to many values.
    pub fn one(self) -> Result<Self> {
        if self.0.contains(&PathStep::Every) {
            return Err(invalid(sentence!("this path must lead to one value; * is only for the tests of a filter")));
        }
        Ok(self)
    }

    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// The innermost key, past positions.
    pub fn last_key(&self) -> Option<&[u8]> {
        self.0.iter().rev().find_map(|step| if let PathStep::Key(key) = step { Some(&**key) } else { None })
    }

    /// What lies at the path in `value`; of many, the first.
    #[inline]
    pub fn find<'v>(&self, value: ValueRef<'v>) -> Option<ValueRef<'v>> {
        let mut first = None;
        let _ = each(&self.0, value, &mut |value| {
            first = Some(value);
            ControlFlow::Break(())
        });
        first
    }

    /// Whether `wanted` is so of any value that lies at the path; `None` where none lies there.
    pub fn any<'v>(&self, value: ValueRef<'v>, mut wanted: impl FnMut(ValueRef<'v>) -> bool) -> Option<bool> {
        let mut met = None;
        let _ = each(&self.0, value, &mut |value| {
            let holds = wanted(value);
            met = Some(holds);
            if holds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        met
    }
}

/// As the dotted form writes it; a key that holds a dot or a bracket stands in quotes, to be read by people.
impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) => {
                    let (dot, key) = (if at > 0 { "." } else { "" }, String::from_utf8_lossy(key));
                    if key.contains(['.', '[']) { write!(f, "{dot}{key:?}")? } else { write!(f, "{dot}{key}")? }
                }
                PathStep::Item(position) => write!(f, "[{position}]")?,
                PathStep::Every => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

fn each<'v>(steps: &[PathStep], value: ValueRef<'v>, with: &mut dyn FnMut(ValueRef<'v>) -> ControlFlow<()>) -> ControlFlow<()> {
    let Some((step, rest)) = steps.split_first() else { return with(value) };
    let next = match (step, value) {
        (PathStep::Key(key), ValueRef::Map(entries)) => entries.get(key),
        (PathStep::Item(position), ValueRef::List(items)) => match usize::try_from(*position) {
            Ok(position) => items.iter().nth(position),
            Err(_) => items.iter().count().checked_sub(position.unsigned_abs() as usize).and_then(|at| items.iter().nth(at)),
        },
        (PathStep::Every, ValueRef::List(items)) => return items.iter().try_for_each(|item| each(rest, item, with)),
        _ => None,
    };
    next.map_or(ControlFlow::Continue(()), |value| each(rest, value, with))
}

fn bracket(inside: &str) -> Option<PathStep> {
    match inside {
        "*" => Some(PathStep::Every),
        // What `parse` takes beside digits and a minus is a plus.
        _ if inside.starts_with('+') => None,
        _ => inside.parse().ok().map(PathStep::Item),
    }
}

fn invalid(message: Sentence) -> Error {
    Error::said(ErrorCode::ConfigInvalid, message).in_field("path")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse_value;

    fn key(key: &str) -> PathStep {
        PathStep::Key(key.as_bytes().into())
    }

    #[test]
    fn dotted_paths_are_read_and_written() {
        let cases = [
            ("a", vec![key("a")]),
            ("a.b", vec![key("a"), key("b")]),
            ("a..b", vec![key("a"), key(""), key("b")]),
            ("*", vec![key("*")]),
            ("commits[*].author.email", vec![key("commits"), PathStep::Every, key("author"), key("email")]),
            ("[0]", vec![PathStep::Item(0)]),
            ("[*][-1].a[2][3]", vec![PathStep::Every, PathStep::Item(-1), key("a"), PathStep::Item(2), PathStep::Item(3)]),
            ("a]", vec![key("a]")]),
        ];
        for (text, steps) in cases {
            let path = Path::parse_many(text).unwrap();
            assert_eq!((path.steps(), path.to_string().as_str()), (&*steps, text));
            assert_eq!(Path::parse(text).is_ok(), !steps.contains(&PathStep::Every));
        }
        for wrong in ["", "a[", "a[]", "a[x]", "a[1", "a[1]b", "a[+1]", "a[1.5]", "a[ 1]", "a.[1]", "a[99999999999]", "a[**]"] {
            assert_eq!(Path::parse_many(wrong).unwrap_err().field.as_deref(), Some("path"), "{wrong}");
        }
        assert!(Path::parse(&"[0]".repeat(limits::NESTING)).is_ok());
        assert!(Path::parse(&"[0]".repeat(limits::NESTING + 1)).is_err());
        assert!(Path::parse(&"a.".repeat(limits::NESTING)).is_err());
    }

    #[test]
    fn steps_lead_into_what_they_are_for() {
        let mut bytes = Vec::new();
        parse_value(br#"{"a":[{"b":1},{"c":2},{"b":3},[4]],"0":5}"#, &mut bytes).unwrap();
        let found = |path: &str| {
            let mut all = Vec::new();
            let path = Path::parse_many(path).unwrap();
            let met = path.any(ValueRef::of(&bytes), |value| {
                all.push(value);
                false
            });
            assert_eq!(met.is_some(), !all.is_empty());
            assert_eq!(path.find(ValueRef::of(&bytes)).is_some(), !all.is_empty());
            all.iter().filter_map(|value| if let ValueRef::Int(n) = value { Some(*n) } else { None }).collect::<Vec<_>>()
        };
        assert_eq!(found("a[0].b"), [1]);
        assert_eq!(found("a[-2].b"), [3]);
        assert_eq!(found("a[*].b"), [1, 3]);
        assert_eq!(found("a[*][0]"), [4]);
        assert_eq!(found("a[-4].b"), [1]);
        assert!(found("a[-5].b").is_empty() && found("a[4]").is_empty() && found("a.0").is_empty() && found("[0]").is_empty());
        assert!(found(&format!("a[{}]", i32::MIN)).is_empty());
        assert_eq!(found("0"), [5]);
    }
}
