//! Why a text is refused; small enough to be returned by every step of the parser.

use tessera_base::{Error, ErrorCode, Sentence, limits, sentence};

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

    fn says(self) -> Sentence {
        match self {
            Fault::Value => sentence!("expected a JSON value"),
            Fault::Name => sentence!("expected a name in double quotes"),
            Fault::Colon => sentence!("expected ':'"),
            Fault::CommaOrBrace => sentence!("expected {one} or {other}", one = "','", other = "'}'"),
            Fault::CommaOrBracket => sentence!("expected {one} or {other}", one = "','", other = "']'"),
            Fault::Object => sentence!("expected a JSON object"),
            Fault::Number => sentence!("malformed number"),
            Fault::Control => sentence!("control character inside a string"),
            Fault::Escape => sentence!("unknown escape in a string"),
            Fault::Surrogate => sentence!("half of a surrogate pair in a string"),
            Fault::Unfinished => sentence!("the text ends inside a value"),
            Fault::Trailing => sentence!("unexpected text after the value"),
            Fault::Depth => sentence!("lists and maps are nested deeper than the limit of {most}", most = limits::NESTING),
            Fault::Range => sentence!("the number does not fit into 64 bits"),
            Fault::Duplicate => sentence!("a name occurs twice in one object"),
            Fault::Base64 => sentence!("the bytes are not base64"),
        }
    }

    /// The error for people, with the byte offset where it was noticed.
    #[cold]
    pub fn error(self, at: usize) -> Error {
        Error::said(self.code(), sentence!("{fault} at byte {at}", fault = self.says(), at = at))
    }
}
