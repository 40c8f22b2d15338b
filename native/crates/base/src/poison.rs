//! A failed write or a panicking worker stops the namespace, not the process.

use crate::error::{Error, ErrorCode, Result};
use crate::sentence;
use crate::sentence::Sentence;
use std::sync::OnceLock;

/// Whether a namespace was stopped, and why. Reads go on; writes are refused.
#[derive(Debug, Default)]
pub struct Poison {
    reason: OnceLock<Sentence>,
}

impl Poison {
    /// Stops the namespace; the first reason is kept.
    pub fn set(&self, reason: Sentence) {
        let _ = self.reason.set(reason);
    }

    /// # Errors
    /// `namespace_poisoned` once the namespace was stopped.
    #[inline]
    pub fn check(&self) -> Result<()> {
        match self.reason.get() {
            None => Ok(()),
            Some(reason) => {
                Err(Error::said(ErrorCode::NamespacePoisoned, sentence!("writes are stopped: {reason}", reason = reason.clone())))
            }
        }
    }

    /// Stops the namespace if the current scope is left by a panic. `work` says what is done meanwhile: "building an index".
    #[inline]
    pub fn on_panic(&self, work: fn() -> Sentence) -> OnPanic<'_> {
        OnPanic { poison: self, work }
    }
}

pub struct OnPanic<'a> {
    poison: &'a Poison,
    work: fn() -> Sentence,
}

impl Drop for OnPanic<'_> {
    #[inline]
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.poison.set(sentence!("a worker failed while {work}", work = (self.work)()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_panic_in_scope_poisons_and_the_first_reason_stays() {
        let poison = Poison::default();
        poison.check().unwrap();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _guard = poison.on_panic(|| sentence!("building an index"));
            panic!("boom");
        }));
        assert!(caught.is_err());
        poison.set(sentence!("building an index"));
        let refused = poison.check().unwrap_err();
        assert_eq!(refused.code, ErrorCode::NamespacePoisoned);
        assert_eq!(refused.message, "writes are stopped: a worker failed while building an index");
        assert!(refused.sentence().is_some_and(Sentence::has_values));
    }
}
