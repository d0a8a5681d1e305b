//! Flags for the settings of integrators: they follow from what the integrators declare.

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use poinsot_integrators::{Given, Key, Kind, Value, keys};
use std::sync::LazyLock;

/// Settings of integrators from the command line.
#[derive(Clone, Default)]
pub struct SettingFlags(pub Given);

/// A setting with the words of its flag.
struct Flag {
    key: &'static Key,
    /// Without its dashes.
    long: String,
    alias: Option<String>,
    /// What stands for the value in the help.
    placeholder: String,
}

/// Flags that mean something else: `--tolerance` is that of adaptive steps.
const TAKEN: [&str; 1] = ["tolerance"];

static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| {
    let flagged = keys().iter().filter(|key| !TAKEN.contains(&key.setting.key));
    let flags = flagged.map(|key| Flag {
        key,
        long: flag(key.setting.key),
        alias: key.setting.alias.map(flag),
        placeholder: match key.setting.kind {
            Kind::Count(_) => "N".into(),
            _ => key.setting.key.to_uppercase(),
        },
    });
    flags.collect()
});

/// The flag of a key, without its dashes.
pub fn flag(key: &str) -> String {
    key.replace('_', "-")
}

/// All flags in a row.
pub fn flags() -> String {
    FLAGS.iter().map(|flag| format!("--{}", flag.long)).collect::<Vec<_>>().join(", ")
}

fn parser(key: &Key) -> ValueParser {
    match key.setting.kind {
        Kind::Number(_) => value_parser!(f64).into(),
        Kind::Count(_) => value_parser!(usize).into(),
        Kind::Flag => value_parser!(bool),
        Kind::Word(_) => PossibleValuesParser::new(key.words.iter().map(|own| own.word)).into(),
    }
}

fn read(key: &Key, matches: &ArgMatches) -> Option<Value> {
    let name = key.setting.key;
    match key.setting.kind {
        Kind::Number(_) => matches.get_one(name).copied().map(Value::Number),
        Kind::Count(_) => matches.get_one(name).copied().map(Value::Count),
        Kind::Flag => matches.get_one(name).copied().map(Value::Flag),
        Kind::Word(_) => key.parse(matches.get_one::<String>(name)?),
    }
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        FLAGS.iter().fold(command, |command, Flag { key, long, alias, placeholder }| {
            let argument = Arg::new(key.setting.key)
                .long(long.as_str())
                .value_name(placeholder.as_str())
                .value_parser(parser(key))
                .help(key.text.trim_end_matches('.').to_owned());
            command.arg(match alias {
                Some(alias) => argument.visible_alias(alias.as_str()),
                None => argument,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = FLAGS.iter().filter_map(|flag| Some((flag.key.setting.key, read(flag.key, matches)?)));
        Ok(SettingFlags(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
