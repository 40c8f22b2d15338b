//! Why there is no connection: what the driver tells of it, with our code and words that say what to do.

use crate::tls;
use scylla::errors::{
    BrokenConnectionError, BrokenConnectionErrorKind, ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind as Setup,
    DbError, FrameHeaderParseError, MetadataError, NewSessionError,
};
use std::io;
use tessera_base::{Error, ErrorCode};

/// `hint`: what may be wrong if a node ends the connection without a word.
pub(crate) fn of_session(error: &NewSessionError, hint: &str) -> Error {
    match error {
        NewSessionError::IllegalConfig(_) | NewSessionError::EmptyKnownNodesList => Error::new(ErrorCode::ConfigInvalid, error.to_string()),
        NewSessionError::MetadataError(MetadataError::ConnectionPoolError(pool)) => of_pool(pool, Some(hint)),
        _ => unavailable(error),
    }
}

pub(crate) fn of_pool(error: &ConnectionPoolError, hint: Option<&str>) -> Error {
    match error {
        ConnectionPoolError::Broken { last_connection_error } => of_connection(last_connection_error, hint),
        _ => unavailable(error),
    }
}

fn of_connection(error: &ConnectionError, hint: Option<&str>) -> Error {
    let told = |reason: Option<String>| reason.or_else(|| hint.map(|hint| format!("{hint} ({error})")));
    let reason = match error {
        ConnectionError::IoError(io) => tls::cause(io).and_then(|cause| told(tls::reason(cause))),
        ConnectionError::BrokenConnection(broken) => told(of_broken(broken)),
        ConnectionError::ConnectionSetupRequestError(setup) => match &setup.error {
            Setup::BrokenConnection(broken) => told(of_broken(broken)),
            Setup::DbError(answer, words) if is_refusal(answer) => return refused(&format!("{answer}: {words}")),
            Setup::MissingAuthentication => return refused(&"it wants a user and a password, and the file of TESSERA_CLUSTERS has none"),
            Setup::StartAuthSessionError(error) | Setup::AuthChallengeEvaluationError(error) | Setup::AuthFinishError(error) => {
                return refused(error);
            }
            _ => None,
        },
        _ => None,
    };
    reason.map_or_else(|| unavailable(error), |reason| unavailable(&reason))
}

/// Nodes refuse a certificate when the connection is there already, by an alert.
fn of_broken(broken: &BrokenConnectionError) -> Option<String> {
    let alert: &io::Error = match broken.downcast_ref()? {
        BrokenConnectionErrorKind::FrameHeaderParseError(FrameHeaderParseError::HeaderIoError(error))
        | BrokenConnectionErrorKind::WriteError(error) => error,
        _ => return None,
    };
    tls::cause(alert).and_then(tls::reason)
}

/// Whether a node lets nobody of this name do it.
pub(crate) const fn is_refusal(answer: &DbError) -> bool {
    matches!(answer, DbError::AuthenticationError | DbError::Unauthorized)
}

fn unavailable(what: &impl ToString) -> Error {
    Error::new(ErrorCode::ClusterUnavailable, what.to_string())
}

fn refused(what: &impl ToString) -> Error {
    Error::new(ErrorCode::ClusterRefused, what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn who_is_not_let_in_is_refused_and_who_is_not_answered_may_try_again() {
        let code = |error: ConnectionError| of_pool(&ConnectionPoolError::Broken { last_connection_error: error }, None).code;
        let gone = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(code(ConnectionError::IoError(Arc::new(gone))), ErrorCode::ClusterUnavailable);
        assert_eq!(code(ConnectionError::ConnectTimeout), ErrorCode::ClusterUnavailable);
        assert_eq!(of_pool(&ConnectionPoolError::Initializing, None).code, ErrorCode::ClusterUnavailable);
        assert_eq!(of_session(&NewSessionError::EmptyKnownNodesList, "").code, ErrorCode::ConfigInvalid);
        assert!(is_refusal(&DbError::AuthenticationError) && is_refusal(&DbError::Unauthorized));
        assert!(!is_refusal(&DbError::Overloaded));
    }
}
