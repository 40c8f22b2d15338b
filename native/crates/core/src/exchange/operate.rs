//! Operations on one record, as callers send them and want their answer.

use super::operations::{Dialect, parse_operations};
use super::wire;
use crate::metrics::{self, About};
use crate::store::{Lookup, Operate, RecordName, RecordStore, WriteOptions};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::filter::Filter;
use tessera_record::json::Shape;

/// What comes with the operations.
#[derive(Clone, Copy, Debug)]
pub struct OperateForm<'a> {
    pub dialect: Dialect,
    /// Of the operations.
    pub shape: Shape,
    pub answer: Shape,
    pub options: WriteOptions,
    pub filter: Option<&'a Filter>,
    /// Changes have a null as their result.
    pub respond_all: bool,
    /// Refuses changes.
    pub read_only: bool,
}

/// Runs `operations` on a record and appends `{"generation","ttl","bins"}`; `false` when there is no record to read.
///
/// # Errors
/// What `parse_operations` and `RecordStore::operate` refuse; `operation_invalid` for a change where only reads are wanted.
pub fn operate(
    store: &RecordStore,
    set: &str,
    name: RecordName<'_>,
    operations: &[u8],
    form: &OperateForm<'_>,
    out: &mut Vec<u8>,
) -> Result<bool> {
    let about = || About { filter: form.filter, ..name.about(set) };
    let operation = if form.read_only { metrics::Operation::Get } else { metrics::Operation::Update };
    store.latency().watch(operation, about, || run(store, set, name, operations, form, out))
}

fn run(store: &RecordStore, set: &str, name: RecordName<'_>, operations: &[u8], form: &OperateForm<'_>, out: &mut Vec<u8>) -> Result<bool> {
    let operations = parse_operations(operations, form.dialect, form.shape)?;
    if form.read_only && !operations.iter().all(tessera_record::Operation::reads) {
        return Err(Error::said(ErrorCode::OperationInvalid, sentence!("only operations that read are allowed here")));
    }
    let asked = Operate { operations: &operations, options: form.options, filter: form.filter, respond_all: form.respond_all };
    let Some(operated) = store.operate(set, Lookup { name, route: None }, &asked)? else { return Ok(false) };
    wire::write_results(out, &operated, form.answer);
    Ok(true)
}
