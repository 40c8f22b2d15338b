//! Who had which name when ids were first kept: `first-ids`, written once. What was kept by a name before belongs to them.

use super::{framed, sync_directory};
use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::Path;
use tessera_base::names::{NamespaceId, Tenure};
use tessera_base::{Error, ErrorCode, Result, read_regular, sentence};

const NAME: &str = "first-ids";
const MAGIC: &[u8; 8] = b"TESSERAF";

/// What the file says; a directory without one gets it, with `now`. A file that cannot be read or written fails no start: then
/// nobody owns what was kept before.
pub(super) fn of(directory: &Path, now: &HashMap<String, Tenure>) -> HashMap<String, NamespaceId> {
    read(directory, now).unwrap_or_default()
}

fn read(directory: &Path, now: &HashMap<String, Tenure>) -> Result<HashMap<String, NamespaceId>> {
    let path = directory.join(NAME);
    let ids: BTreeMap<String, [u8; 16]> = match read_regular(&path) {
        Ok(bytes) => serde_json::from_slice(framed::open(MAGIC, &bytes, NAME)?).map_err(|error| {
            Error::said(ErrorCode::ManifestDamaged, sentence!("{what} is damaged: {why}", what = NAME, why = error.to_string()))
        })?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let ids = now.iter().map(|(name, tenure)| (name.clone(), tenure.id.0)).collect();
            let written = framed::replace(directory, NAME, &framed::seal(MAGIC, &ids)?, &sync_directory);
            written.map_err(|error| Error::io(&format!("writing {}", path.display()), &error))?;
            ids
        }
        Err(error) => return Err(Error::io(&format!("reading {}", path.display()), &error)),
    };
    Ok(ids.into_iter().map(|(name, id)| (name, NamespaceId(id))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tenures(names: &[(&str, u8)]) -> HashMap<String, Tenure> {
        names.iter().map(|(name, id)| ((*name).to_owned(), Tenure { id: NamespaceId([*id; 16]), since_ms: 1 })).collect()
    }

    #[test]
    fn is_written_once_and_says_the_same_ever_after() {
        let directory = tempfile::tempdir().unwrap();
        let first = of(directory.path(), &tenures(&[("a", 1), ("b", 2)]));
        assert_eq!(first, HashMap::from([("a".to_owned(), NamespaceId([1; 16])), ("b".to_owned(), NamespaceId([2; 16]))]));
        assert_eq!(of(directory.path(), &tenures(&[("a", 3)])), first);
    }

    #[test]
    fn gives_nothing_to_anybody_if_it_is_damaged_and_stays() {
        let directory = tempfile::tempdir().unwrap();
        of(directory.path(), &tenures(&[("a", 1)]));
        let path = directory.path().join(NAME);
        let mut bytes = fs::read(&path).unwrap();
        bytes[25] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(of(directory.path(), &tenures(&[("a", 3)])), HashMap::new());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
