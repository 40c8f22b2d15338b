//! An owned bin value, for callers that build or inspect records one by one; hot paths use `ValueRef`.

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    /// Insertion order is kept; keys are unique.
    Map(Vec<(String, Value)>),
}
