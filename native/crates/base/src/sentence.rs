//! Sentences for people that can be said in other languages: a message in English, and its values.

use serde::{Serialize, Serializer};
use std::fmt::{self, Write as _};

/// A message in the [ICU format](https://unicode-org.github.io/icu/userguide/format_parse/messages/), and its values. Of
/// the format a message has `{name}`, `{name, number}` and `{name, plural, one {…} other {…}}` with `#`, and no quotes.
///
/// A client says it in another language by the message: the message is the key of its translations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    message: &'static str,
    #[serde(serialize_with = "by_name", skip_serializing_if = "Vec::is_empty")]
    values: Vec<(&'static str, Value)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    Number(u64),
    Sentence(Sentence),
}

/// A `Sentence` of a message, which has to be a literal, and its values: `sentence!(MESSAGE, name = set)`. A test of the console reads
/// all messages from the code, and compares them with the catalogues.
#[macro_export]
macro_rules! sentence {
    ($message:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::sentence::Sentence::new($message, vec![$((stringify!($name), $crate::sentence::Value::of($value))),*])
    };
}

fn by_name<S: Serializer>(values: &[(&'static str, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value)))
}

impl Sentence {
    /// What `sentence!` makes.
    pub const fn new(message: &'static str, values: Vec<(&'static str, Value)>) -> Self {
        Self { message, values }
    }

    /// With another text for a value, if `change` has one.
    #[must_use]
    pub fn with_text(mut self, name: &str, change: impl Fn(&str) -> Option<String>) -> Self {
        for (_, value) in self.values.iter_mut().filter(|(own, _)| *own == name) {
            if let Value::Text(text) = value {
                *text = change(text).unwrap_or_else(|| std::mem::take(text));
            }
        }
        self
    }

    pub const fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// Writes a part of the message in English. `count` stands for `#`.
    fn say(&self, f: &mut fmt::Formatter<'_>, part: &str, count: Option<u64>) -> fmt::Result {
        let mut rest = part;
        while let Some(at) = rest.find(['{', '#']) {
            f.write_str(&rest[..at])?;
            rest = &rest[at..];
            if let Some(behind) = rest.strip_prefix('#') {
                match count {
                    Some(number) => grouped(f, number)?,
                    None => f.write_char('#')?,
                }
                rest = behind;
                continue;
            }
            let Some((argument, behind)) = braced(rest) else { break };
            self.argument(f, argument)?;
            rest = behind;
        }
        f.write_str(rest)
    }

    fn argument(&self, f: &mut fmt::Formatter<'_>, argument: &str) -> fmt::Result {
        let mut parts = argument.splitn(3, ',').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let value = self.values.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
        match (value, parts.next(), parts.next()) {
            (Some(Value::Number(number)), Some("plural"), Some(options)) => {
                let option = option(options, if *number == 1 { "one" } else { "other" });
                self.say(f, option, Some(*number))
            }
            (Some(Value::Number(number)), Some(_), _) => grouped(f, *number),
            (Some(value), ..) => write!(f, "{value}"),
            (None, ..) => write!(f, "{{{argument}}}"),
        }
    }
}

/// What stands in the braces that `text` begins with, and what stands behind them.
fn braced(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[1..at], &text[at + 1..]));
        }
    }
    None
}

/// The text of a plural for `one` or `other`.
fn option<'text>(options: &'text str, wanted: &str) -> &'text str {
    let mut rest = options;
    while let Some(at) = rest.find('{') {
        let name = rest[..at].trim();
        let Some((text, behind)) = braced(&rest[at..]) else { break };
        if name == wanted {
            return text;
        }
        rest = behind;
    }
    ""
}

/// 1234567 as `1,234,567`.
fn grouped(f: &mut fmt::Formatter<'_>, number: u64) -> fmt::Result {
    let digits = number.to_string();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            f.write_char(',')?;
        }
        f.write_char(digit)?;
    }
    Ok(())
}

impl Value {
    pub fn of(value: impl Into<Self>) -> Self {
        value.into()
    }
}

impl fmt::Display for Value {
    /// In English.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Sentence(sentence) => write!(f, "{sentence}"),
        }
    }
}

impl fmt::Display for Sentence {
    /// In English.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.say(f, self.message, None)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

macro_rules! numbers {
    ($($of:ty),*) => {
        $(impl From<$of> for Value {
            fn from(number: $of) -> Self {
                u64::try_from(number).map_or_else(|_| Self::Text(number.to_string()), Self::Number)
            }
        })*
    };
}

numbers!(u8, u16, u32, usize, u128, i32, i64);

/// What a library says, as it is.
macro_rules! texts {
    ($($of:ty),*) => {
        $(impl From<$of> for Value {
            fn from(text: $of) -> Self {
                Self::Text(text.to_string())
            }
        })*
    };
}

texts!(Box<str>, std::borrow::Cow<'_, str>, std::path::Display<'_>, std::io::Error, &std::io::Error, std::fmt::Arguments<'_>, f64);

impl From<Sentence> for Value {
    fn from(sentence: Sentence) -> Self {
        Self::Sentence(sentence)
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn is_said_in_english_with_its_values() {
        let rows =
            |rows: u64| sentence!("{index} proposes {rows, plural, one {# record} other {# records}}", index = "by-total", rows = rows);
        assert_eq!(rows(1).to_string(), "by-total proposes 1 record");
        assert_eq!(rows(1_234_567).to_string(), "by-total proposes 1,234,567 records");
        let most = sentence!("at most {most, number} bytes, of {most}", most = 65_536_u64);
        assert_eq!(most.to_string(), "at most 65,536 bytes, of 65536");
        assert_eq!(sentence!("{why}; {how}", why = sentence!("there is no filter"), how = "so").to_string(), "there is no filter; so");
    }

    #[test]
    fn a_value_is_never_read_as_a_message() {
        assert_eq!(sentence!("no {name} here", name = "{name} # {").to_string(), "no {name} # { here");
        assert_eq!(sentence!("no {other} here # {", name = 1_u64).to_string(), "no {other} here # {");
    }
}
