//! Where the records of a namespace are: a keyspace with three small tables.

use crate::errors::Failure;
use crate::session::{Cluster, Kind};
use scylla::statement::Statement;
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, limits};
use tessera_record::{Digest, KeyRef};

/// Longest name of a keyspace that Cassandra takes, bytes.
const KEYSPACE_BYTES: usize = 48;
/// Least time that a change of the schema is given.
const CHANGE: Duration = Duration::from_secs(30);
/// Of the tables' columns. Another one is refused.
const VERSION: &str = "1";

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

/// Creates what is not there yet, and waits until all nodes know it.
///
/// # Errors
/// `name_invalid`; `namespace_exists` if the keyspace belongs to another namespace; `capability_unsupported`; `cluster_unavailable`.
pub(crate) fn create(cluster: &Cluster, namespace: &str) -> Result<String> {
    limits::check_name(namespace, "namespace")?;
    let keyspace = keyspace_of(namespace);
    let replication = cluster.settings().replication.cql();
    for text in [
        format!("CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = {replication}"),
        format!("CREATE TABLE IF NOT EXISTS {keyspace}.about (what text PRIMARY KEY, value text)"),
        format!(
            "CREATE TABLE IF NOT EXISTS {keyspace}.records (digest blob PRIMARY KEY, set_name text, body blob, generation int, \
             updated_at bigint, expires_at bigint, write_id uuid, previous uuid, terms set<int>)"
        ),
        format!("CREATE TABLE IF NOT EXISTS {keyspace}.truncations (set_name text PRIMARY KEY, before bigint)"),
    ] {
        run(cluster, &text)?;
    }
    cluster
        .wait(cluster.session().await_schema_agreement())
        .map_err(|error| Error::new(ErrorCode::ClusterUnavailable, error.to_string()))?;
    claim(cluster, &keyspace, "namespace", namespace)?;
    claim(cluster, &keyspace, "version", VERSION)?;
    Ok(keyspace)
}

/// Removes all records of a namespace.
///
/// # Errors
/// `cluster_unavailable`.
pub(crate) fn remove(cluster: &Cluster, namespace: &str) -> Result<()> {
    run(cluster, &format!("DROP KEYSPACE IF EXISTS {}", keyspace_of(namespace)))
}

/// Changes the schema. The driver waits for agreement after each change, and a change takes longer than a request may.
fn run(cluster: &Cluster, text: &str) -> Result<()> {
    let mut statement = Statement::new(text);
    statement.set_request_timeout(Some(cluster.settings().timeout.max(CHANGE)));
    cluster.wait(cluster.session().query_unpaged(statement, ())).map_err(|error| Failure::from(error).error)?;
    Ok(())
}

/// Writes down a fact about the keyspace, once, and checks that it is the one.
fn claim(cluster: &Cluster, keyspace: &str, what: &str, value: &str) -> Result<()> {
    let insert = format!("INSERT INTO {keyspace}.about (what, value) VALUES (?, ?) IF NOT EXISTS");
    let insert = cluster.prepare(Kind::Write, &insert)?;
    cluster.send(&insert, (what, value))?;
    let read = cluster.prepare(Kind::SerialRead, &format!("SELECT value FROM {keyspace}.about WHERE what = ?"))?;
    let rows = cluster.send(&read, (what,))?.into_rows_result().map_err(|error| Failure::internal(&error))?;
    let (found,) = rows.single_row::<(&str,)>().map_err(|error| Failure::internal(&error))?;
    if found == value {
        return Ok(());
    }
    let message = format!("the keyspace {keyspace} has the {what} {:?}, not {value:?}", limits::shown(found));
    Err(Error::new(ErrorCode::NamespaceExists, message))
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
}
