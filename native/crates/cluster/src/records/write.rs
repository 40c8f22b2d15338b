//! Writes: read the version that is there, let the rules decide, replace it if nobody else has.

use super::Records;
use super::filled::Values;
use super::row::{Record, Version, ttl_of};
use super::settle::{Settled, settle};
use crate::errors::Failure;
use crate::indexes::Held as HeldList;
use crate::pause::{ATTEMPTS, pause_async};
use crate::session::applied;
use crate::sets::Held;
use scylla::serialize::value::SerializeValue;
use std::borrow::Cow;
use std::sync::atomic::Ordering;
use tessera_base::{Error, ErrorCode, Result, SentenceValue, clock, sentence};
use tessera_core::store::Written;
use tessera_core::store::remote::Limits;
use tessera_core::store::rules::Rules;
use tessera_record::filter::Whole;
use tessera_record::{BodyRef, Digest, Meta};
use uuid::Uuid;

/// A write whose answer is lost is sent so often at most.
const SENDS: usize = 4;
/// What came of it is asked so often at most: under contention that read takes its turn with the writes, and may be late too.
const LOOKS: usize = 4;
/// Bytes that a row takes beside its set's name and body, about: digest, numbers, write ids.
const ROW_BYTES: usize = 76;

/// What becomes of a version.
struct Next<'a> {
    meta: Meta,
    /// `None`: the record goes.
    body: Option<Cow<'a, [u8]>>,
}

/// One write on its way, the same each time that it is sent.
struct Sent<'a> {
    digest: &'a Digest,
    set: &'a str,
    id: Uuid,
    /// The version that it replaces; `None`: there is no row.
    expected: Option<Uuid>,
    next: &'a Next<'a>,
    held: &'a HeldList,
    /// What the indexes keep of it.
    values: Values,
}

impl Records {
    /// As `Remote::change`.
    pub(crate) async fn change(&self, set: &str, digest: &Digest, rules: &Rules<'_>, limits: Limits) -> Result<Written> {
        let Limits { max_record_bytes: most, default_ttl } = limits;
        let mut written = None;
        self.replace(set, digest, |old| {
            rules.allow(old.map(|old| &old.meta))?;
            let body = rules.body(old.map(|old| whole(*digest, old)).as_ref(), most)?;
            let old = old.map(|old| &old.meta);
            let meta = rules.next_meta(old, self.stamp(set, old), default_ttl);
            // A copy has a time of its own.
            self.newest.fetch_max(meta.updated_at, Ordering::AcqRel);
            let removed = body.is_none();
            written = Some(Written { digest: *digest, meta, created: old.is_none() && !removed, removed });
            // Operations that leave nothing of a record that was not there write nothing.
            Ok((old.is_some() || !removed).then_some(Next { meta, body }))
        })
        .await?;
        written.ok_or_else(|| Error::new(ErrorCode::Internal, "a write was not decided"))
    }

    /// As `Remote::delete`.
    pub(crate) async fn delete(&self, set: &str, digest: &Digest, allow: &dyn Fn(&Meta) -> Result<()>) -> Result<bool> {
        let mut removed = false;
        self.replace(set, digest, |old| {
            removed = old.is_some();
            let Some(old) = old else { return Ok(None) };
            allow(&old.meta)?;
            Ok(Some(Next { meta: Meta { generation: 0, expires_at: 0, updated_at: self.stamp(set, Some(&old.meta)) }, body: None }))
        })
        .await?;
        Ok(removed)
    }

    /// Time of a write, Unix milliseconds; never before the version that it replaces, or a truncation of its set.
    fn stamp(&self, set: &str, old: Option<&Meta>) -> u64 {
        let stamp = clock::unix_millis().max(old.map_or(0, |old| old.updated_at)).max(self.truncations.before(set));
        self.newest.fetch_max(stamp, Ordering::AcqRel);
        stamp
    }

