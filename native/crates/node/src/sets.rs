//! Configurations and descriptions of sets, both ways.

use crate::choice::one_of;
use crate::numbers::whole;
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, Result};
use tessera_core::namespace::SetOrder;
use tessera_core::sets::SetIndexState;

/// How much a set may hold; 0 or absent: as much as the namespace.
#[napi(object)]
pub struct SetLimits {
    pub max_records: Option<f64>,
    pub max_bytes: Option<f64>,
}

#[napi(object, object_to_js = false)]
pub struct SetConfig {
    pub name: String,
    pub distribution_bin: Option<String>,
    pub index: Option<bool>,
    pub limits: Option<SetLimits>,
}

/// The index of a set: whether a scan can visit the set alone.
#[napi(object, object_from_js = false)]
pub struct SetIndexInfo {
    #[napi(ts_type = "'off' | 'building' | 'on'")]
    pub state: &'static str,
    pub bytes: f64,
    pub job_id: Option<String>,
}

#[napi(object, object_from_js = false)]
pub struct SetInfo {
    /// Empty for records without a set.
    pub name: String,
    pub records: f64,
    pub bytes: f64,
    pub distribution_bin: Option<String>,
    pub index: SetIndexInfo,
    /// 0: no limit.
    pub limits: SetLimits,
}

/// A place between two sets of a list.
#[napi(object)]
pub struct SetPlace {
    /// Records or bytes; 0 if the order is that of the names.
    pub size: f64,
    pub name: String,
}

/// Which sets, and in which order.
#[napi(object, object_to_js = false)]
pub struct SetQuery {
    /// A part of the name, in either case.
    pub part: Option<String>,
    /// What the name begins with.
    pub start: Option<String>,
    /// Beginnings of names, one of which a set must have. Absent: every set.
    pub within: Option<Vec<String>>,
    #[napi(ts_type = "'name' | 'records' | 'bytes'")]
    pub sort: String,
    pub descending: bool,
    /// Only sets behind this place.
    pub after: Option<SetPlace>,
    /// 1 to 5,000.
    pub limit: f64,
}

/// One page of sets.
#[napi(object, object_from_js = false)]
pub struct SetPage {
    pub sets: Vec<SetInfo>,
    /// Sets that were searched for, on all pages.
    pub matching: f64,
    /// What all of those hold together.
    pub records: f64,
    pub bytes: f64,
    /// Absent on the last page.
    pub next: Option<SetPlace>,
}

impl TryFrom<SetQuery> for tessera_core::namespace::SetQuery {
    type Error = Error;

    fn try_from(query: SetQuery) -> Result<Self> {
        let orders = [("name", SetOrder::Name), ("records", SetOrder::Records), ("bytes", SetOrder::Bytes)];
        let number = |n, field: &str| whole(n, field, ErrorCode::ConfigInvalid);
        Ok(Self {
            part: query.part.unwrap_or_default(),
            start: query.start.unwrap_or_default(),
            within: query.within,
            order: one_of(&query.sort, "sort", &orders)?,
            descending: query.descending,
            after: query.after.map(tessera_core::namespace::SetPlace::try_from).transpose()?,
            limit: usize::try_from(number(query.limit, "limit")?).unwrap_or(usize::MAX),
        })
    }
}

impl TryFrom<SetPlace> for tessera_core::namespace::SetPlace {
    type Error = Error;

    fn try_from(SetPlace { size, name }: SetPlace) -> Result<Self> {
        Ok(Self { size: whole(size, "cursor", ErrorCode::CursorInvalid)?, name })
    }
}

impl From<tessera_core::namespace::SetPage> for SetPage {
    fn from(page: tessera_core::namespace::SetPage) -> Self {
        let next = page.next.map(|place| SetPlace { size: place.size as f64, name: place.name });
        Self {
            sets: page.sets.into_iter().map(SetInfo::from).collect(),
            matching: page.matching as f64,
            records: page.records as f64,
            bytes: page.bytes as f64,
            next,
        }
    }
}

impl TryFrom<SetConfig> for tessera_core::SetConfig {
    type Error = Error;

    fn try_from(set: SetConfig) -> Result<Self> {
        let limits = set.limits.map(tessera_core::SetLimits::try_from).transpose()?.unwrap_or_default();
        Ok(Self { name: set.name, distribution_bin: set.distribution_bin, index: set.index.unwrap_or(false), limits })
    }
}

impl TryFrom<SetLimits> for tessera_core::SetLimits {
    type Error = Error;

    fn try_from(limits: SetLimits) -> Result<Self> {
        let number = |n: Option<f64>, field: &str| whole(n.unwrap_or(0.0), field, ErrorCode::ConfigInvalid);
        Ok(Self { max_records: number(limits.max_records, "maxRecords")?, max_bytes: number(limits.max_bytes, "maxBytes")? })
    }
}

impl From<tessera_core::SetLimits> for SetLimits {
    fn from(limits: tessera_core::SetLimits) -> Self {
        Self { max_records: Some(limits.max_records as f64), max_bytes: Some(limits.max_bytes as f64) }
    }
}

impl From<tessera_core::namespace::SetInfo> for SetInfo {
    fn from(set: tessera_core::namespace::SetInfo) -> Self {
        let state = match set.index {
            SetIndexState::Off => "off",
            SetIndexState::Building => "building",
            SetIndexState::On => "on",
        };
        Self {
            name: set.name,
            records: set.records as f64,
            bytes: set.bytes as f64,
            distribution_bin: set.distribution_bin,
            index: SetIndexInfo { state, bytes: set.index_bytes as f64, job_id: set.index_job },
            limits: set.limits.into(),
        }
    }
}
