//! Requests on their way to a cluster: no more than so many at once, and no longer with a node that says nothing.

use crate::errors::Failure;
use crate::silence::Silence;
use scylla::client::session::Session;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;
use std::future::Future;
use std::result;
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// What a request needs that goes on while nobody waits for it. It holds no runtime, which must not end on a thread of its own.
pub(crate) struct Link {
    session: Session,
    in_flight: Semaphore,
    silence: Arc<Silence>,
}

/// Rows of a page, and where the next one begins; `None` behind the last.
pub(crate) type Page = (QueryRowsResult, Option<PagingState>);

impl Link {
    pub(crate) fn new(session: Session, in_flight: u32, silence: Arc<Silence>) -> Self {
        Self { session, in_flight: Semaphore::new(in_flight as usize), silence }
    }

    pub(crate) const fn session(&self) -> &Session {
        &self.session
    }

    /// Sends a request, when fewer than `in_flight` others are on their way.
    pub(crate) async fn ask(&self, statement: &PreparedStatement, values: impl SerializeRow) -> result::Result<QueryResult, Failure> {
        let _permit = self.permit().await?;
        let send = || self.session.execute_unpaged(statement, &values);
        Ok(match statement.get_is_idempotent() {
            true => self.twice(send).await,
            false => send().await,
        }?)
    }

    /// Sends a write. Its outcome is open once it has waited while some nodes are silent.
    pub(crate) async fn try_write(&self, statement: &PreparedStatement, values: impl SerializeRow) -> result::Result<QueryResult, Failure> {
        let _permit = self.permit().await?;
        match self.silence.unless_some(self.session.execute_unpaged(statement, &values)).await {
            Some(answer) => Ok(answer?),
            None => Err(Failure::open(&"a node has not answered")),
        }
    }

    /// One page of what a statement brings.
    pub(crate) async fn page(
        &self,
        statement: &PreparedStatement,
        values: impl SerializeRow,
        from: PagingState,
    ) -> result::Result<Page, Failure> {
        let _permit = self.permit().await?;
        let (page, next) = self.twice(|| self.session.execute_single_page(statement, &values, from.clone())).await?;
        let page = page.into_rows_result().map_err(|error| Failure::internal(&error))?;
        Ok((page, if let PagingStateResponse::HasMorePages { state } = next { Some(state) } else { None }))
    }

    /// What comes of a request that does no harm twice: it is sent again, to another node, if it has waited while some are silent.
    async fn twice<F: Future>(&self, send: impl Fn() -> F) -> F::Output {
        match self.silence.unless_some(send()).await {
            Some(answer) => answer,
            None => send().await,
        }
    }

    async fn permit(&self) -> result::Result<SemaphorePermit<'_>, Failure> {
        self.in_flight.acquire().await.map_err(|closed| Failure::internal(&closed))
    }
}
