//! Where the records of a namespace are: a keyspace with their table and five small ones.

use crate::errors::Failure;
use crate::indexes::{self, Indexes};
use crate::pause::pause;
use crate::session::{Cluster, Kind, applied};
use crate::tables::Tables;
use scylla::statement::Statement;
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_core::config::Replication;
use tessera_core::store::remote::{COLUMNS, NodeHealth, Origin};
use tessera_record::{Digest, KeyRef};
use uuid::Uuid;

/// Longest name of a keyspace that Cassandra takes, bytes.
const KEYSPACE_BYTES: usize = 48;
/// Least time that a change of the schema is given.
const CHANGE: Duration = Duration::from_secs(30);
/// One is tried so often at most.
const CHANGES: usize = 4;
/// What says whether records have one bin.
const SINGLE_BIN: &str = "single bin";
/// Of the tables' columns. Another one is refused.
const VERSION: &str = "5";

/// The keyspace of a namespace. Its names have small letters, digits and `_` alone, so they need no quotes in CQL, and are
/// different directories on file systems that do not tell `A` from `a`.
pub(crate) fn keyspace_of(namespace: &str) -> String {
    let mut name = String::from("ts_");
    for letter in namespace.chars() {
        match letter {
            'a'..='z' | '0'..='9' => name.push(letter),
            '_' => name.push_str("__"),
            '.' => name.push_str("_d"),
            '-' => name.push_str("_h"),
            other => {
                name.push_str("_u");
                name.push(other.to_ascii_lowercase());
            }
        }
    }
    if name.len() <= KEYSPACE_BYTES {
        return name;
    }
    // The true name is in the table `about`.
    format!("th_{}", Digest::of("", KeyRef::String(namespace)))
}

/// The namespace whose records they are, as the data directory of a server has it.
#[derive(Clone, Copy, Debug)]
pub struct Whose<'a> {
    pub namespace: &'a str,
    /// No other has it.
    pub id: [u8; 16],
    /// Whether records have one bin, without a name.
    pub single_bin: bool,
}

/// The keyspace of a namespace.
pub(crate) struct Place {
    pub(crate) tables: Tables,
    /// Whether this opening has created it: then it may remove it.
    pub(crate) made: bool,
}

/// Finds the keyspace of a namespace, or makes it. All nodes know it then.
///
/// # Errors
/// `name_invalid`; `config_invalid` for more copies than the nodes can hold, or for `single_bin` if the records have bins with names,
/// and the other way round; `namespace_exists` if other records are there;
/// `data_file_missing` if none are that should be; `capability_unsupported`; `cluster_unavailable`.
pub(crate) fn open(cluster: &Cluster, whose: &Whose<'_>, origin: Origin) -> Result<Place> {
    let namespace = whose.namespace;
    limits::check_name(namespace, "namespace")?;
    let keyspace = keyspace_of(namespace);
    let found = find(cluster, &keyspace)?;
    match (origin, found) {
        (Origin::There, Found::Nothing) => {
            return Err(Error::said(
                ErrorCode::DataFileMissing,
                sentence!("the cluster \"{cluster}\" has no keyspace {keyspace}", cluster = cluster.name(), keyspace = keyspace),
            ));
        }
        (_, Found::Foreign) => {
            return Err(Error::said(
                ErrorCode::NamespaceExists,
                sentence!("the cluster has a keyspace {keyspace} that has no records of Tessera", keyspace = keyspace),
            ));
        }
        (Origin::There, Found::Ours) => {}
        (Origin::New | Origin::Copy, _) => {
            check_copies(&cluster.config().replication, &cluster.nodes())?;
            create(cluster, &keyspace)?;
            if !claim(cluster, &keyspace, "namespace", namespace)? {
                let message = match origin == Origin::New {
                    true => sentence!(
                        "the cluster has the keyspace {keyspace} with records of a namespace already; set cluster.attach to use them, or drop the keyspace",
                        keyspace = &keyspace
                    ),
                    false => sentence!(
                        "the cluster has the keyspace {keyspace} with records of a namespace already; drop the keyspace",
                        keyspace = &keyspace
                    ),
                };
                return Err(Error::said(ErrorCode::NamespaceExists, message).in_field("cluster.attach"));
            }
            let tables = Tables::new(&keyspace);
            if origin == Origin::Copy {
                // Before another server can open it.
                claim(cluster, &keyspace, &indexes::what(&tables), &Indexes::of_copy(Uuid::from_bytes(whose.id))?)?;
            }
            create_tables(cluster, &tables)?;
            claim(cluster, &keyspace, "tables", tables.id())?;
            claim(cluster, &keyspace, SINGLE_BIN, yes_or_no(whose.single_bin))?;
            claim(cluster, &keyspace, "version", VERSION)?;
        }
    }
    check(cluster, &keyspace, "namespace", namespace)?;
    check(cluster, &keyspace, "version", VERSION)?;
    check_bins(cluster, &keyspace, whose.single_bin)?;
    let id = said(cluster, &keyspace, "tables")?;
    Ok(Place { tables: Tables::with(&keyspace, &id.unwrap_or_default())?, made: found == Found::Nothing })
}

const fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// A server that took them for the other kind would write what the others cannot read.
fn check_bins(cluster: &Cluster, keyspace: &str, single: bool) -> Result<()> {
    if said(cluster, keyspace, SINGLE_BIN)?.as_deref() == Some(yes_or_no(single)) {
        return Ok(());
    }
    let message = match single {
        true => sentence!("the records of the keyspace {keyspace} have bins with names; set singleBin to false", keyspace = keyspace),
        false => {
            sentence!("the records of the keyspace {keyspace} have one bin without a name; set singleBin to true", keyspace = keyspace)
        }
    };
    Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("singleBin"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    Ours,
    /// A keyspace without the table that tells whose it is.
    Foreign,
}

fn find(cluster: &Cluster, keyspace: &str) -> Result<Found> {
    let there = |text: &str| -> Result<bool> {
        let answer = cluster.send(&cluster.prepare(Kind::Read, text)?, (keyspace,))?;
        Ok(answer.into_rows_result().map_err(|error| Failure::internal(&error))?.rows_num() > 0)
    };
    if !there("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?")? {
        return Ok(Found::Nothing);
    }
    let ours = there("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = 'about'")?;
    Ok(if ours { Found::Ours } else { Found::Foreign })
}

/// Creates what is not there yet, to say whose it is: that is decided by a claim.
fn create(cluster: &Cluster, keyspace: &str) -> Result<()> {
    let replication = cql(&cluster.config().replication);
    run_all(
        cluster,
        &[
            format!("CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = {replication}"),
            format!("CREATE TABLE IF NOT EXISTS {keyspace}.about (what text PRIMARY KEY, value text)"),
        ],
    )
}

fn create_tables(cluster: &Cluster, tables: &Tables) -> Result<()> {
    let [records, servers, truncations, sets, held] = ["records", "servers", "truncations", "sets", "held"].map(|what| tables.of(what));
    let columns: String = (0..COLUMNS).map(|column| format!(", {} bigint", column_of(column))).collect();
    run_all(
        cluster,
        &[
            format!(
                "CREATE TABLE IF NOT EXISTS {records} (digest blob PRIMARY KEY, set_name text, body blob, generation int, \
                 updated_at bigint, expires_at bigint, write_id uuid, previous uuid, listed int, terms set<int>{columns})"
            ),
            format!("CREATE TABLE IF NOT EXISTS {servers} (id uuid PRIMARY KEY, writes int, walks int)"),
            format!("CREATE TABLE IF NOT EXISTS {truncations} (set_name text PRIMARY KEY, before bigint, uncounted bigint, swept bigint)"),
            format!("CREATE TABLE IF NOT EXISTS {sets} (name text PRIMARY KEY)"),
            // A table with counters can have nothing else.
            format!("CREATE TABLE IF NOT EXISTS {held} (set_name text PRIMARY KEY, records counter, bytes counter)"),
        ],
    )
}

/// All nodes know it then.
fn run_all(cluster: &Cluster, changes: &[String]) -> Result<()> {
    changes.iter().try_for_each(|text| run(cluster, text))?;
    let agreed = cluster.wait(cluster.session().await_schema_agreement());
    agreed.map(drop).map_err(|error| Error::new(ErrorCode::ClusterUnavailable, error.to_string()))
}

/// Of a range index.
pub(crate) fn column_of(column: usize) -> String {
    format!("range_{column}")
}

/// Makes a column one that rows can be asked for by. Does nothing if it is one already.
///
/// # Errors
/// `cluster_unavailable`.
pub(crate) fn index_column(cluster: &Cluster, tables: &Tables, column: &str) -> Result<()> {
    let (name, records) = (tables.name(column), tables.records());
    let index = format!("CREATE CUSTOM INDEX IF NOT EXISTS {name} ON {records} ({column}) USING 'StorageAttachedIndex'");
    run(cluster, &index)
}

/// Refuses copies of which most could never answer: the keyspace would be made, and nothing could be written into it.
fn check_copies(replication: &Replication, nodes: &[NodeHealth]) -> Result<()> {
    let check = |copies: u16, nodes: usize, place: &str| {
        if usize::from(copies / 2 + 1) <= nodes || copies == 0 {
            return Ok(());
        }
        let message = sentence!(
            "most of {copies} copies cannot be on {nodes} nodes, which is all that {place} has",
            copies = copies,
            nodes = nodes,
            place = place
        );
        Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("cluster.replication"))
    };
    match replication {
        Replication::Simple(copies) => check(*copies, nodes.len(), "the cluster"),
        Replication::DataCentres(all) => all.iter().try_for_each(|(name, copies)| {
            let there = nodes.iter().filter(|node| node.data_centre.as_ref() == Some(name)).count();
            check(*copies, there, &format!("the data centre {name:?}"))
        }),
    }
}

