//! The first so many records in an order, of all that the workers of a query meet.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

use super::order::{Place, Ranking};
use crate::budget::Share;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_index::RangeKey;
use tessera_record::filter::Subject;

/// Most bytes of the first rows of all, which wait for the last record to be met.
const WAITING_BYTES: usize = 256 * 1024 * 1024;
/// Bytes of rows that a worker keeps to itself: half as much for the most workers together.
const OWN_BYTES: usize = WAITING_BYTES / 2 / limits::THREADS as usize;

/// Of a row, beside its bytes: its place, and what the allocator adds twice.
const ROW_OVERHEAD: usize = size_of::<(Place, Vec<u8>)>() + 32;
/// A worker tells the budget of its rows in such steps.
const NOTED_BYTES: usize = 64 * 1024;

/// The first so many records that all workers of a query have met, and one to know whether there are more.
#[derive(Debug)]
pub(crate) struct Contest {
    ranking: Ranking,
    most_bytes: usize,
    own_bytes: usize,
    kept: Mutex<Top>,
    share: Arc<Share>,
    /// Rows that will be kept, at most.
    rows: usize,
}

/// What one worker has met since it last handed over, or what all have.
#[derive(Debug, Default)]
pub(crate) struct Top {
    /// The best so far and some that may not be, in no order.
    rows: Vec<(Place, Vec<u8>)>,
    /// Of these rows.
    bytes: usize,
    /// What they take of memory, and what of it the budget knows.
    held: usize,
    noted: usize,
    /// What comes behind this is not wanted.
    bound: Option<Place>,
}

impl Contest {
    /// `share`: of the request whose rows they are. `records`: about how many will be met.
    pub fn new(ranking: Ranking, records: u64, share: Arc<Share>) -> Self {
        let rows = ranking.most().min(records as usize);
        Self { ranking, most_bytes: WAITING_BYTES, own_bytes: OWN_BYTES, kept: Mutex::default(), share, rows }
    }

    /// Takes a record that may be one of the first; `write` makes its row.
    ///
    /// # Errors
    /// `order_needs_limit` when the first so many rows come to too many bytes; those of `write`.
    pub fn offer(&self, own: &mut Top, record: &impl Subject, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let order = &self.ranking.order;
        let place = order.place(record);
        let before = |other: &Option<Place>| other.as_ref().is_none_or(|other| order.compare(&place, other).is_lt());
        if !before(&own.bound) || self.ranking.after.as_ref().is_some_and(|after| order.compare(&place, after).is_le()) {
            return Ok(());
        }
        let mut row = Vec::new();
        write(&mut row)?;
        row.shrink_to_fit();
        own.bytes += bytes(&place, &row);
        own.held += held(&place, &row);
        own.rows.push((place, row));
        if own.rows.len() > 2 * self.ranking.most() {
            own.prune(&self.ranking);
        }
        self.note(own, NOTED_BYTES, true);
        let much = own.bytes > self.own_bytes || own.noted > 0 && self.share.is_short();
        if much { self.hand_over(own) } else { Ok(()) }
    }

    /// Hands over if the request is short of room, for a worker that is about to wait for some.
    ///
    /// # Errors
    /// As `hand_over`.
    pub fn relieve(&self, own: &mut Top) -> Result<()> {
        if self.share.is_short() { self.hand_over(own) } else { Ok(()) }
    }

    /// Takes what a worker has met, and lets it know what is not wanted any more.
    ///
    /// # Errors
    /// `order_needs_limit` when the first so many rows of all come to too many bytes.
    pub fn hand_over(&self, own: &mut Top) -> Result<()> {
        self.take(own, 2 * self.ranking.most()).map(drop)
    }

    /// How many are still missing, and with none the last that is wanted: `None` where it has no value.
    ///
    /// # Errors
    /// As `hand_over`.
    pub fn standing(&self, own: &mut Top) -> Result<(usize, Option<RangeKey>)> {
        let all = self.take(own, 0)?;
        let missing = self.ranking.most() - all.rows.len();
        Ok((missing, all.bound.as_ref().filter(|_| missing == 0).and_then(Place::range_key)))
    }

