//! Reading what a caller has written: where we are in it, so that what is wrong is named by its path.

use std::fmt::Write;

use crate::json::parse_value;
use crate::{Path, PathStep, ValueRef};
use tessera_base::{Error, ErrorCode, Result, SentenceValue, sentence};

pub struct RequestReader {
    /// Where we are, for messages: `where.and[1]`.
    path: String,
    /// What is answered where something is wrong.
    code: ErrorCode,
    /// Tests of filters so far.
    pub count: usize,
    /// Parts of expressions so far, and how deep the one is that is being read.
    pub terms: usize,
    pub depth: usize,
}

impl RequestReader {
    /// Reads JSON of at most `most` bytes, the request's `field`, with `inside`.
    ///
    /// # Errors
    /// `code`, and what reading JSON refuses.
    pub fn read<T>(
        json: &[u8],
        field: &str,
        most: usize,
        code: ErrorCode,
        inside: impl FnOnce(&mut Self, &ValueRef<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut reader = Self { path: field.into(), code, count: 0, terms: 0, depth: 0 };
        if json.len() > most {
            return Err(reader.fault(sentence!("must be at most {most} bytes", most = most)));
        }
        let mut encoded = Vec::new();
        parse_value(json, &mut encoded).map_err(|error| if error.field.is_none() { error.in_field(field) } else { error })?;
        inside(&mut reader, &ValueRef::of(&encoded))
    }

    /// Goes into a field and, when all is well, out again.
    pub fn step<T>(&mut self, name: &[u8], inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.go(format_args!(".{}", String::from_utf8_lossy(name)), inside)
    }

    /// Goes into an item of a list, and out again.
    pub fn item<T>(&mut self, at: usize, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.go(format_args!("[{at}]"), inside)
    }

    fn go<T>(&mut self, into: std::fmt::Arguments<'_>, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let length = self.path.len();
        let _ = self.path.write_fmt(into);
        let result = inside(self);
        self.path.truncate(length);
        result
    }

    pub fn missing(&mut self, name: &[u8]) -> Error {
        self.wrong(name, sentence!("is missing"))
    }

    /// A field whose being there, or not, is wrong.
    pub fn wrong(&mut self, name: &[u8], expected: impl Into<SentenceValue>) -> Error {
        let _ = write!(self.path, ".{}", String::from_utf8_lossy(name));
        self.fault(expected)
    }

    pub fn fault(&self, expected: impl Into<SentenceValue>) -> Error {
        Error::said(self.code, sentence!("{path}: {expected}", path = &self.path, expected = expected)).in_field(self.path.clone())
    }

    pub fn text<'v>(&self, value: &ValueRef<'v>) -> Result<&'v str> {
        match value {
            ValueRef::String(text) => std::str::from_utf8(text).map_err(|_| self.fault(sentence!("must be a string"))),
            _ => Err(self.fault(sentence!("must be a string"))),
        }
    }

    pub fn bin(&self, value: &ValueRef<'_>) -> Result<Box<str>> {
        let name = self.text(value)?;
        tessera_base::limits::check_bin_name(name).map_err(|error| self.fault(&error))?;
        Ok(name.into())
    }

    /// `"a.b[0]"`, or `["a", "b", 0]` for keys that hold a dot or a bracket themselves: to one value.
    pub fn keys(&self, value: &ValueRef<'_>) -> Result<Path> {
        self.steps(value)?.one().map_err(|error| self.fault(&error))
    }

    /// As `keys`, to any number of values: `"a[*].b"`, or `["a", "*", "b"]`.
    pub fn steps(&self, value: &ValueRef<'_>) -> Result<Path> {
        let path = match value {
            ValueRef::String(_) => Path::parse_many(self.text(value)?),
            ValueRef::List(items) if !items.is_empty() => {
                let steps: Vec<PathStep> = items.iter().map(|item| self.path_step(&item)).collect::<Result<_>>()?;
                Path::of_steps(steps.into_iter())
            }
            _ => return Err(self.fault(sentence!("must be keys joined by dots, or a list of keys and positions"))),
        };
        path.map_err(|error| self.fault(&error))
    }

    fn path_step(&self, value: &ValueRef<'_>) -> Result<PathStep> {
        match value {
            ValueRef::String(b"*") => Ok(PathStep::Every),
            ValueRef::String(key) => Ok(PathStep::Key((*key).into())),
            ValueRef::Int(position) => {
                i32::try_from(*position).map(PathStep::Item).map_err(|_| self.fault(sentence!("a position must fit into 32 bits")))
            }
            _ => Err(self.fault(sentence!("a step must be a key, a position in a list, or * for each item"))),
        }
    }
}
