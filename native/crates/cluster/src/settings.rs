//! How a cluster is reached, and how sure reads and writes are to be.

use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result};

/// Longest list of contact points.
const CONTACT_POINTS: usize = 64;
/// Most requests in flight that a process may be given.
const IN_FLIGHT: usize = 32_768;
const TIMEOUT: std::ops::RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(600);

#[derive(Clone, Debug)]
pub struct Settings {
    /// `host` or `host:port`. One that answers is enough: it names the others.
    pub contact_points: Vec<String>,
    /// The data centre that requests go to. Unset: any. `Local…` consistencies refer to that of the node that is asked.
    pub data_centre: Option<String>,
    pub credentials: Option<Credentials>,
    /// Of reads of single records and of walks.
    pub reads: Consistency,
    /// How many replicas take a write before it is acknowledged.
    pub writes: Consistency,
    /// Where writes of one record take turns.
    pub serial: Serial,
    /// Of the keyspaces that are created.
    pub replication: Replication,
    /// Of one request. A write that takes longer is settled by further ones.
    pub timeout: Duration,
    pub connect_timeout: Duration,
    /// Most requests of this process in flight at once; others wait.
    pub in_flight: usize,
    /// Asks another replica when a read takes long. Writes are never asked twice at once.
    pub speculation: Option<Speculation>,
}

#[derive(Clone)]
pub struct Credentials {
    pub user: String,
    pub password: String,
}

/// Without the password.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// How many replicas of a record have to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    One,
    LocalOne,
    Quorum,
    LocalQuorum,
    EachQuorum,
    All,
}

/// Whether writes of one record take turns in all data centres, or in the local one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serial {
    Everywhere,
    Local,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replication {
    /// So many copies, whatever the data centres: for a cluster of one.
    Simple(u16),
    /// Copies by data centre.
    DataCentres(Vec<(String, u16)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speculation {
    pub after: Duration,
    /// Further replicas that are asked.
    pub most: usize,
}

impl Settings {
    /// Of the nodes at `contact_points`, with what suits a cluster of one data centre and three copies.
    pub fn new(contact_points: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            contact_points: contact_points.into_iter().map(Into::into).collect(),
            data_centre: None,
            credentials: None,
            reads: Consistency::LocalQuorum,
            writes: Consistency::LocalQuorum,
            serial: Serial::Local,
            replication: Replication::Simple(3),
            timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(5),
            in_flight: 1024,
            speculation: Some(Speculation { after: Duration::from_millis(300), most: 2 }),
        }
    }

    /// # Errors
    /// `config_invalid`, naming the field.
    pub fn check(&self) -> Result<()> {
        let points = self.contact_points.len();
        if points == 0 || points > CONTACT_POINTS || self.contact_points.iter().any(|point| point.trim().is_empty()) {
            return invalid("contactPoints", format!("must be 1 to {CONTACT_POINTS} addresses, none of them empty, got {points}"));
        }
        if self.data_centre.as_ref().is_some_and(String::is_empty) {
            return invalid("dataCentre", "must not be empty".into());
        }
        if self.credentials.as_ref().is_some_and(|credentials| credentials.user.is_empty()) {
            return invalid("credentials", "must have a user".into());
        }
        if self.reads == Consistency::EachQuorum {
            return invalid("reads", "must not be eachQuorum, which is for writes".into());
        }
        for (name, value) in [("timeout", self.timeout), ("connectTimeout", self.connect_timeout)] {
            if !TIMEOUT.contains(&value) {
                return invalid(name, format!("must be 100 ms to 600 s, got {} ms", value.as_millis()));
            }
        }
        if !(1..=IN_FLIGHT).contains(&self.in_flight) {
            return invalid("inFlight", format!("must be 1 to {IN_FLIGHT}, got {}", self.in_flight));
        }
        if self.speculation.is_some_and(|speculation| speculation.after.is_zero() || !(1..=8).contains(&speculation.most)) {
            return invalid("speculation", "must wait longer than 0 ms and ask 1 to 8 further replicas".into());
        }
        self.replication.check()
    }
}

impl Replication {
    fn check(&self) -> Result<()> {
        let legal = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
        let fits = match self {
            Self::Simple(copies) => *copies > 0,
            // The names go into the text of a statement.
            Self::DataCentres(all) => !all.is_empty() && all.iter().all(|(name, copies)| *copies > 0 && legal(name)),
        };
        if fits {
            return Ok(());
        }
        invalid("replication", "must have at least one copy in each data centre, and names of A-Z, a-z, 0-9, '_', '.', '-'".into())
    }

    /// As CQL writes it.
    pub(crate) fn cql(&self) -> String {
        match self {
            Self::Simple(copies) => format!("{{'class': 'SimpleStrategy', 'replication_factor': {copies}}}"),
            Self::DataCentres(all) => {
                let copies: String = all.iter().map(|(name, copies)| format!(", '{name}': {copies}")).collect();
                format!("{{'class': 'NetworkTopologyStrategy'{copies}}}")
            }
        }
    }
}

fn invalid(field: &str, why: String) -> Result<()> {
    Err(Error::new(ErrorCode::ConfigInvalid, format!("`{field}` {why}")).in_field(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_legal_and_each_bad_value_is_named() {
        let good = Settings::new(["127.0.0.1"]);
        good.check().unwrap();
        let refused = |change: fn(&mut Settings)| {
            let mut settings = good.clone();
            change(&mut settings);
            settings.check().unwrap_err().field.unwrap()
        };
        assert_eq!(refused(|s| s.contact_points.clear()), "contactPoints");
        assert_eq!(refused(|s| s.contact_points.push(" ".into())), "contactPoints");
        assert_eq!(refused(|s| s.data_centre = Some(String::new())), "dataCentre");
        assert_eq!(refused(|s| s.credentials = Some(Credentials { user: String::new(), password: "p".into() })), "credentials");
        assert_eq!(refused(|s| s.reads = Consistency::EachQuorum), "reads");
        assert_eq!(refused(|s| s.timeout = Duration::ZERO), "timeout");
        assert_eq!(refused(|s| s.connect_timeout = Duration::from_secs(601)), "connectTimeout");
        assert_eq!(refused(|s| s.in_flight = 0), "inFlight");
        assert_eq!(refused(|s| s.speculation = Some(Speculation { after: Duration::ZERO, most: 1 })), "speculation");
        assert_eq!(refused(|s| s.replication = Replication::Simple(0)), "replication");
        assert_eq!(refused(|s| s.replication = Replication::DataCentres(vec![("a'b".into(), 1)])), "replication");
    }

    #[test]
    fn a_password_is_not_printed() {
        let credentials = Credentials { user: "u".into(), password: "secret".into() };
        assert!(!format!("{credentials:?}").contains("secret"));
    }

    #[test]
    fn replication_is_written_as_cql() {
        assert_eq!(Replication::Simple(3).cql(), "{'class': 'SimpleStrategy', 'replication_factor': 3}");
        let two = Replication::DataCentres(vec![("a".into(), 3), ("b-1".into(), 2)]);
        assert_eq!(two.cql(), "{'class': 'NetworkTopologyStrategy', 'a': 3, 'b-1': 2}");
    }
}