    /// As `hand_over`; where there are more than `most` rows then, those that are not wanted go.
    fn take(&self, own: &mut Top, most: usize) -> Result<MutexGuard<'_, Top>> {
        let ranking = &self.ranking;
        let mut all = self.kept.lock();
        all.bytes += std::mem::take(&mut own.bytes);
        all.held += std::mem::take(&mut own.held);
        self.share.unite(own.noted as u64);
        all.noted += std::mem::take(&mut own.noted);
        all.rows.append(&mut own.rows);
        if all.rows.len() > most || all.bytes > self.most_bytes || self.share.is_short() {
            all.prune(ranking);
        }
        self.note(&mut all, 0, false);
        if let Some(bound) = &all.bound
            && own.bound.as_ref().is_none_or(|own| ranking.order.compare(bound, own).is_lt())
        {
            own.bound = Some(bound.clone());
        }
        if all.bytes > self.most_bytes {
            let message = sentence!("the first records are too large to sort; use a smaller limit, and continue with the cursor");
            return Err(Error::said(ErrorCode::OrderNeedsLimit, message).in_field("limit"));
        }
        Ok(all)
    }

    /// Lets the budget know what rows take, once they take so much more or less than it knows. Those that are not wanted go before
    /// the request is taken to be short of room.
    fn note(&self, top: &mut Top, step: usize, apart: bool) {
        if top.held.abs_diff(top.noted) <= step {
            return;
        }
        if self.share.would_be_short((top.held.saturating_sub(top.noted)) as u64) && top.rows.len() > self.ranking.most() {
            top.prune(&self.ranking);
        }
        if top.noted == 0 && !top.rows.is_empty() {
            // As many rows as are wanted, each as those so far.
            self.share.claim((top.held / top.rows.len()).saturating_mul(self.rows).min(self.most_bytes) as u64);
        }
        let (more, less) = (top.held.saturating_sub(top.noted) as u64, top.noted.saturating_sub(top.held) as u64);
        if apart {
            self.share.hold_apart(more);
            self.share.unite(less);
        } else {
            self.share.hold(more);
        }
        self.share.release(less);
        top.noted = top.held;
    }

    /// The rows in order, and the cursor to the next if there are more; nothing is kept after.
    pub fn finish(&self) -> (Vec<Vec<u8>>, Option<String>) {
        let mut all = std::mem::take(&mut *self.kept.lock());
        all.prune(&self.ranking);
        let Ranking { order, limit, scope, .. } = &self.ranking;
        let mut rows = all.rows;
        rows.sort_unstable_by(|(a, _), (b, _)| order.compare(a, b));
        let more = rows.len() > *limit;
        rows.truncate(*limit);
        let cursor = rows.last().filter(|_| more).map(|(place, _)| place.encode(scope));
        (rows.into_iter().map(|(_, row)| row).collect(), cursor)
    }
}

impl Top {
    /// Leaves as many as are wanted, and one.
    fn prune(&mut self, ranking: &Ranking) {
        let most = ranking.most();
        if self.rows.len() < most {
            return;
        }
        let (_, last, _) = self.rows.select_nth_unstable_by(most - 1, |(a, _), (b, _)| ranking.order.compare(a, b));
        self.bound = Some(last.0.clone());
        for (place, row) in self.rows.drain(most..) {
            self.bytes -= bytes(&place, &row);
            self.held -= held(&place, &row);
        }
    }
}

/// What a row takes of memory while it waits.
fn held(place: &Place, row: &[u8]) -> usize {
    bytes(place, row) + ROW_OVERHEAD
}

