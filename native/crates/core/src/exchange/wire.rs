//! The forms of records on the wire: JSON of either API, or MessagePack.

use crate::store::Operated;
use tessera_base::Result;
use tessera_base::clock::unix_seconds;
use tessera_record::json::{RecordView, Shape};
use tessera_record::{BinsBuilder, json, msgpack};

pub(super) fn parse_bins(bytes: &[u8], shape: Shape, into: &mut BinsBuilder<'_>) -> Result<()> {
    match shape {
        Shape::Packed => msgpack::unpack_bins(bytes, into),
        text => json::parse_bins(bytes, text, into),
    }
}

pub(super) fn parse_value(bytes: &[u8], shape: Shape, out: &mut Vec<u8>) -> Result<()> {
    match shape {
        Shape::Packed => msgpack::unpack_value(bytes, out),
        text => json::parse_shaped(bytes, text, out),
    }
}

pub(super) fn write_record(out: &mut Vec<u8>, record: &RecordView<'_>, bins: Option<&[String]>, shape: Shape) {
    match shape {
        Shape::Record => json::write_record(out, record, bins),
        Shape::V1 => json::write_v1_record(out, record, bins, unix_seconds()),
        Shape::Packed => msgpack::pack_record(out, record, bins, unix_seconds()),
    }
}

pub(super) fn write_results(out: &mut Vec<u8>, operated: &Operated, shape: Shape) {
    match shape {
        Shape::Packed => msgpack::pack_results(out, &operated.meta, &operated.results, unix_seconds()),
        Shape::Record | Shape::V1 => json::write_v1_results(out, &operated.meta, &operated.results, unix_seconds()),
    }
}
