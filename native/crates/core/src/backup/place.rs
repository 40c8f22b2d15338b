//! Where backups are: a directory, or a bucket.

use super::objects::Objects;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where backups are. No caller of the API chooses more than the name that the operator gave it.
#[derive(Clone)]
pub enum Place {
    Directory(PathBuf),
    Bucket(Bucket),
}

/// Objects, and what leads to them.
#[derive(Clone)]
pub struct Bucket {
    /// The name that the operator gave it.
    pub name: String,
    pub objects: Arc<dyn Objects>,
    /// A directory for the parts that are being written: their files have no names.
    pub scratch: PathBuf,
}

impl Place {
    /// The name of the bucket, for the parameters of jobs.
    pub(crate) fn target(&self) -> Option<&str> {
        match self {
            Self::Directory(_) => None,
            Self::Bucket(bucket) => Some(&bucket.name),
        }
    }
}

impl From<&Path> for Place {
    fn from(directory: &Path) -> Self {
        Self::Directory(directory.to_owned())
    }
}
