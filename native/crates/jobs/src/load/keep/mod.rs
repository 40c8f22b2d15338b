//! What is told and kept of an import: its report, the rows that it refused, how far it has come, and how to resume it.

mod header_file;
pub(super) mod import_files;
pub(super) mod journal;
pub(super) mod progress;
pub(super) mod reject_file;
pub(super) mod reject_info;
pub(super) mod report;
