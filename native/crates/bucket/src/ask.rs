//! Asks an endpoint, and again while what is wrong may pass.

use crate::answer::{Fault, Judged, good};
use crate::exchange::{self, Answer, NoAnswer, Request};
use crate::known_target::{Access, KnownTarget};
use reqwest::Client;
use std::time::{Duration, SystemTime};
use tessera_base::Result;
use tessera_base::sentence;
use tessera_core::backup::Wanted;

/// How often one thing is asked.
const TRIES: u32 = 7;
/// A wait between two tries doubles from one to the next, up to this.
const WAIT_MOST: Duration = Duration::from_secs(10);

/// What speaks with an endpoint.
pub(crate) struct Asker {
    /// The name of the target.
    pub(crate) name: String,
    pub(crate) access: Access,
    client: Client,
    first_wait: Duration,
}

impl Asker {
    pub(crate) fn new(name: &str, known: &KnownTarget, first_wait: Duration) -> Result<Self> {
        let access = known.access(name)?;
        let client = exchange::client(&access)?;
        Ok(Self { name: name.to_owned(), access, client, first_wait })
    }

    /// Sends what `request` makes, which has a new signature each time. `judge` says what a good answer has to be.
    ///
    /// # Errors
    /// `backup_target_unavailable` after the last try, `aborted`. The inner one will not pass.
    pub(crate) fn ask<T>(
        &self,
        most: usize,
        wanted: &Wanted<'_>,
        request: impl Fn() -> Request,
        judge: impl Fn(Answer, u32) -> Judged<T>,
    ) -> Result<Judged<T>> {
        for tried in 1.. {
            let answer = exchange::exchange(&self.client, request(), most, self.access.timeout, wanted)?;
            let judged = match answer {
                Ok(answer) => good(answer).and_then(|answer| judge(answer, tried)),
                Err(NoAnswer::Unwanted) => return Err(exchange::aborted()),
                Err(NoAnswer::Failed(why)) => Err(Fault::Again(why.into())),
            };
            match judged {
                Err(Fault::Again(why)) if tried >= TRIES => {
                    return Err(Fault::Again(sentence!("{why}; asked {tries} times", why = why, tries = TRIES).into()).error(&self.name));
                }
                Err(Fault::Again(_)) => exchange::wait(self.pause(tried), wanted)?,
                Err(Fault::NoSuchUpload) if tried > 1 => return Ok(Err(Fault::NoSuchUpload)),
                judged => return Ok(judged),
            }
        }
        Err(exchange::aborted())
    }

    /// As `ask`, for what has to succeed.
    ///
    /// # Errors
    /// `backup_target_unavailable`, `backup_target_refused`, `aborted`.
    pub(crate) fn must<T>(
        &self,
        most: usize,
        wanted: &Wanted<'_>,
        request: impl Fn() -> Request,
        judge: impl Fn(Answer, u32) -> Judged<T>,
    ) -> Result<T> {
        self.ask(most, wanted, request, judge)?.map_err(|fault| fault.error(&self.name))
    }

    /// Sends a request once, and does not look at the answer.
    pub(crate) fn try_once(&self, request: Request, timeout: Duration) {
        let _ = exchange::exchange(&self.client, request, 64 << 10, timeout, &|| true);
    }

    /// Half of it is chance, so that those who were sent away together do not come back together.
    fn pause(&self, tried: u32) -> Duration {
        let whole = self.first_wait.saturating_mul(1 << (tried - 1).min(16)).min(WAIT_MOST);
        let chance = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.subsec_nanos() % 1000);
        whole / 2 + whole / 2 * chance / 1000
    }
}
