//! Records that are one value: bytes in, the same bytes out.

use crate::bytes::Bytes;
use crate::failure::{NativeFailure, guarded, now};
use crate::records::{PARSE_HERE_BYTES, WriteResult, may_wait};
use crate::store::NativeStore;
use napi::bindgen_prelude::{Either3, Either4, Null, Object};
use napi::{Either, Env};
use napi_derive::napi;
use tessera_core::exchange::{self, Answer};
use tessera_record::KeyRef;

#[napi]
impl NativeStore {
    /// What a record has in `bin`, bytes or text; null when there is no such record or no such value. A promise when the device has
    /// to be asked.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | Buffer | null | Promise<NativeFailure | Buffer | null>")]
    pub fn get_plain<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        key: String,
        bin: String,
    ) -> napi::Result<Either4<NativeFailure, Bytes, Null, Object<'env>>> {
        let mut out = Vec::new();
        let asked = guarded(|| {
            let namespace = self.engine.namespace(&namespace)?;
            let answer = exchange::read_plain_resident(namespace.store(), &set, KeyRef::String(&key), &bin, &mut out)?;
            Ok((namespace, answer))
        });
        Ok(match asked {
            Err(error) => Either4::A(error.into()),
            Ok((_, Answer::Found)) => Either4::B(Bytes(out)),
            Ok((_, Answer::Absent)) => Either4::C(Null),
            Ok((namespace, Answer::Waits)) => Either4::D(self.reads(env, move || {
                let mut out = Vec::new();
                let found = exchange::read_plain(namespace.store(), &set, KeyRef::String(&key), &bin, &mut out)?;
                Ok(if found { Either::A(Bytes(out)) } else { Either::B(Null) })
            })?),
        })
    }

    /// Writes a record that has `bytes` in `bin` and nothing else. At once in memory; a promise when a disk may have to be waited
    /// for.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | WriteResult | Promise<NativeFailure | WriteResult>")]
    pub fn put_plain<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        key: String,
        bin: String,
        bytes: &[u8],
    ) -> napi::Result<Either3<NativeFailure, WriteResult, Object<'env>>> {
        let namespace = match guarded(|| self.engine.namespace(&namespace)) {
            Ok(namespace) => namespace,
            Err(error) => return Ok(Either3::A(error.into())),
        };
        let here = bytes.len() < PARSE_HERE_BYTES && !may_wait(&namespace);
        let run = move |bytes: &[u8]| {
            let written = exchange::write_plain(namespace.store(), &set, KeyRef::String(&key), &bin, bytes)?;
            Ok(WriteResult { created: written.created, generation: written.meta.generation.into(), digest: written.digest.to_string() })
        };
        if here {
            return Ok(now(guarded(|| run(bytes))));
        }
        let bytes = bytes.to_vec();
        Ok(Either3::C(self.writes(env, move || run(&bytes))?))
    }
}
