//! The filter of a request.

use napi::bindgen_prelude::Uint8Array;
use std::sync::Arc;
use tessera_record::filter::Filter;

pub fn filter_of(json: Option<Uint8Array>) -> tessera_base::Result<Option<Arc<Filter>>> {
    // Compiled within the call: nothing on another thread reads JavaScript's bytes.
    json.map(|json| Filter::compile(&json).map(Arc::new)).transpose()
}