/// What a row takes while it waits.
fn bytes(place: &Place, row: &[u8]) -> usize {
    row.len() + place.key.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::output::Order;
    use std::time::Duration;
    use tessera_record::{BodyBuilder, BodyRef, Digest, KeyRef, Meta};

    /// A record with a number of its own.
    struct Numbered(Vec<u8>, Digest);

    impl Numbered {
        fn new(n: i64) -> Self {
            let mut bytes = Vec::new();
            let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(n));
            body.bin("a", |out| {
                out.int(n);
                Ok(())
            })
            .unwrap();
            body.finish();
            Self(bytes, Digest::of("s", KeyRef::Integer(n)))
        }

        fn key(&self) -> Option<RangeKey> {
            Order::compile(br#"{"bin":"a"}"#).unwrap().place(self).range_key()
        }
    }

    impl Subject for Numbered {
        fn digest(&self) -> &Digest {
            &self.1
        }

        fn meta(&self) -> &Meta {
            const { &Meta { generation: 1, expires_at: 0, updated_at: 0 } }
        }

        fn size(&self) -> u64 {
            0
        }

        fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
            with("s")
        }

        fn body(&self) -> Option<BodyRef<'_>> {
            Some(BodyRef::new(&self.0))
        }
    }

    fn contest(limit: u64, most_bytes: usize) -> Contest {
        let order = Order::compile(br#"{"bin":"a"}"#).unwrap();
        let own_bytes = most_bytes / 2 / limits::THREADS as usize;
        let share = Budget::new(u64::MAX, Duration::ZERO).share();
        Contest { most_bytes, own_bytes, ..Contest::new(Ranking::new(order, Some(limit), None, b"").unwrap(), u64::MAX, share) }
    }

    /// Gives record after record to one worker after the other; rows are their numbers, and zeros up to `row` bytes.
    fn compete(contest: &Contest, workers: usize, numbers: impl Iterator<Item = i64>, row: usize) -> Result<usize> {
        let (mut tops, mut most) = (vec![], 0);
        tops.resize_with(workers, Top::default);
        for (at, n) in numbers.enumerate() {
            contest.offer(&mut tops[at % workers], &Numbered::new(n), |out| {
                out.extend_from_slice(&n.to_le_bytes());
                out.resize(row, 0);
                Ok(())
            })?;
            most = most.max(tops.iter().map(|top| top.bytes).sum::<usize>() + contest.kept.lock().bytes);
        }
        tops.iter_mut().try_for_each(|top| contest.hand_over(top)).map(|()| most)
    }

    #[test]
    fn large_rows_of_many_workers_are_no_more_than_what_is_wanted_of_all() {
        const MOST: usize = 1 << 20;
        // The wanted ones take a third of what may wait; as many for each of the workers would take twenty times that.
        let (limit, row) = (40, MOST / 3 / 41);
        let contest = contest(limit, MOST);
        let most = compete(&contest, 64, (0..4000).map(|n| n * 7919 % 4000), row).unwrap();
        assert!(most <= MOST + MOST / 2 + 64 * row, "{most} bytes waited");
        let (rows, cursor) = contest.finish();
        let numbers: Vec<i64> = rows.iter().map(|row| i64::from_le_bytes(*row.first_chunk().unwrap())).collect();
        assert_eq!((numbers, cursor.is_some()), ((0..40).collect(), true));
    }

    #[test]
    fn rows_that_fit_into_the_budget_are_not_refused_for_those_that_go_again() {
        // The wanted ones take half of the budget; twice as many may wait until they are sorted out.
        let (limit, row) = (400, 10_000);
        let budget = Budget::new(8 << 20, Duration::from_secs(60));
        let share = budget.share();
        let contest = Contest { share: share.clone(), ..contest(limit, WAITING_BYTES) };
        let (mut tops, numbers): ([Top; 8], _) = (Default::default(), (0..4000).map(|n| n * 7919 % 4000));
        for (at, n) in numbers.enumerate() {
            let top = &mut tops[at % 8];
            let write = |out: &mut Vec<u8>| {
                out.resize(row, n as u8);
                Ok(())
            };
            contest.offer(top, &Numbered::new(n), write).unwrap();
            contest.relieve(top).unwrap();
            share.settle(|| false).unwrap();
        }
        tops.iter_mut().for_each(|top| contest.hand_over(top).unwrap());
        assert_eq!(contest.finish().0.len(), 400);
        assert!(budget.usage().used_bytes <= 8 << 20);
    }

    #[test]
    fn what_is_wanted_of_all_is_bounded_by_its_bytes() {
        let contest = contest(9, 1000);
        assert!(compete(&contest, 4, 0..100, 80).is_ok());
        let contest = self::contest(9, 1000);
        assert_eq!(compete(&contest, 4, 0..100, 110).unwrap_err().code, ErrorCode::OrderNeedsLimit);
    }

    #[test]
    fn workers_learn_what_is_not_wanted_any_more() {
        let contest = contest(2, 1 << 20);
        let mut tops = [Top::default(), Top::default()];
        let offer = |top: &mut Top, n: i64| {
            let mut written = false;
            contest.offer(top, &Numbered::new(n), |_| {
                written = true;
                Ok(())
            })?;
            Ok::<bool, Error>(written)
        };
        (1..4).for_each(|n| assert!(offer(&mut tops[0], n).unwrap()));
        assert_eq!(contest.standing(&mut tops[0]).unwrap(), (0, Numbered::new(3).key()));
        assert!(!offer(&mut tops[0], 4).unwrap() && offer(&mut tops[1], 4).unwrap());
        contest.hand_over(&mut tops[1]).unwrap();
        assert!(!offer(&mut tops[1], 4).unwrap() && offer(&mut tops[1], 2).unwrap());
    }
}
