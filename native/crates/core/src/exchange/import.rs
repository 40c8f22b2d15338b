//! A bulk load as a caller starts it: with a job of its own.

use crate::namespace::Namespace;
use serde_json::json;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::load::{ImportSession, ImportSpec, Interrupted, Keep, RowSink};
use tessera_jobs::{JobKind, JobSpec, Unit};

/// Begins an import into a namespace. The job counts bytes as they arrive. `query`: what was asked for, in the words of whoever did,
/// to be kept for `resume_import`; `None`: it does not go on after a restart.
///
/// # Errors
/// As `ImportSession::begin`; `job_limit`, `closed`.
pub fn begin_import(namespace: &Arc<Namespace>, spec: ImportSpec, query: Option<String>) -> Result<ImportSession> {
    spec.check()?;
    let jobs = namespace.store().jobs();
    let job = jobs.begin(job_of(namespace, &spec))?;
    let keep = jobs.files().map(|files| Keep {
        files: files.clone(),
        id: job.id().to_owned(),
        namespace: namespace.name().to_owned(),
        query,
        from: None,
    });
    ImportSession::begin_kept(namespace.clone(), spec, job, keep)
}

/// Goes on with an import that a stop of the server cut off, under the id of its job: the same stream is sent again from its first
/// byte, and what was stored is passed over.
///
/// # Errors
/// `import_not_found` when the namespace is another of the same name; as `begin_import`. Writing fails with `import_changed` when the
/// stream is another.
pub fn resume_import(namespace: &Arc<Namespace>, id: &str, spec: ImportSpec, from: Interrupted) -> Result<ImportSession> {
    spec.check()?;
    let jobs = namespace.store().jobs();
    if namespace.lasting() != Some(from.lasting) {
        // It could not go on either way.
        let _ = Interrupted::forget(jobs, id);
        return Err(Error::said(ErrorCode::ImportNotFound, sentence!("the namespace of this import was dropped")));
    }
    let job = jobs.begin_again(id, job_of(namespace, &spec))?;
    let keep = jobs.files().map(|files| Keep {
        files: files.clone(),
        id: id.to_owned(),
        namespace: namespace.name().to_owned(),
        query: Some(from.query.clone()),
        from: Some(from),
    });
    ImportSession::begin_kept(namespace.clone(), spec, job, keep)
}

fn job_of(namespace: &Namespace, spec: &ImportSpec) -> JobSpec {
    let target = if spec.set.is_empty() { namespace.name().to_owned() } else { format!("{}.{}", namespace.name(), spec.set) };
    let parameters = json!({
        "format": spec.format.as_str(),
        "key": spec.key,
        "mode": spec.mode.as_str(),
        "dryRun": spec.dry_run,
        "distributionBin": spec.distribution_bin,
    });
    JobSpec {
        set: Some(spec.set.clone()).filter(|set| !set.is_empty()),
        parameters: parameters.to_string(),
        tag: spec.tag.clone(),
        unit: Unit::Bytes,
        total: spec.bytes_total,
        threads: spec.threads,
        ..JobSpec::new(
            JobKind::Import,
            namespace.store().named(),
            format!("{} {target}", if spec.dry_run { "Try an import into" } else { "Import into" }),
        )
    }
}
