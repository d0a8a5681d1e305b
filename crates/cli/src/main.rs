//! The `poinsot` command.

mod base;
mod carry_out;
mod chosen_study;
mod commands;
mod complaints;
mod fit;
mod http;
mod linear_system;
mod message;
mod numbers;
mod output;
mod overrides;
mod parameters;
mod progress;
mod server;
mod setting_flags;
mod tell;
mod watch;

use clap::Parser;
use commands::Command;
use std::process::ExitCode;

/// Simulation of mechanical systems under constraints.
#[derive(Parser)]
#[command(
    name = "poinsot",
    version,
    after_help = "\
Examples:
  poinsot run examples/heavy_top.toml                 simulate; results in runs/heavy_top
  poinsot run model.toml --set L=0.5 --until 2        change a parameter and the end time
  poinsot kinematics linkage.toml                     follow the drives of a mechanism
  poinsot equilibrium arm.toml                        find the position of rest
  poinsot path examples/snap_through.toml             follow a load past its limit, find where it buckles
  poinsot modes bicycle.toml --about start            frequencies, damping and stability of small motions
  poinsot campbell rotor.toml                         modes against the speed of rotation
  poinsot stability circuit.toml                      is the equilibrium stable
  poinsot check model.toml                            look at a model without running it
  poinsot integrator generalized-alpha --rho 0.5      what an integrator does, in numbers and a picture
  poinsot view runs/heavy_top --open                  look at results in the browser
  poinsot render runs/heavy_top --out top.gif         a movie of the motion
  poinsot verify verification                         run models that carry expectations
  poinsot schema > poinsot.schema.json                JSON Schema of the model file, for editors

Exit codes: 0 all well, 1 a solve failed or an expectation was missed, 2 bad input."
)]
struct CommandLine {
    /// Colours in what is printed: auto where somebody looks and NO_COLOR is not set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: clap::ColorChoice,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let CommandLine { color, command } = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(told) => return message::argument_help(&told),
    };
    message::set_colour(color);
    message::speak_json(std::env::args().any(|argument| argument == "--json"));
    let code = command.run();
    // Those that run until they are stopped end well by that.
    if progress::interrupted() && !command.is_endless() {
        message::complain("Stopped by the user.");
        return ExitCode::from(message::INTERRUPTED);
    }
    code
}
