//! A bulk load as a caller starts it: with a job of its own.

use crate::error::Result;
use crate::job::{JobKind, JobSpec, Unit};
use crate::load::{ImportSession, ImportSpec};
use crate::namespace::Namespace;
use serde_json::json;
use std::sync::Arc;

/// Begins an import into a namespace. The job counts bytes as they arrive.
///
/// # Errors
/// As `ImportSession::begin`; `job_limit`, `closed`.
pub fn begin_import(namespace: &Arc<Namespace>, spec: ImportSpec) -> Result<ImportSession> {
    spec.check()?;
    let target = if spec.set.is_empty() { namespace.name().to_owned() } else { format!("{}.{}", namespace.name(), spec.set) };
    let parameters = json!({
        "format": spec.format.as_str(),
        "key": spec.key,
        "mode": spec.mode.as_str(),
        "dryRun": spec.dry_run,
        "distributionBin": spec.distribution_bin,
    });
    let job = namespace.jobs().begin(JobSpec {
        set: Some(spec.set.clone()).filter(|set| !set.is_empty()),
        parameters: parameters.to_string(),
        unit: Unit::Bytes,
        total: spec.bytes_total,
        threads: spec.threads,
        ..JobSpec::new(
            JobKind::Import,
            namespace.name(),
            format!("{} {target}", if spec.dry_run { "Try an import into" } else { "Import into" }),
        )
    })?;
    ImportSession::begin(namespace.clone(), spec, job)
}