    /// Replaces the version of a record by what `decide` makes of the record; `None`: it stays as it is.
    async fn replace<'a>(
        &self,
        set: &str,
        digest: &Digest,
        mut decide: impl FnMut(Option<&Record<'_>>) -> Result<Option<Next<'a>>>,
    ) -> Result<()> {
        let _turn = self.stripes[stripe_of(digest)].lock().await;
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pause_async(attempt).await;
            }
            // Who lost a race may not see its winner by an ordinary read yet.
            let statement = if attempt == 0 { &self.finder.read } else { &self.statements.serial_read };
            let found = self.finder.find(statement, digest).await?;
            let Some(next) = decide(found.as_ref().and_then(|version| self.seen(version)).as_ref())? else { return Ok(()) };
            if next.body.is_some() {
                self.sets.create(&self.cluster, set).await?;
            }
            let (id, expected) = (Uuid::new_v4(), found.as_ref().map(|version| version.id));
            let held = self.indexes.for_write(&self.cluster).await?;
            held.check_decides()?;
            let entries = next.body.as_ref().map_or_else(|| held.list.nothing(), |body| held.list.entries(set, body));
            let sent = Sent { digest, set, id, expected, next: &next, held: &held, values: Values::of(held.list.version, entries) };
            if self.send(&sent).await? {
                self.count(set, found.as_ref(), &next);
                return Ok(());
            }
        }
        Err(Error::said(
            ErrorCode::ClusterUnavailable,
            sentence!("the record {digest} is being written by many others", digest = digest.to_string()),
        ))
    }

    /// Counts what a write has made of a version. One that has expired is counted until then.
    fn count(&self, set: &str, old: Option<&Version>, next: &Next<'_>) {
        let held = |set: &str, body: Option<usize>| Held {
            records: i64::from(body.is_some()),
            bytes: body.map_or(0, |body| size_of_row(set, body)).cast_signed(),
        };
        let old = old.filter(|old| self.truncations.counts(&old.set, old.meta.updated_at));
        let was = held(set, old.and_then(|old| old.body.as_ref()).map(Vec::len));
        let is = held(set, next.body.as_ref().map(|body| body.len()));
        self.sets.count(set, Held { records: is.records - was.records, bytes: is.bytes - was.bytes });
    }

    /// Removes a version that is hidden, unless another has replaced it. Whether it did.
    ///
    /// # Errors
    /// `cluster_unavailable`, `write_uncertain`.
    pub(crate) async fn remove_version(&self, set: &str, digest: &Digest, id: Uuid) -> Result<bool> {
        let next = Next { meta: Meta { generation: 0, expires_at: 0, updated_at: self.stamp(set, None) }, body: None };
        let held = self.indexes.for_write(&self.cluster).await?;
        held.check_decides()?;
        let values = Values::of(held.list.version, held.list.nothing());
        self.send(&Sent { digest, set, id: Uuid::new_v4(), expected: Some(id), next: &next, held: &held, values }).await
    }

    /// Sends a write until it is settled; whether it was applied.
    async fn send(&self, sent: &Sent<'_>) -> Result<bool> {
        let mut open = false;
        let mut why = SentenceValue::from("");
        for _ in 0..SENDS {
            match self.indexes.still_counts(&self.cluster, sent.held).await {
                Ok(true) => {}
                // As if another had come first: it is decided anew, by the new list.
                Ok(false) if !open => return Ok(false),
                Err(error) if !open => return Err(error),
                Ok(false) => return Err(uncertain(sent, &why, sentence!("others may have taken this server for gone since"))),
                Err(error) => return Err(uncertain(sent, &why, error)),
            }
            match self.compare_and_set(sent, open).await {
                Ok(true) => return Ok(true),
                // No earlier try of this write is under way, so it was another's.
                Ok(false) if !open => return Ok(false),
                Ok(false) => {}
                Err(failure) if !failure.open && !open => return Err(failure.error),
                Err(failure) => {
                    open |= failure.open;
                    why = failure.error.into();
                }
            }
            let found = self.look(sent.digest).await.map_err(|error| uncertain(sent, &why, error))?;
            match settle(found.as_ref(), sent.expected, sent.id) {
                Settled::Applied => return Ok(true),
                Settled::Lost => return Ok(false),
                // A node that was only slow may still carry the first try out. The same write is sent again, which does no harm.
                Settled::Pending => {}
                Settled::Unknown => return Err(uncertain(sent, &why, sentence!("others have replaced the record since"))),
            }
        }
        Err(uncertain(sent, &why, sentence!("it was sent again in vain")))
    }

    /// The version that is there when it is this reader's turn. That ends what a write has begun, so a later try of it cannot meet
    /// a half of it.
    pub(super) async fn look(&self, digest: &Digest) -> Result<Option<Version>> {
        let look = || self.finder.find(&self.statements.serial_read, digest);
        let mut found = look().await;
        for tries in 1..LOOKS {
            if !matches!(&found, Err(error) if error.code == ErrorCode::ClusterUnavailable) {
                break;
            }
            pause_async(tries).await;
            found = look().await;
        }
        found
    }

    /// `again`: an earlier try is open. This one waits for its answer, also of a node that says nothing.
    async fn compare_and_set(&self, sent: &Sent<'_>, again: bool) -> std::result::Result<bool, Failure> {
        let Sent { digest, set, id, expected, next: Next { meta, body }, values, .. } = sent;
        let (ttl, body, digest) = (ttl_of(meta, body.is_none()), body.as_deref(), digest.0.as_slice());
        let (generation, updated_at, expires_at) = (i32::from(meta.generation), meta.updated_at.cast_signed(), i64::from(meta.expires_at));
        let version: [&dyn SerializeValue; 8] = [&ttl, set, &body, &generation, &updated_at, &expires_at, id, expected];
        let of: [&dyn SerializeValue; 2] = [&digest, expected];
        let row: Vec<&dyn SerializeValue> = version.into_iter().chain(values.row()).chain(of).collect();
        let link = self.cluster.link();
        applied(&match again {
            true => link.ask(&self.statements.write, &row[..]).await?,
            false => link.try_write(&self.statements.write, &row[..]).await?,
        })
    }
}

fn uncertain(sent: &Sent<'_>, why: &SentenceValue, then: impl Into<SentenceValue>) -> Error {
    let Sent { digest, id, .. } = sent;
    Error::said(
        ErrorCode::WriteUncertain,
        sentence!(
            "the write {id} of the record {digest} may have been applied ({why}), and {then}",
            id = id.to_string(),
            digest = digest.to_string(),
            why = why.clone(),
            then = then
        ),
    )
}

fn whole<'a>(digest: Digest, record: &Record<'a>) -> Whole<'a> {
    let size = size_of_row(record.set, record.body.len());
    Whole { set: record.set, digest, meta: record.meta, size, body: BodyRef::new(record.body) }
}

/// Bytes that a row takes, about.
pub(crate) fn size_of_row(set: &str, body: usize) -> u64 {
    (ROW_BYTES + set.len() + body) as u64
}

fn stripe_of(digest: &Digest) -> usize {
    usize::from(u16::from_le_bytes([digest.0[0], digest.0[1]])) % super::STRIPES
}
