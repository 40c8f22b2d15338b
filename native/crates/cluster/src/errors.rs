//! What a failure of the driver means: an error with our code, and whether the request may have been carried out.

use crate::connections::{is_refusal, of_pool};
use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};
use tessera_base::{Error, ErrorCode};

/// A request that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// Whether a write may have been applied, or may yet be.
    pub(crate) open: bool,
}

impl Failure {
    fn done(code: ErrorCode, what: &impl ToString) -> Self {
        Self { error: Error::new(code, what.to_string()), open: false }
    }

    pub(crate) fn open(what: &impl ToString) -> Self {
        Self { error: Error::new(ErrorCode::ClusterUnavailable, what.to_string()), open: true }
    }

    pub(crate) fn internal(what: &impl ToString) -> Self {
        Self::done(ErrorCode::Internal, what)
    }
}

/// Of a request that changes nothing, it does not matter how it ended.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

impl From<ExecutionError> for Failure {
    fn from(error: ExecutionError) -> Self {
        match &error {
            ExecutionError::EmptyPlan => Self::done(ErrorCode::ClusterUnavailable, &error),
            ExecutionError::ConnectionPoolError(pool) => Self { error: of_pool(pool, None), open: false },
            ExecutionError::LastAttemptError(attempt) => of_attempt(attempt),
            ExecutionError::SchemaAgreementError(_) | ExecutionError::MetadataError(_) | ExecutionError::RequestTimeout(_) => {
                Self::open(&error)
            }
            ExecutionError::PrepareError(prepare) => of_prepare(prepare),
            _ => Self::internal(&error),
        }
    }
}

impl From<PrepareError> for Failure {
    fn from(error: PrepareError) -> Self {
        of_prepare(&error)
    }
}

/// Nothing is carried out before it is prepared.
fn of_prepare(error: &PrepareError) -> Failure {
    let failure = match error {
        PrepareError::ConnectionPoolError(pool) => Failure { error: of_pool(pool, None), open: false },
        PrepareError::AllAttemptsFailed { first_attempt } => of_attempt(first_attempt),
        _ => Failure::internal(error),
    };
    Failure { open: false, ..failure }
}

fn of_attempt(error: &RequestAttemptError) -> Failure {
    match error {
        RequestAttemptError::UnableToAllocStreamId => Failure::done(ErrorCode::ClusterUnavailable, error),
        RequestAttemptError::SerializationError(_) | RequestAttemptError::CqlRequestSerialization(_) => Failure::internal(error),
        RequestAttemptError::DbError(answer, message) => of_answer(answer, &format!("{answer}: {message}")),
        // The connection broke, or the answer cannot be read: the request had been sent.
        _ => Failure::open(error),
    }
}

fn of_answer(answer: &DbError, message: &String) -> Failure {
    if matches!(answer, DbError::Invalid) && is_gone(message) {
        return Failure::done(ErrorCode::ClusterUnavailable, &GONE);
    }
    match answer {
        DbError::IsBootstrapping | DbError::RateLimitReached { .. } => Failure::done(ErrorCode::ClusterUnavailable, message),
        refusal if is_refusal(refusal) => Failure::done(ErrorCode::ClusterRefused, message),
        DbError::Invalid | DbError::SyntaxError | DbError::ConfigError | DbError::FunctionFailure { .. } => {
            Failure::done(ErrorCode::CapabilityUnsupported, message)
        }
        DbError::AlreadyExists { .. } | DbError::ProtocolError | DbError::Unprepared { .. } => Failure::internal(message),
        // Too few replicas are up. A node looks for them before each round of Paxos, so a proposal may have been accepted by then.
        DbError::Unavailable { .. } => Failure::open(message),
        // Time-outs and failures of replicas, overload, errors of the server, and what is not known yet.
        _ => Failure::open(message),
    }
}

const GONE: &str = "the records that were opened here are gone from the cluster: somebody dropped their keyspace; drop the namespace, and \
                    create it again, with cluster.attach if others have made the keyspace again";

/// Whether an answer says that a table or a keyspace is not there.
fn is_gone(message: &str) -> bool {
    let names_it = ["eyspace ", "table "].iter().any(|what| message.contains(what));
    message.contains("unconfigured table") || names_it && message.contains("does not exist")
}

#[cfg(test)]
mod tests {
    use super::*;
    use scylla::frame::types::Consistency;
    use std::time::Duration;

    fn answered(answer: DbError) -> (ErrorCode, bool) {
        let failure = Failure::from(ExecutionError::LastAttemptError(RequestAttemptError::DbError(answer, String::new())));
        (failure.error.code, failure.open)
    }

    #[test]
    fn only_what_certainly_was_not_begun_is_closed() {
        let (consistency, required) = (Consistency::LocalQuorum, 2);
        assert_eq!(answered(DbError::Unavailable { consistency, required, alive: 1 }), (ErrorCode::ClusterUnavailable, true));
        assert_eq!(answered(DbError::IsBootstrapping), (ErrorCode::ClusterUnavailable, false));
        assert!(answered(DbError::ReadTimeout { consistency, received: 1, required, data_present: false }).1);
        assert_eq!(answered(DbError::Overloaded), (ErrorCode::ClusterUnavailable, true));
        assert_eq!(answered(DbError::ServerError), (ErrorCode::ClusterUnavailable, true));
        // CAS_WRITE_UNKNOWN of later protocols.
        assert_eq!(answered(DbError::Other(0x1700)), (ErrorCode::ClusterUnavailable, true));
        assert_eq!(answered(DbError::Unauthorized), (ErrorCode::ClusterRefused, false));
        assert_eq!(answered(DbError::Invalid), (ErrorCode::CapabilityUnsupported, false));
        let late = Failure::from(ExecutionError::RequestTimeout(Duration::from_secs(1)));
        assert_eq!((late.error.code, late.open), (ErrorCode::ClusterUnavailable, true));
    }

    #[test]
    fn what_is_gone_is_told_as_such() {
        for text in [
            "unconfigured table k0_records",
            "table k0_records does not exist",
            "Keyspace ts_a does not exist",
            "keyspace ts_a does not exist",
        ] {
            let failure = of_answer(&DbError::Invalid, &text.to_owned());
            assert_eq!((failure.error.code, failure.open), (ErrorCode::ClusterUnavailable, false), "{text}");
            assert!(failure.error.message.contains("cluster.attach"), "{text}");
        }
        assert_eq!(of_answer(&DbError::Invalid, &"Undefined column name x".to_owned()).error.code, ErrorCode::CapabilityUnsupported);
    }
}
