//! String arguments that name one of a few things.

use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// What `text` names.
///
/// # Errors
/// `config_invalid`, naming `field`.
pub fn one_of<T: Copy>(text: &str, field: &str, choices: &[(&str, T)]) -> Result<T> {
    choices.iter().find(|(name, _)| *name == text).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        Error::said(
            ErrorCode::ConfigInvalid,
            sentence!(
                "{field} must be one of {names}, got \"{given}\"",
                field = field,
                names = names.join(", "),
                given = limits::shown(text)
            ),
        )
        .in_field(field)
    })
}
