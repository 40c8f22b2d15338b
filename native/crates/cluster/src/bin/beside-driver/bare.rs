//! What a program would do that has the driver alone: the requests that the crate makes, with the same settings.

use crate::{Failure, Options, body_of, digest_of, fresh, numbers};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use scylla::client::Compression;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::frame::types::{Consistency, SerialConsistency};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;
use scylla::value::Row;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

type Version<'a> = (Option<&'a str>, Option<&'a [u8]>, Option<i32>, Option<i64>, Option<i64>, Option<Uuid>, Option<Uuid>);

const RANGES: usize = 512;
const SCANS: usize = 4;

pub(crate) struct Bare<'a> {
    options: &'a Options,
    work: Arc<Work>,
    runtime: Runtime,
}

struct Work {
    session: Session,
    read: PreparedStatement,
    write: PreparedStatement,
    pages: [PreparedStatement; 2],
    bytes: usize,
}

impl<'a> Bare<'a> {
    pub(crate) fn new(options: &'a Options, keyspace: &str) -> Result<Self, Failure> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let work = runtime.block_on(Work::new(options, keyspace))?;
        Ok(Self { options, work: Arc::new(work), runtime })
    }

    /// So many tasks take the next number each until there is none.
    fn each<F: Future<Output = Result<(), Failure>> + Send + 'static>(
        &self,
        numbers: impl Iterator<Item = u64>,
        one: impl Fn(Arc<Work>, u64) -> F + Clone + Send + 'static,
    ) -> Result<u64, Failure> {
        let numbers: Arc<[u64]> = numbers.collect();
        let (next, many) = (Arc::new(AtomicU64::new(0)), numbers.len() as u64);
        self.runtime.block_on(async {
            let tasks: Vec<_> = (0..self.options.in_flight)
                .map(|_| {
                    let (work, numbers, next, one) = (self.work.clone(), numbers.clone(), next.clone(), one.clone());
                    tokio::spawn(async move {
                        while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                            one(work.clone(), number).await?;
                        }
                        Ok::<_, Failure>(())
                    })
                })
                .collect();
            for task in tasks {
                task.await??;
            }
            Ok(many)
        })
    }

    pub(crate) fn reads(&self, round: u64) -> Result<u64, Failure> {
        let Options { reads, records, .. } = *self.options;
        self.each(numbers(round, reads, records), |work, number| async move {
            let (_, body) = work.version(number).await?.ok_or("a record is missing")?;
            std::hint::black_box(body);
            Ok(())
        })
    }

    /// Reads the version, and replaces it by compare-and-set.
    pub(crate) fn writes(&self, round: u64) -> Result<u64, Failure> {
        let Options { writes, records, .. } = *self.options;
        self.each(numbers(round, writes, records), |work, number| async move {
            let expected = work.version(number).await?.map(|(id, _)| id);
            work.replace(number, expected).await
        })
    }

    pub(crate) fn inserts(&self, round: u64) -> Result<u64, Failure> {
        self.each(fresh(self.options, round, 0), |work, number| async move {
            let expected = work.version(number).await?.map(|(id, _)| id);
            work.replace(number, expected).await
        })
    }

    /// Reads all rows by ranges of tokens, with their bodies or without.
    pub(crate) fn scan(&self, bodies: bool) -> Result<u64, Failure> {
        self.runtime.block_on(async {
            let tasks = (0..RANGES).map(|at| {
                let work = self.work.clone();
                async move { tokio::spawn(async move { work.range(at, bodies).await }).await? }
            });
            stream::iter(tasks).buffer_unordered(SCANS).try_fold(0, |all, one| async move { Ok(all + one) }).await
        })
    }
}

impl Work {
    async fn new(options: &Options, keyspace: &str) -> Result<Self, Failure> {
        let profile = ExecutionProfile::builder()
            .consistency(Consistency::LocalQuorum)
            .serial_consistency(Some(SerialConsistency::LocalSerial))
            .build();
        let session = SessionBuilder::new()
            .known_nodes(&options.points)
            .default_execution_profile_handle(profile.into_handle())
            .compression(Some(Compression::Lz4))
            .fetch_full_schema_metadata(false)
            .build()
            .await?;
        let about = format!("SELECT value FROM {keyspace}.about WHERE what = 'tables'");
        let (id,) = session.query_unpaged(about, ()).await?.into_rows_result()?.single_row::<(String,)>()?;
        let records = format!("{keyspace}.{id}_records");
        let columns = "set_name, body, generation, updated_at, expires_at, write_id, previous";
        let mut read = session.prepare(format!("SELECT {columns} FROM {records} WHERE digest = ?")).await?;
        read.set_is_idempotent(true);
        read.set_use_cached_result_metadata(true);
        let write = format!(
            "UPDATE {records} USING TTL ? SET set_name = ?, body = ?, generation = ?, updated_at = ?, expires_at = ?, \
             write_id = ?, previous = ? WHERE digest = ? IF write_id = ?"
        );
        let page = async |body: &str| {
            let text = format!(
                "SELECT digest, set_name, {body}, generation, updated_at, expires_at, write_id FROM {records} \
                 WHERE token(digest) > ? AND token(digest) <= ?"
            );
            let mut statement = session.prepare(text).await?;
            statement.set_page_size(1000);
            statement.set_use_cached_result_metadata(true);
            Ok::<_, Failure>(statement)
        };
        let pages = [page("bigintAsBlob(writetime(body))").await?, page("body").await?];
        let write = session.prepare(write).await?;
        Ok(Self { session, read, write, pages, bytes: options.bytes })
    }

    async fn version(&self, number: u64) -> Result<Option<(Uuid, Vec<u8>)>, Failure> {
        let digest = digest_of(number);
        let rows = self.session.execute_unpaged(&self.read, (digest.0.as_slice(),)).await?.into_rows_result()?;
        let Some((_, body, _, _, _, id, _)) = rows.maybe_first_row::<Version<'_>>()? else { return Ok(None) };
        Ok(id.map(|id| (id, body.unwrap_or_default().to_vec())))
    }

    async fn replace(&self, number: u64, expected: Option<Uuid>) -> Result<(), Failure> {
        let (digest, body) = (digest_of(number), body_of(number, self.bytes)?);
        let version = (0, crate::SET, &body, 1, 1_i64, 0_i64, Uuid::new_v4(), expected, digest.0.as_slice(), expected);
        let rows = self.session.execute_unpaged(&self.write, version).await?.into_rows_result()?;
        let row = rows.first_row::<Row>()?;
        let applied = row.columns.first().and_then(|value| value.as_ref()?.as_boolean());
        if applied == Some(true) { Ok(()) } else { Err("another write came first".into()) }
    }

    async fn range(&self, at: usize, bodies: bool) -> Result<u64, Failure> {
        let edge = |at: usize| i64::try_from(i128::from(i64::MIN) + (at as i128 * (1 << 64)) / RANGES as i128).unwrap_or(i64::MAX);
        let (mut next, mut met) = (Some(PagingState::start()), 0);
        while let Some(from) = next.take() {
            let statement = &self.pages[usize::from(bodies)];
            let (page, more) = self.session.execute_single_page(statement, (edge(at), edge(at + 1)), from).await?;
            for row in page
                .into_rows_result()?
                .rows::<(&[u8], Option<&str>, Option<&[u8]>, Option<i32>, Option<i64>, Option<i64>, Option<Uuid>)>()?
            {
                std::hint::black_box(row?);
                met += 1;
            }
            next = if let PagingStateResponse::HasMorePages { state } = more { Some(state) } else { None };
        }
        Ok(met)
    }
}
