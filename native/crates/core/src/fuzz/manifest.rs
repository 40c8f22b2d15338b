//! The list of the namespaces of a data directory.

use crate::config::{DeviceConfig, DeviceFile, NamespaceConfig, SetConfig};
use crate::manifest::{Manifest, NamespaceRecord, Truncation};
use std::collections::HashSet;
use tessera_base::ErrorCode;
use tessera_index::{IndexKind, IndexSpec};

/// Flag of the first byte: the rest is the file as it is, and not the JSON in it.
const RAW: u8 = 1;
/// Bytes before the JSON.
const HEADER: usize = 20;

/// First byte: flags. Then the JSON, which gets a header with the right length and checksum.
pub fn run(data: &[u8]) {
    let Some((&flags, rest)) = data.split_first() else { return };
    let mut file = if flags & RAW == 0 { wrapped(rest) } else { rest.to_vec() };
    let manifest = match Manifest::decode(&file) {
        Ok(manifest) => manifest,
        Err(error) => {
            assert!(matches!(error.code, ErrorCode::ManifestDamaged | ErrorCode::ManifestVersionUnknown), "{error}");
            // serde_json quotes what it did not expect.
            assert!(error.message.len() <= 2 * file.len() + 4096);
            return;
        }
    };
    let names: HashSet<&str> = manifest.namespaces.iter().map(|namespace| namespace.config.name.as_str()).collect();
    let numbers: HashSet<u64> = manifest.namespaces.iter().map(|namespace| namespace.number).collect();
    assert_eq!((names.len(), numbers.len()), (manifest.namespaces.len(), manifest.namespaces.len()), "two namespaces are the same");
    assert!(numbers.iter().all(|number| *number <= manifest.next), "a directory to come is there already");
    let again = manifest.encode();
    assert_eq!(again.as_ref().map(|bytes| Manifest::decode(bytes)), Ok(Ok(manifest)));
    assert!(again.is_ok_and(|bytes| bytes.len() <= 16 * file.len() + 4096));
    let roll = crc32c::crc32c(data);
    let at = roll as usize % file.len();
    file[at] ^= roll as u8 | 1;
    assert!(Manifest::decode(&file).is_err(), "byte {at}");
}

fn wrapped(json: &[u8]) -> Vec<u8> {
    let words = [1, json.len() as u32, crc32c::crc32c(json)].map(u32::to_le_bytes);
    [b"TESSERAM", words.as_flattened(), json].concat()
}

/// Manifests with none, one and all kinds of namespaces.
pub fn seeds() -> Vec<Vec<u8>> {
    let namespace = |number: u64, config| NamespaceRecord::new(number, [3; 16], 5, config);
    let devices = vec![DeviceFile { path: "/mnt/a/tessera".into(), capacity_bytes: 1 << 30 }];
    let device = NamespaceConfig::device("events", DeviceConfig { devices, ..DeviceConfig::default() });
    let mut full = namespace(2, with_set_and_index(device));
    full.truncations = vec![Truncation { set: None, until_ms: 12 }];
    let memory = namespace(1, NamespaceConfig::memory("m"));
    let all = [vec![], vec![memory.clone()], vec![memory, full]].map(|namespaces| Manifest { next: 2, namespaces, ..Manifest::default() });
    let files = all.iter().filter_map(|manifest| manifest.encode().ok());
    files.flat_map(|file| [[&[0][..], &file[HEADER..]].concat(), [&[RAW][..], &file].concat()]).collect()
}

/// `config` with a set that has a distribution bin, and a document index over it.
pub(crate) fn with_set_and_index(config: NamespaceConfig) -> NamespaceConfig {
    let set = SetConfig { name: "s".into(), distribution_bin: Some("repo".into()), index: true, ..SetConfig::default() };
    let index = IndexSpec {
        name: "i".into(),
        set: Some("s".into()),
        bin: Some("payload".into()),
        kind: IndexKind::Document,
        path: None,
        created_at_ms: 1,
    };
    NamespaceConfig { sets: vec![set], indexes: vec![index], ..config }
}
