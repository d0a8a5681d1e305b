//! `poinsot components`: the library of components for energy models.

use crate::message;
use clap::Args;
use poinsot_model::{LIBRARY, LibraryComponent, library_reference};
use std::process::ExitCode;

/// List the components that an energy model can use, or print one.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot components
  poinsot components dc_motor")]
pub struct Arguments {
    /// Print this component with its text.
    name: Option<String>,
    /// Print the reference page of the whole library (for maintainers).
    #[arg(long, hide = true, conflicts_with = "name")]
    markdown: bool,
}

/// Lists the library, or prints a component.
pub fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.name {
        _ if arguments.markdown => message::print(&library_reference()),
        None => message::print(&list()),
        Some(name) => match LibraryComponent::find(name) {
            Some(component) => message::print(&format!("{}\n\n{}", component.usage(), component.text)),
            None => {
                let names = LIBRARY.iter().map(|component| component.name);
                let help = match poinsot_expr::suggest(name, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`poinsot components` lists them".into(),
                };
                message::bad_input(&format!("the library has no component `{name}` ({help})"))
            }
        },
    }
}

/// One line for each component, by group.
fn list() -> String {
    let mut text = String::new();
    let mut group = "";
    for component in LIBRARY.iter() {
        if component.group != group {
            text += &format!("{}{}\n", if group.is_empty() { "" } else { "\n" }, component.group);
            group = component.group;
        }
        text += &format!("  {:<20} {}\n", component.name, component.summary());
    }
    text + "\n`poinsot components NAME` prints one. A file NAME.ldae beside the model comes before the library.\n"
}
