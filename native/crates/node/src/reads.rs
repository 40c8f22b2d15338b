//! The hot path of reads: one crossing, small arguments, and the answer in memory that JavaScript already has.

use crate::bytes::Bytes;
use crate::failure::{NativeFailure, guarded};
use crate::store::NativeStore;
use crate::text::Text;
use napi::Env;
use napi::bindgen_prelude::{BufferSlice, Either, Either4, Null, Object};
use napi_derive::napi;
use std::cell::RefCell;
use tessera_core::exchange::{self, Answer, Form};
use tessera_core::namespace::RecordName;
use tessera_record::KeyRef;
use tessera_record::json::Shape;

thread_local! {
    static RECORD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What is returned in place of a length when there is no such record.
const ABSENT: i32 = -1;

#[napi]
impl NativeStore {
    /// As `get_record`, for a string key and all bins. A record that fits into `scratch` is written there and its length
    /// returned, -1 when there is none; making a Buffer here costs more than all the rest. A longer one is returned.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | number | Buffer | Promise<NativeFailure | Buffer | null>")]
    pub fn read_record<'env>(
        &self,
        env: &'env Env,
        #[napi(ts_arg_type = "string")] namespace: Text,
        #[napi(ts_arg_type = "string")] set: Text,
        #[napi(ts_arg_type = "string")] key: Text,
        v1: bool,
        scratch: BufferSlice<'_>,
    ) -> napi::Result<Either4<NativeFailure, i32, Bytes, Object<'env>>> {
        let mut scratch = scratch;
        let form = Form { shape: if v1 { Shape::V1 } else { Shape::Record }, ..Form::default() };
        let asked = guarded(|| {
            let namespace = self.engine.namespace(&namespace)?;
            RECORD.with_borrow_mut(|record| {
                record.clear();
                let name = RecordName::Key(KeyRef::String(&key));
                let answer = exchange::read_resident(namespace.store(), &set, name, &form, record)?;
                Ok(match answer {
                    Answer::Absent => Either::A(Either4::B(ABSENT)),
                    Answer::Waits => Either::B(namespace),
                    Answer::Found => Either::A(match scratch.get_mut(..record.len()) {
                        Some(place) => {
                            place.copy_from_slice(record);
                            Either4::B(record.len() as i32)
                        }
                        None => Either4::C(Bytes(std::mem::take(record))),
                    }),
                })
            })
        });
        match asked {
            Err(error) => Ok(Either4::A(error.into())),
            Ok(Either::A(answer)) => Ok(answer),
            Ok(Either::B(namespace)) => {
                let (set, key) = (set.to_owned(), key.to_owned());
                let waiting = self.reads(env, move || {
                    let mut record = Vec::new();
                    let name = RecordName::Key(KeyRef::String(&key));
                    let found = exchange::read_record(namespace.store(), &set, name, &form, &mut record)?;
                    Ok(if found { Either::A(Bytes(record)) } else { Either::B(Null) })
                })?;
                Ok(Either4::D(waiting))
            }
        }
    }
}
