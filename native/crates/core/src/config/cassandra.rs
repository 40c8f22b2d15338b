//! How a namespace keeps its records on a Cassandra cluster.

use super::invalid;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use tessera_base::{Result, limits, sentence};

/// Most requests in flight that a namespace may be given.
const IN_FLIGHT: u32 = 32_768;
const TIMEOUT_MS: RangeInclusive<u32> = 100..=600_000;
const SPECULATION_AFTER_MS: RangeInclusive<u32> = 1..=600_000;
/// Most data centres, and copies in each.
const DATA_CENTRES: usize = 64;
const COPIES: RangeInclusive<u16> = 1..=64;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CassandraConfig {
    /// Names a cluster that the operator has described: where it is, and who may enter. Neither is in the manifest.
    pub cluster: String,
    /// Made from records that the cluster had already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub attach: bool,
    /// The data centre that requests go to. Unset: any. `Local…` consistencies refer to that of the node that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_centre: Option<String>,
    /// Of reads of single records.
    pub reads: Consistency,
    /// How many replicas take a write before it is acknowledged.
    pub writes: Consistency,
    /// Where writes of one record take turns.
    pub serial: Serial,
    /// Of the keyspace, when it is created.
    pub replication: Replication,
    /// Of one request. A write that takes longer is settled by further ones.
    pub timeout_ms: u32,
    pub connect_timeout_ms: u32,
    /// Most requests of the namespace in flight at once; others wait.
    pub in_flight: u32,
    /// Asks another replica when a read takes long. Writes are never asked twice at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speculation: Option<Speculation>,
}

/// How many replicas of a record have to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consistency {
    One,
    LocalOne,
    Quorum,
    LocalQuorum,
    EachQuorum,
    All,
}

/// Whether writes of one record take turns in all data centres, or in the local one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Serial {
    Everywhere,
    Local,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replication {
    /// So many copies, whatever the data centres: for a cluster of one.
    Simple(u16),
    /// Copies by data centre.
    DataCentres(BTreeMap<String, u16>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speculation {
    pub after_ms: u32,
    /// Further replicas that are asked.
    pub most: u32,
}

impl CassandraConfig {
    /// What suits a cluster of one data centre and three copies.
    pub fn new(cluster: impl Into<String>) -> Self {
        Self {
            cluster: cluster.into(),
            attach: false,
            data_centre: None,
            reads: Consistency::LocalQuorum,
            writes: Consistency::LocalQuorum,
            serial: Serial::Local,
            replication: Replication::Simple(3),
            timeout_ms: 5000,
            connect_timeout_ms: 5000,
            in_flight: 1024,
            speculation: Some(Speculation { after_ms: 300, most: 2 }),
        }
    }

    /// # Errors
    /// `name_invalid`, `config_invalid`, each naming the field.
    pub fn check(&self) -> Result<()> {
        limits::check_name(&self.cluster, "cluster.name")?;
        if self.data_centre.as_deref().is_some_and(|name| !legal(name)) {
            return invalid(
                "cluster.dataCentre",
                sentence!(
                    "dataCentre must be {legal}, got \"{given}\"",
                    legal = LEGAL,
                    given = self.data_centre.as_deref().unwrap_or_default()
                ),
            );
        }
        if self.reads == Consistency::EachQuorum {
            return invalid("cluster.reads", sentence!("reads must not be each_quorum, which is for writes"));
        }
        for (name, value) in [("timeoutMs", self.timeout_ms), ("connectTimeoutMs", self.connect_timeout_ms)] {
            within(name, value, &TIMEOUT_MS)?;
        }
        within("inFlight", self.in_flight, &(1..=IN_FLIGHT))?;
        if let Some(Speculation { after_ms, most }) = self.speculation {
            within("speculation.afterMs", after_ms, &SPECULATION_AFTER_MS)?;
            within("speculation.most", most, &(1..=8))?;
        }
        self.replication.check()
    }
}

const LEGAL: &str = "1 to 63 characters of A-Z, a-z, 0-9, '_', '.', '-'";

/// Whether CQL takes it between quotes as it is.
fn legal(name: &str) -> bool {
    (1..=63).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

fn within(name: &str, value: u32, range: &RangeInclusive<u32>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    invalid(
        &format!("cluster.{name}"),
        sentence!("{field} must be {low} to {high}, got {given}", field = name, low = *range.start(), high = *range.end(), given = value),
    )
}

impl Replication {
    fn check(&self) -> Result<()> {
        let field = "cluster.replication";
        let copies = |copies: u16| match COPIES.contains(&copies) {
            true => Ok(()),
            false => invalid(
                field,
                sentence!("copies must be {low} to {high}, got {given}", low = *COPIES.start(), high = *COPIES.end(), given = copies),
            ),
        };
        match self {
            Self::Simple(all) => copies(*all),
            Self::DataCentres(all) if all.is_empty() || all.len() > DATA_CENTRES => invalid(
                field,
                sentence!("replication must name 1 to {most} data centres, got {given}", most = DATA_CENTRES, given = all.len()),
            ),
            Self::DataCentres(all) => all.iter().try_for_each(|(name, each)| match legal(name) {
                // The names go into the text of a statement.
                true => copies(*each),
                false => {
                    invalid(field, sentence!("a data centre must be {legal}, got \"{given}\"", legal = LEGAL, given = limits::shown(name)))
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_legal_and_each_bad_value_is_named() {
        let good = CassandraConfig::new("prod");
        good.check().unwrap();
        let refused = |change: fn(&mut CassandraConfig)| {
            let mut config = good.clone();
            change(&mut config);
            config.check().unwrap_err().field.unwrap()
        };
        assert_eq!(refused(|c| c.cluster = "a/b".into()), "cluster.name");
        assert_eq!(refused(|c| c.data_centre = Some(String::new())), "cluster.dataCentre");
        assert_eq!(refused(|c| c.reads = Consistency::EachQuorum), "cluster.reads");
        assert_eq!(refused(|c| c.timeout_ms = 99), "cluster.timeoutMs");
        assert_eq!(refused(|c| c.connect_timeout_ms = 600_001), "cluster.connectTimeoutMs");
        assert_eq!(refused(|c| c.in_flight = 0), "cluster.inFlight");
        assert_eq!(refused(|c| c.speculation = Some(Speculation { after_ms: 0, most: 1 })), "cluster.speculation.afterMs");
        assert_eq!(refused(|c| c.speculation = Some(Speculation { after_ms: 1, most: 9 })), "cluster.speculation.most");
        assert_eq!(refused(|c| c.replication = Replication::Simple(0)), "cluster.replication");
        assert_eq!(refused(|c| c.replication = Replication::DataCentres(BTreeMap::new())), "cluster.replication");
        assert_eq!(refused(|c| c.replication = Replication::DataCentres([("a'b".into(), 1)].into())), "cluster.replication");
    }

    #[test]
    fn it_is_kept_and_read_as_it_was() {
        let all = CassandraConfig {
            attach: true,
            data_centre: Some("dc1".into()),
            replication: Replication::DataCentres([("dc1".into(), 3), ("dc2".into(), 2)].into()),
            speculation: None,
            ..CassandraConfig::new("prod")
        };
        for config in [CassandraConfig::new("prod"), all] {
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<CassandraConfig>(&text).unwrap(), config);
        }
    }
}
