//! How many numbers lie where.

use super::Number;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_base::limits::BUCKETS;
use tessera_base::{Error, ErrorCode, Result, sentence};

#[derive(Clone, Debug)]
pub(super) enum Buckets {
    /// From each bound up to the next; the last bucket has its upper bound too.
    Bounds(Vec<Number>),
    /// As wide as this, from `from` on and below.
    Width { width: Number, from: Number },
}

#[derive(Clone, Debug)]
pub(super) struct Histogram {
    pub(super) buckets: Arc<Buckets>,
    /// By number of the bucket, those that hold something.
    pub(super) counts: BTreeMap<i64, u64>,
    pub(super) below: u64,
    pub(super) above: u64,
    /// Whether there would be more buckets than may be.
    overflown: bool,
}

impl Histogram {
    pub(super) const fn new(buckets: Arc<Buckets>) -> Self {
        Self { buckets, counts: BTreeMap::new(), below: 0, above: 0, overflown: false }
    }

    pub(super) fn add(&mut self, number: Number) {
        let bucket = match &*self.buckets {
            Buckets::Bounds(bounds) => {
                let at = bounds.partition_point(|bound| bound.order(number) != Some(Ordering::Greater));
                let last = bounds.last().is_some_and(|last| last.order(number) == Some(Ordering::Equal));
                match at {
                    0 => {
                        self.below += 1;
                        return;
                    }
                    at if at == bounds.len() && !last => {
                        self.above += 1;
                        return;
                    }
                    at => (at - 1).min(bounds.len() - 2) as i64,
                }
            }
            Buckets::Width { width, from } => match (number, width, from) {
                (Number::Int(n), Number::Int(width), Number::Int(from)) => {
                    (i128::from(n) - i128::from(*from)).div_euclid(i128::from(*width)).clamp(i64::MIN.into(), i64::MAX.into()) as i64
                }
                _ => ((number.as_double() - from.as_double()) / width.as_double()).floor() as i64,
            },
        };
        self.count(bucket, 1);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        other.counts.iter().for_each(|(&bucket, &count)| self.count(bucket, count));
        self.below += other.below;
        self.above += other.above;
        self.overflown |= other.overflown;
    }

    fn count(&mut self, bucket: i64, count: u64) {
        if let Some(known) = self.counts.get_mut(&bucket) {
            *known += count;
        } else if self.counts.len() < BUCKETS {
            self.counts.insert(bucket, count);
        } else {
            self.overflown = true;
        }
    }

    /// # Errors
    /// `aggregate_invalid` where there were more buckets than may be.
    pub(super) fn check(&self) -> Result<()> {
        if self.overflown {
            let message = sentence!("the histogram has more than {most} buckets; make them wider", most = BUCKETS);
            return Err(Error::said(ErrorCode::AggregateInvalid, message).in_field("aggregate"));
        }
        Ok(())
    }

    /// Where a bucket begins and ends.
    pub(super) fn ends(&self, bucket: i64) -> Option<(Number, Number)> {
        match &*self.buckets {
            Buckets::Bounds(bounds) => {
                let at = usize::try_from(bucket).ok()?;
                Some((*bounds.get(at)?, *bounds.get(at + 1)?))
            }
            Buckets::Width { width, from } => {
                let end = |bucket: i64| match (width, from) {
                    (Number::Int(width), Number::Int(from)) => i128::from(bucket)
                        .checked_mul(i128::from(*width))
                        .and_then(|at| i64::try_from(at + i128::from(*from)).ok())
                        .map_or_else(|| Number::Double(bucket as f64 * *width as f64 + *from as f64), Number::Int),
                    _ => Number::Double(bucket as f64 * width.as_double() + from.as_double()),
                };
                Some((end(bucket), end(bucket.saturating_add(1))))
            }
        }
    }
}
