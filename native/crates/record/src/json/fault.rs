//! Why a text is refused; small enough to be returned by every step of the parser.

use tessera_base::{Error, ErrorCode, limits};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Value,
    Name,
    Colon,
    CommaOrBrace,
    CommaOrBracket,
    Object,
    Number,
    Control,
    Escape,
    Surrogate,
    Unfinished,
    Trailing,
    Depth,
    Range,
    Duplicate,
    Base64,
}

impl Fault {
    pub const fn code(self) -> ErrorCode {
        match self {
            Fault::Depth => ErrorCode::NestingTooDeep,
            Fault::Range => ErrorCode::NumberOutOfRange,
            Fault::Duplicate => ErrorCode::JsonDuplicateKey,
            Fault::Base64 => ErrorCode::EncodingInvalid,
            _ => ErrorCode::JsonInvalid,
        }
    }

    const fn says(self) -> &'static str {
        match self {
            Fault::Value => "expected a JSON value",
            Fault::Name => "expected a name in double quotes",
            Fault::Colon => "expected ':'",
            Fault::CommaOrBrace => "expected ',' or '}'",
            Fault::CommaOrBracket => "expected ',' or ']'",
            Fault::Object => "expected a JSON object",
            Fault::Number => "malformed number",
            Fault::Control => "control character inside a string",
            Fault::Escape => "unknown escape in a string",
            Fault::Surrogate => "half of a surrogate pair in a string",
            Fault::Unfinished => "the text ends inside a value",
            Fault::Trailing => "unexpected text after the value",
            Fault::Depth => "lists and maps are nested deeper than the limit",
            Fault::Range => "the number does not fit into 64 bits",
            Fault::Duplicate => "a name occurs twice in one object",
            Fault::Base64 => "the bytes are not base64",
        }
    }

    /// The error for people, with the byte offset where it was noticed.
    #[cold]
    pub fn error(self, at: usize) -> Error {
        let message = match self {
            Fault::Depth => format!("{} of {} at byte {at}", self.says(), limits::NESTING),
            _ => format!("{} at byte {at}", self.says()),
        };
        Error::new(self.code(), message)
    }
}
