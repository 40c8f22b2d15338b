//! Failures as values: the only place that turns an error of the core into JavaScript.

use napi::Either;
use napi::bindgen_prelude::Either3;
use napi_derive::napi;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tessera_base::{Error, ErrorCode};

/// What a call returns instead of its result when it failed.
#[napi(object, object_from_js = false)]
pub struct NativeFailure {
    #[napi(ts_type = "true")]
    pub native_failure: bool,
    pub code: String,
    pub message: String,
    /// The request field at fault.
    pub field: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What `message` was made of, as JSON: its message with its values. Absent if it has no values.
    pub said: Option<String>,
}

impl From<Error> for NativeFailure {
    fn from(error: Error) -> Self {
        Self {
            native_failure: true,
            code: error.code.as_str().to_owned(),
            retryable: error.retryable(),
            said: error.said_as_json(),
            message: error.message,
            field: error.field,
        }
    }
}

/// The core's result as a value for JavaScript.
pub fn outcome<T>(result: tessera_base::Result<T>) -> Either<NativeFailure, T> {
    match result {
        Ok(value) => Either::B(value),
        Err(error) => Either::A(error.into()),
    }
}

/// As `outcome`, of a call that answers with a promise where it has to wait.
pub fn now<T, P>(result: tessera_base::Result<T>) -> Either3<NativeFailure, T, P> {
    match result {
        Ok(value) => Either3::B(value),
        Err(error) => Either3::A(error.into()),
    }
}

/// Runs `work`; a panic becomes `internal`, so that it neither ends the process nor leaves a promise open.
pub fn guarded<T>(work: impl FnOnce() -> tessera_base::Result<T>) -> tessera_base::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(Error::new(ErrorCode::Internal, format!("a bug in the storage engine: {}", text.unwrap_or("unknown panic"))))
    })
}

/// Every code of the core, in declaration order.
#[napi]
pub fn error_codes() -> Vec<&'static str> {
    ErrorCode::ALL.iter().map(|code| code.as_str()).collect()
}
