//! The clusters that the operator has described: where each is, and who may enter.
//!
//! A namespace names one of them. So a caller of the API chooses neither where this process
//! connects to nor where a password goes, and no password is in the manifest, in an answer or in a
//! log. The file is read anew for each opening: what is changed in it counts from the next one.

use crate::tls::Tls;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};

/// Longest list of contact points.
const CONTACT_POINTS: usize = 64;

/// A cluster, as the file describes it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct KnownCluster {
    /// `host` or `host:port`. One that answers is enough: it names the others.
    pub contact_points: Vec<String>,
    pub user: Option<String>,
    pub password: Option<String>,
    /// How connections are encrypted; `None`: not at all.
    pub tls: Option<Tls>,
}

/// Without the password.
impl std::fmt::Debug for KnownCluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { contact_points, user, tls, password: _ } = self;
        let mut shown = f.debug_struct("KnownCluster");
        shown.field("contact_points", contact_points).field("user", user).field("tls", tls).finish_non_exhaustive()
    }
}

impl KnownCluster {
    /// Of the nodes at `contact_points`, which take everybody.
    pub fn open_to_all(contact_points: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { contact_points: contact_points.into_iter().map(Into::into).collect(), user: None, password: None, tls: None }
    }

    /// Who enters; `None`: everybody may.
    pub(crate) fn credentials(&self) -> Option<(&str, &str)> {
        self.user.as_deref().zip(self.password.as_deref())
    }

    fn check(&self, name: &str) -> Result<()> {
        limits::check_name(name, "cluster.name")
            .map_err(|_| unknown(sentence!("no namespace can name the cluster \"{name}\"", name = limits::shown(name))))?;
        let points = self.contact_points.len();
        if points == 0 || points > CONTACT_POINTS || self.contact_points.iter().any(|point| point.trim().is_empty()) {
            return Err(unknown(sentence!(
                "the cluster \"{name}\" must have 1 to {most} contactPoints, none of them empty, got {given}",
                name = name,
                most = CONTACT_POINTS,
                given = points
            )));
        }
        if self.user.is_some() != self.password.is_some() || self.user.as_ref().is_some_and(String::is_empty) {
            return Err(unknown(sentence!("the cluster \"{name}\" must have both user and password, or neither", name = name)));
        }
        self.tls.as_ref().map_or(Ok(()), |tls| tls.check(name))
    }
}

/// A cluster of the file, without what nobody else may know.
#[derive(Debug, PartialEq, Eq)]
pub struct Described {
    pub name: String,
    pub contact_points: Vec<String>,
    /// Whether connections are encrypted.
    pub encrypted: bool,
    /// Why no namespace can use it.
    pub problem: Option<String>,
}

/// The clusters of the file at `path`, by their names; none if the operator has described none.
///
/// # Errors
/// `config_invalid`. What stands in the file is in no message.
pub(crate) fn list(path: Option<&PathBuf>) -> Result<Vec<Described>> {
    let known = path.map(|path| read(path)).transpose()?.unwrap_or_default();
    let described = known.into_iter().map(|(name, known)| Described {
        problem: known.check(&name).err().map(|error| error.message),
        encrypted: known.tls.is_some(),
        contact_points: known.contact_points,
        name,
    });
    Ok(described.collect())
}

/// The cluster `name` of the file at `path`; `None`: the operator has described none.
///
/// # Errors
/// `config_invalid`. What stands in the file is in no message.
pub(crate) fn find(path: Option<&PathBuf>, name: &str) -> Result<KnownCluster> {
    let Some(path) = path else {
        return Err(unknown(sentence!(
            "this server knows no clusters; its operator describes them in the file that TESSERA_CLUSTERS names"
        )));
    };
    let known = read(path)?
        .remove(name)
        .ok_or_else(|| unknown(sentence!("this server knows no cluster \"{name}\"", name = limits::shown(name))))?;
    known.check(name)?;
    Ok(known)
}

