//! Model files: TOML to system and study, with diagnostics that point at the line
