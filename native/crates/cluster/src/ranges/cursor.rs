//! Which ranges of tokens a walk has still to go through.

use std::collections::VecDeque;

/// Ranges that a whole walk is divided into: small enough that 128 workers share the work to the end.
const PARTS: u32 = 512;

/// Where a walk goes on: the tokens that are left. An empty one is that of a walk that has met all; `Cursor::default()` has all
/// tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(super) spans: Vec<Span>,
}

/// Tokens above `after`, up to `to`. No key has the lowest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) after: i64,
    pub(super) to: i64,
}

impl Default for Cursor {
    fn default() -> Self {
        let step = (1_i128 << 64) / i128::from(PARTS);
        let edge = |part: u32| i64::try_from(i128::from(i64::MIN) + step * i128::from(part)).unwrap_or(i64::MAX);
        Self { spans: (0..PARTS).map(|part| Span { after: edge(part), to: edge(part + 1) }).collect() }
    }
}

impl Cursor {
    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.spans.is_empty()
    }

    /// As pairs of tokens, each the range above the first up to the second.
    pub fn tokens(&self) -> Vec<(i64, i64)> {
        self.spans.iter().map(|span| (span.after, span.to)).collect()
    }

    /// The reverse of `tokens`; `None` if the pairs are not in order.
    pub fn of_tokens(tokens: &[(i64, i64)]) -> Option<Self> {
        let spans: Vec<Span> = tokens.iter().map(|&(after, to)| Span { after, to }).collect();
        let ordered = spans.iter().all(|span| span.after < span.to) && spans.windows(2).all(|pair| pair[0].to <= pair[1].after);
        ordered.then_some(Self { spans })
    }
}

/// Ranges that nobody has taken yet, and those that are under way or were left.
pub(super) struct Progress {
    waiting: VecDeque<Span>,
    begun: Vec<Span>,
}

impl Progress {
    pub(super) fn new(from: &Cursor) -> Self {
        Self { waiting: from.spans.iter().copied().collect(), begun: Vec::new() }
    }

    pub(super) fn take(&mut self) -> Option<Span> {
        let span = self.waiting.pop_front()?;
        self.begun.push(span);
        Some(span)
    }

    pub(super) fn done(&mut self, span: Span, left: Option<Span>) {
        self.begun.retain(|other| *other != span);
        self.begun.extend(left.filter(|left| left.after < left.to));
    }

    pub(super) fn rest(self) -> Cursor {
        let mut spans: Vec<Span> = self.begun.into_iter().chain(self.waiting).collect();
        spans.sort_unstable();
        Cursor { spans }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_walk_has_each_token_once() {
        let all = Cursor::default().tokens();
        assert_eq!((all[0].0, all[all.len() - 1].1), (i64::MIN, i64::MAX));
        assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0));
        assert_eq!(Cursor::of_tokens(&all), Some(Cursor::default()));
        assert_eq!(Cursor::of_tokens(&[(5, 5)]), None);
        assert_eq!(Cursor::of_tokens(&[(5, 9), (8, 10)]), None);
    }

    #[test]
    fn what_is_left_is_what_nobody_has_gone_through() {
        let from = Cursor::of_tokens(&[(0, 10), (10, 20), (20, 30)]).unwrap();
        let mut progress = Progress::new(&from);
        let (first, second) = (progress.take().unwrap(), progress.take().unwrap());
        progress.done(second, None);
        progress.done(first, Some(Span { after: 7, to: 10 }));
        assert_eq!(progress.rest().tokens(), [(7, 10), (20, 30)]);
        let mut progress = Progress::new(&Cursor::of_tokens(&[(0, 10)]).unwrap());
        let only = progress.take().unwrap();
        progress.done(only, Some(Span { after: 10, to: 10 }));
        assert!(progress.rest().is_done());
    }
}
