//! What an operator should know: namespaces that do not serve as they should, and damage that their recovery found.

use super::Engine;
use super::member::{Member, NamespaceState};
use std::fmt;
use tessera_base::{Error, ErrorCode, sentence};

/// One thing worth knowing about one namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub namespace: String,
    /// `Ready`: it serves as it is configured to; see `wrong`.
    pub state: NamespaceState,
    pub error: Error,
}

impl Notice {
    /// Whether it is more than information: the namespace does not do all that is asked of it.
    pub fn wrong(&self) -> bool {
        self.state != NamespaceState::Ready || self.error.code == ErrorCode::StopWrites
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.state {
            NamespaceState::Failed => "could not be opened: ",
            NamespaceState::ReadOnly => "refuses writes for now: ",
            NamespaceState::Poisoned | NamespaceState::Ready | NamespaceState::Recovering => "",
        };
        write!(f, "{}: {what}{}", self.namespace, self.error.message)
    }
}

impl Engine {
    /// Notices of all namespaces, oldest namespace first. None while all is well.
    pub fn notices(&self) -> Vec<Notice> {
        self.members().iter().filter_map(Member::notice).collect()
    }
}

impl Member {
    fn notice(&self) -> Option<Notice> {
        let (state, error) = self.state();
        let trouble = || self.open().ok().and_then(|namespace| namespace.writes_stopped().or_else(|| namespace.trouble()));
        let error = error.or_else(trouble).or_else(|| self.damage())?;
        Some(Notice { namespace: self.name().to_owned(), state, error })
    }

    fn damage(&self) -> Option<Error> {
        let namespace = self.open().ok()?;
        if let Some(loss) = namespace.recovery().losses.first() {
            return Some(Error::said(
                loss.code,
                sentence!("opened with what is left; accepted as lost: {message}", message = &loss.message),
            ));
        }
        let (scrubbed, opened) = (namespace.scrub_damage(), namespace.recovery().damaged);
        let found = match (scrubbed, opened) {
            (0, 0) => return None,
            (0, places) => {
                sentence!(
                    "{places, plural, one {# damaged place was} other {# damaged places were}} found on its device when it was opened",
                    places = places
                )
            }
            (places, _) => {
                sentence!(
                    "{places, plural, one {# damaged place was} other {# damaged places were}} found on its device by the last scrub",
                    places = places
                )
            }
        };
        Some(Error::said(ErrorCode::RecordDamaged, found))
    }
}