/// As CQL writes it.
fn cql(replication: &Replication) -> String {
    match replication {
        Replication::Simple(copies) => format!("{{'class': 'SimpleStrategy', 'replication_factor': {copies}}}"),
        Replication::DataCentres(all) => {
            let copies: String = all.iter().map(|(name, copies)| format!(", '{name}': {copies}")).collect();
            format!("{{'class': 'NetworkTopologyStrategy'{copies}}}")
        }
    }
}

/// Removes all records of a namespace.
///
/// # Errors
/// `cluster_unavailable`.
pub(crate) fn remove(cluster: &Cluster, keyspace: &str) -> Result<()> {
    run(cluster, &format!("DROP KEYSPACE IF EXISTS {keyspace}"))
}

/// Changes the schema. The driver waits for agreement after each change, and a change takes longer than a request may. All do no harm
/// if they are done again. A node that still applies another one may answer with an error of its own, such as "Unknown CF".
fn run(cluster: &Cluster, text: &str) -> Result<()> {
    let mut statement = Statement::new(text);
    statement.set_request_timeout(Some(cluster.timeout().max(CHANGE)));
    let change = || cluster.wait(cluster.session().query_unpaged(statement.clone(), ())).map_err(|error| Failure::from(error).error);
    let mut changed = change();
    for tries in 1..CHANGES {
        if !matches!(&changed, Err(error) if error.code == ErrorCode::ClusterUnavailable) {
            break;
        }
        pause(tries);
        changed = change();
    }
    changed.map(drop)
}

/// Writes down a fact about the keyspace, once. Whether it was this call.
fn claim(cluster: &Cluster, keyspace: &str, what: &str, value: &str) -> Result<bool> {
    let insert = format!("INSERT INTO {keyspace}.about (what, value) VALUES (?, ?) IF NOT EXISTS");
    Ok(applied(&cluster.send(&cluster.prepare(Kind::Write, &insert)?, (what, value))?)?)
}

/// What is written down about the keyspace.
fn said(cluster: &Cluster, keyspace: &str, what: &str) -> Result<Option<String>> {
    let read = cluster.prepare(Kind::SerialRead, &format!("SELECT value FROM {keyspace}.about WHERE what = ?"))?;
    let rows = cluster.send(&read, (what,))?.into_rows_result().map_err(|error| Failure::internal(&error))?;
    let found = rows.maybe_first_row::<(Option<String>,)>().map_err(|error| Failure::internal(&error))?;
    Ok(found.and_then(|(found,)| found))
}

/// Checks it.
fn check(cluster: &Cluster, keyspace: &str, what: &str, value: &str) -> Result<()> {
    let found = said(cluster, keyspace, what)?;
    if found.as_deref() == Some(value) {
        return Ok(());
    }
    let found = found.map_or("none".to_owned(), |found| format!("{:?}", limits::shown(&found)));
    Err(Error::said(
        ErrorCode::NamespaceExists,
        sentence!(
            "the keyspace {keyspace} has the {what} {found}, not \"{value}\"",
            keyspace = keyspace,
            what = what,
            found = found,
            value = value
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn different_namespaces_have_different_legal_keyspaces() {
        let long = "X".repeat(limits::NAME_BYTES);
        let longer = format!("{}-", "x".repeat(limits::NAME_BYTES - 1));
        let names = ["a", "A", "_a", "_ua", "a.b", "a-b", "a_b", "a_db", "a__b", "-", "_", "0", &long, &long.to_lowercase(), &longer];
        let keyspaces: HashSet<String> = names.iter().map(|name| keyspace_of(name)).collect();
        assert_eq!(keyspaces.len(), names.len());
        let legal =
            |name: &String| name.len() <= KEYSPACE_BYTES && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        assert!(keyspaces.iter().all(legal), "{keyspaces:?}");
        assert_eq!(keyspace_of("Ab_c.d-e"), "ts__uab__c_dd_he");
    }

    #[test]
    fn copies_of_which_most_could_never_answer_are_refused() {
        let node = |data_centre: &str| NodeHealth {
            id: String::new(),
            address: String::new(),
            data_centre: Some(data_centre.to_owned()),
            rack: None,
            connected: false,
        };
        let nodes = [node("a"), node("a"), node("b")];
        for (copies, fit) in [(1, true), (3, true), (5, true), (6, false)] {
            assert_eq!(check_copies(&Replication::Simple(copies), &nodes).is_ok(), fit, "{copies}");
        }
        let copies = |a, b| check_copies(&Replication::DataCentres([("a".into(), a), ("b".into(), b)].into()), &nodes);
        assert!(copies(3, 1).is_ok() && copies(2, 0).is_ok());
        let error = copies(3, 2).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("cluster.replication")));
        assert_eq!(error.message, "most of 2 copies cannot be on 1 nodes, which is all that the data centre \"b\" has");
    }

    #[test]
    fn replication_is_written_as_cql() {
        assert_eq!(cql(&Replication::Simple(3)), "{'class': 'SimpleStrategy', 'replication_factor': 3}");
        let two = Replication::DataCentres([("a".into(), 3), ("b-1".into(), 2)].into());
        assert_eq!(cql(&two), "{'class': 'NetworkTopologyStrategy', 'a': 3, 'b-1': 2}");
    }
}
