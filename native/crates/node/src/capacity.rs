//! The capacity planner as JavaScript sees it.

use crate::choice::one_of;
use crate::failure::{NativeFailure, guarded, outcome};
use crate::numbers::{whole, whole_u32};
use napi::Either;
use napi_derive::napi;
use tessera_base::{ErrorCode, Result};
use tessera_core::capacity::{BinKind, BinShape, Capacity, CapacitySpec, KeyKind, KeyShape};

/// Records of one shape, how they are kept, and the traffic. Absent fields take the defaults of the core.
#[napi(object, object_to_js = false)]
pub struct CapacityQuery {
    #[napi(ts_type = "'memory' | 'device'")]
    pub engine: String,
    pub records: f64,
    pub key: Option<KeyForm>,
    pub bins: Vec<BinForm>,
    pub single_bin: Option<bool>,
    /// 0: records without a set.
    pub sets: Option<f64>,
    pub set_name_bytes: Option<f64>,
    pub set_indexes: Option<bool>,
    pub segments: Option<f64>,
    pub replication: Option<f64>,
    pub reads_per_second: Option<f64>,
    pub writes_per_second: Option<f64>,
    pub utilisation_percent: Option<f64>,
    pub write_block_bytes: Option<f64>,
}

#[napi(object, object_to_js = false)]
pub struct KeyForm {
    #[napi(js_name = "type", ts_type = "'integer' | 'string' | 'bytes'")]
    pub kind: String,
    pub bytes: Option<f64>,
}

#[napi(object, object_to_js = false)]
pub struct BinForm {
    #[napi(js_name = "type", ts_type = "'boolean' | 'integer' | 'double' | 'string' | 'bytes' | 'list' | 'map'")]
    pub kind: String,
    /// Of its name.
    pub name_bytes: Option<f64>,
    /// Of its value.
    pub bytes: Option<f64>,
}

/// Bytes of one record, by part.
#[napi(object, object_from_js = false)]
pub struct PlannedRecord {
    pub header: f64,
    pub set_name: f64,
    pub key: f64,
    pub bin_names: f64,
    pub bin_values: f64,
    pub padding: f64,
    /// All of it.
    pub stored: f64,
}

/// Bytes of memory, of all copies.
#[napi(object, object_from_js = false)]
pub struct PlannedDram {
    pub records: f64,
    pub primary_index: f64,
    pub set_indexes: f64,
    pub sets: f64,
    pub buffers: f64,
    pub total: f64,
    pub per_record: f64,
}

/// Bytes of flash, of all copies.
#[napi(object, object_from_js = false)]
pub struct PlannedFlash {
    pub live: f64,
    pub blocks: f64,
    pub total: f64,
    pub per_record: f64,
}

/// What the devices do, all copies together.
#[napi(object, object_from_js = false)]
pub struct PlannedLoad {
    pub write_amplification: f64,
    pub read_iops: f64,
    pub write_iops: f64,
    pub read_bytes_per_second: f64,
    pub write_bytes_per_second: f64,
}

#[napi(object, object_from_js = false)]
pub struct CapacityPlan {
    pub record: PlannedRecord,
    pub dram: PlannedDram,
    /// Of the engine `device`.
    pub flash: Option<PlannedFlash>,
    pub device: Option<PlannedLoad>,
}

/// What a namespace would take.
#[napi(catch_unwind)]
pub fn plan_capacity(query: CapacityQuery) -> Either<NativeFailure, CapacityPlan> {
    outcome(guarded(|| Ok(CapacityPlan::from(spec(query)?.plan()?))))
}

fn spec(query: CapacityQuery) -> Result<CapacitySpec> {
    let base = CapacitySpec::default();
    let config = ErrorCode::ConfigInvalid;
    let small = |n: Option<f64>, field: &str, default: u32| n.map_or(Ok(default), |n| whole_u32(n, field, config));
    let wide = |n: Option<f64>, field: &str| n.map_or(Ok(0), |n| whole(n, field, config));
    let bin = |bin: BinForm| {
        let kinds = [
            ("boolean", BinKind::Boolean),
            ("integer", BinKind::Integer),
            ("double", BinKind::Double),
            ("string", BinKind::String),
            ("bytes", BinKind::Bytes),
            ("list", BinKind::List),
            ("map", BinKind::Map),
        ];
        let kind = one_of(&bin.kind, "type", &kinds)?;
        Ok(BinShape { kind, name_bytes: small(bin.name_bytes, "nameBytes", 8)?, bytes: small(bin.bytes, "bytes", 0)? })
    };
    let key = match query.key {
        None => base.key,
        Some(key) => {
            let kinds = [("integer", KeyKind::Integer), ("string", KeyKind::String), ("bytes", KeyKind::Bytes)];
            KeyShape { kind: one_of(&key.kind, "type", &kinds)?, bytes: small(key.bytes, "key", 0)? }
        }
    };
    Ok(CapacitySpec {
        on_device: one_of(&query.engine, "engine", &[("memory", false), ("device", true)])?,
        records: whole(query.records, "records", config)?,
        key,
        bins: query.bins.into_iter().map(bin).collect::<Result<_>>()?,
        single_bin: query.single_bin.unwrap_or(base.single_bin),
        sets: small(query.sets, "sets", base.sets)?,
        set_name_bytes: small(query.set_name_bytes, "setNameBytes", base.set_name_bytes)?,
        set_indexes: query.set_indexes.unwrap_or(base.set_indexes),
        segments: small(query.segments, "segments", base.segments)?,
        replication: small(query.replication, "replication", base.replication)?,
        reads_per_second: wide(query.reads_per_second, "readsPerSecond")?,
        writes_per_second: wide(query.writes_per_second, "writesPerSecond")?,
        utilisation_percent: small(query.utilisation_percent, "utilisationPercent", base.utilisation_percent)?,
        write_block_bytes: small(query.write_block_bytes, "writeBlockBytes", base.write_block_bytes)?,
    })
}

impl From<Capacity> for CapacityPlan {
    fn from(Capacity { record, dram, flash, device }: Capacity) -> Self {
        Self {
            record: PlannedRecord {
                header: record.header as f64,
                set_name: record.set_name as f64,
                key: record.key as f64,
                bin_names: record.bin_names as f64,
                bin_values: record.bin_values as f64,
                padding: record.padding as f64,
                stored: record.stored as f64,
            },
            dram: PlannedDram {
                records: dram.records as f64,
                primary_index: dram.primary_index as f64,
                set_indexes: dram.set_indexes as f64,
                sets: dram.sets as f64,
                buffers: dram.buffers as f64,
                total: dram.total as f64,
                per_record: dram.per_record,
            },
            flash: flash.map(|flash| PlannedFlash {
                live: flash.live as f64,
                blocks: flash.blocks as f64,
                total: flash.total as f64,
                per_record: flash.per_record,
            }),
            device: device.map(|load| PlannedLoad {
                write_amplification: load.write_amplification,
                read_iops: load.read_iops,
                write_iops: load.write_iops,
                read_bytes_per_second: load.read_bytes_per_second,
                write_bytes_per_second: load.write_bytes_per_second,
            }),
        }
    }
}
