//! The commands, one file each: its arguments, with what `--help` says, and its function `run`. A new one is
//! its file, its `mod` and its line in the list below.

mod buckling;
mod campbell;
mod check;
mod compare;
mod completions;
mod components;
mod converge;
mod equations;
mod equilibrium;
mod integrator;
mod integrators;
mod kinematics;
mod linearize;
mod manual;
mod modes;
mod path;
mod place;
mod plot;
mod portrait;
mod reduce;
pub mod render;
mod response;
mod resume;
pub mod run;
mod schema;
mod stability;
mod verify;
pub mod view;

use clap::Subcommand;
use std::process::ExitCode;

/// Makes the type of all commands from a list of their names and files.
macro_rules! commands {
    ($($name:ident: $file:ident,)*) => {
        /// A command with its arguments.
        #[derive(Subcommand)]
        pub enum Command {
            $($name($file::Arguments),)*
        }

        impl Command {
            /// Does what it is for.
            pub fn run(&self) -> ExitCode {
                match self {
                    $(Command::$name(arguments) => $file::run(arguments),)*
                }
            }
        }
    };
}

// In the order of the help.
commands! {
    Run: run,
    Resume: resume,
    Kinematics: kinematics,
    Equilibrium: equilibrium,
    Path: path,
    Buckling: buckling,
    Modes: modes,
    Linearize: linearize,
    Campbell: campbell,
    Response: response,
    Place: place,
    Stability: stability,
    Portrait: portrait,
    Check: check,
    Reduce: reduce,
    Equations: equations,
    Compare: compare,
    Converge: converge,
    View: view,
    Render: render,
    Plot: plot,
    Verify: verify,
    Schema: schema,
    Integrators: integrators,
    Components: components,
    Integrator: integrator,
    Completions: completions,
    Manual: manual,
}

impl Command {
    /// Whether it goes on until it is stopped.
    pub fn is_endless(&self) -> bool {
        match self {
            Command::Run(arguments) => arguments.watch,
            command => matches!(command, Command::View(_)),
        }
    }
}
