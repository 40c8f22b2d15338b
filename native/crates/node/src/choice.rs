//! String arguments that name one of a few things.

use tessera_base::{Error, ErrorCode, Result, limits};

/// What `text` names.
///
/// # Errors
/// `config_invalid`, naming `field`.
pub fn one_of<T: Copy>(text: &str, field: &str, choices: &[(&str, T)]) -> Result<T> {
    choices.iter().find(|(name, _)| *name == text).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        Error::new(ErrorCode::ConfigInvalid, format!("{field} must be one of {}, got {:?}", names.join(", "), limits::shown(text)))
            .in_field(field)
    })
}