fn read(path: &Path) -> Result<BTreeMap<String, KnownCluster>> {
    let text = fs::read(path).map_err(|error| unknown(sentence!("the file of TESSERA_CLUSTERS cannot be read: {why}", why = error)))?;
    // The parser quotes what it does not understand, and that may be a password.
    serde_json::from_slice(&text).map_err(|error| {
        unknown(sentence!(
            "the file of TESSERA_CLUSTERS is not as it must be, at line {line}, column {column}",
            line = error.line(),
            column = error.column()
        ))
    })
}

fn unknown(message: Sentence) -> Error {
    Error::said(ErrorCode::ConfigInvalid, message).in_field("cluster.name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, name: &str) -> std::result::Result<KnownCluster, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        find(Some(&file.path().to_owned()), name).map_err(|error| {
            assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("cluster.name")));
            error.message
        })
    }

    #[test]
    fn a_cluster_is_found_by_its_name() {
        let text = r#"{"a":{"contactPoints":["10.0.0.1:9042"],"user":"u","password":"p"},"b":{"contactPoints":["b"]}}"#;
        assert_eq!(found(text, "a").unwrap().credentials(), Some(("u", "p")));
        assert_eq!(found(text, "b"), Ok(KnownCluster::open_to_all(["b"])));
        assert!(found(text, "c").unwrap_err().contains("no cluster \"c\""));
        assert!(find(None, "a").unwrap_err().message.contains("TESSERA_CLUSTERS"));
        assert_eq!(find(Some(&PathBuf::from("/nowhere/at-all")), "a").unwrap_err().code, ErrorCode::ConfigInvalid);
    }

    #[test]
    fn the_list_has_every_cluster_with_what_is_wrong_and_no_secret() {
        let listed = |text: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), text).unwrap();
            list(Some(&file.path().to_owned()))
        };
        let good = r#""a":{"contactPoints":["x","y:1"],"user":"u","password":"hunter2","tls":{"ca":"/a"}}"#;
        let bad = r#""b":{"contactPoints":["z"],"password":"hunter2"},"c d":{"contactPoints":["z"]}"#;
        let all = listed(&format!("{{{bad},{good}}}")).unwrap();
        let contact_points = vec!["x".into(), "y:1".into()];
        assert_eq!(all[0], Described { name: "a".into(), contact_points, encrypted: true, problem: None });
        let problems: Vec<_> = all.iter().map(|each| (each.name.as_str(), each.problem.as_deref().unwrap_or_default())).collect();
        assert!(problems[1].1.contains("both user and password"), "{problems:?}");
        assert!(problems[2].1.contains("no namespace can name"), "{problems:?}");
        assert!(!format!("{all:?}").contains("hunter2"));
        let refused = listed(r#"{"a":{"contactPoints":["x"],"password":hunter2}}"#).unwrap_err();
        assert_eq!((refused.code, refused.message.contains("hunter2")), (ErrorCode::ConfigInvalid, false));
        assert_eq!(list(None), Ok(vec![]));
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said_without_a_password() {
        let secret = "hunter2";
        for text in [
            r#"{"a":{"contactPoints":["x"],"user":"u","password":"hunter2","hunter2":1}}"#,
            r#"{"a":{"contactPoints":["x"],"user":"u","password":hunter2}}"#,
            r#"{"a":{"contactPoints":"hunter2"}}"#,
            r#"{"a":{"contactPoints":["x"],"password":"hunter2"}}"#,
            r#"{"a":{"contactPoints":[],"user":"u","password":"hunter2"}}"#,
            r#"{"a":{"contactPoints":["x"],"tls":{"hunter2":1}}}"#,
            r#"{"a":{"contactPoints":["x"],"user":"u","password":"hunter2","tls":{"ca":"a.pem"}}}"#,
            r#"{"a":{"contactPoints":["x"],"user":"u","password":"hunter2","tls":{"ca":"/a","key":"/b"}}}"#,
        ] {
            let message = found(text, "a").unwrap_err();
            assert!(!message.contains(secret), "{message}");
        }
        let known = KnownCluster { user: Some("u".into()), password: Some(secret.into()), ..KnownCluster::open_to_all(["x"]) };
        assert!(!format!("{known:?}").contains(secret));
    }
}
