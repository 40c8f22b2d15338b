//! Operations on one record: a list of them in, what they read out.

use crate::bytes::Bytes;
use crate::choice::one_of;
use crate::failure::{NativeFailure, guarded, now};
use crate::filters::filter_of;
use crate::records::{KeyArgument, Name, PARSE_HERE_BYTES, RecordWrite, may_wait, shape_of};
use crate::store::NativeStore;
use napi::bindgen_prelude::{Either3, Null, Object};
use napi::{Either, Env};
use napi_derive::napi;
use tessera_core::exchange::{self, Dialect, OperateForm};

/// What comes with operations.
#[napi(object, object_to_js = false)]
pub struct RecordOperate {
    #[napi(ts_type = "'named' | 'typed'")]
    pub dialect: String,
    /// What changes ask for; its shape is that of the operations.
    pub write: RecordWrite,
    #[napi(ts_type = "'v1' | 'packed'")]
    pub answer: String,
    /// Changes have a null as their result.
    pub respond_all: bool,
    /// Refuses changes.
    pub read_only: bool,
}

#[napi]
impl NativeStore {
    /// Runs a list of operations on a record, as one step; null when there is no record to read. At once in memory; a promise
    /// when a disk may have to be waited for.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | Buffer | null | Promise<NativeFailure | Buffer | null>")]
    #[allow(clippy::too_many_arguments, reason = "a record's address has three parts, and an object for them would cost a crossing")]
    pub fn operate_record<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        #[napi(ts_arg_type = "string | bigint | Uint8Array")] key: KeyArgument<'_>,
        digest: bool,
        operations: &[u8],
        form: RecordOperate,
    ) -> napi::Result<Either3<NativeFailure, Either<Bytes, Null>, Object<'env>>> {
        let asked = guarded(|| {
            let (shape, options) = form.write.options()?;
            let dialect = one_of(&form.dialect, "dialect", &[("named", Dialect::Named), ("typed", Dialect::Typed)])?;
            let (filter, answer) = (filter_of(form.write.filter)?, shape_of(&form.answer)?);
            Ok((self.engine.namespace(&namespace)?, Name::take(key, digest)?, shape, answer, options, dialect, filter))
        });
        let (namespace, name, shape, answer, options, dialect, filter) = match asked {
            Ok(asked) => asked,
            Err(error) => return Ok(Either3::A(error.into())),
        };
        let (respond_all, read_only, here) =
            (form.respond_all, form.read_only, operations.len() < PARSE_HERE_BYTES && !may_wait(&namespace));
        let run = move |operations: &[u8]| {
            let filter = filter.as_deref();
            let form = OperateForm { dialect, shape, answer, options, filter, respond_all, read_only };
            let mut out = Vec::new();
            let found = exchange::operate(namespace.store(), &set, name.get(), operations, &form, &mut out)?;
            Ok(if found { Either::A(Bytes(out)) } else { Either::B(Null) })
        };
        if here {
            return Ok(now(guarded(|| run(operations))));
        }
        let operations = operations.to_vec();
        Ok(Either3::C(self.writes(env, move || run(&operations))?))
    }
}
