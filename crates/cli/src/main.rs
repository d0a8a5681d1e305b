//! The `poinsot` command.

mod check;
mod compare;
mod components;
mod converge;
mod equations;
mod http;
mod integrator;
mod linear_system;
mod message;
mod overrides;
mod place;
mod plot;
mod portrait;
mod progress;
mod render;
mod response;
mod run;
mod server;
mod setting_flags;
mod stability;
mod verify;
mod view;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
use poinsot_integrators::{families, integrators as all_integrators, keys, owners};
use std::path::PathBuf;
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
struct Arguments {
    /// Colours in what is printed: auto where somebody looks and NO_COLOR is not set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: clap::ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the study of a model, write its results and audit them.
    #[command(after_help = "\
Examples:
  poinsot run model.toml
  poinsot run model.toml --integrator optimal --rho 0.5 --step 1e-4
  poinsot run model.toml --integrator radau --adaptive --tolerance 1e-8
  poinsot run model.toml --check-step
  poinsot run model.toml --out results/first --csv --json")]
    Run(run::RunArguments),
    /// Go on with a run after its last checkpoint (`poinsot run --checkpoint N`), to the same bits.
    Resume(run::ResumeArguments),
    /// Follow the motion that joints and drives alone determine: positions, velocities, accelerations,
    /// reactions.
    Kinematics(run::KinematicsArguments),
    /// Find the position of rest under the loads, and whether it is stable.
    Equilibrium(run::EquilibriumArguments),
    /// Follow the equilibria along a parameter, past limit points and onto crossing branches.
    #[command(after_help = "\
Examples:
  poinsot path examples/snap_through.toml
  poinsot path frame.toml --parameter P --to 2e4 --signal tip")]
    Path(run::PathArguments),
    /// Critical values of a parameter, linearised about an equilibrium, and the shapes in which the system
    /// buckles.
    #[command(after_help = "\
Examples:
  poinsot buckling column.toml --parameter P --count 3")]
    Buckling(run::BucklingArguments),
    /// Frequencies, damping ratios and shapes of small motions about a state, moving or not.
    Modes(run::ModesArguments),
    /// Matrices A, B, C, D of small motions for control design, as JSON, NumPy and MATLAB files.
    Linearize(run::LinearizeArguments),
    /// Modes as functions of a parameter, mostly a speed: Campbell diagram, engine orders, instabilities.
    #[command(after_help = "\
Examples:
  poinsot campbell rotor.toml
  poinsot campbell rotor.toml --over Omega=0..500 --orders 1,2,3 --count 8 --csv")]
    Campbell(run::CampbellArguments),
    /// Step, impulse or initial response of the linearised model, by the matrix exponential.
    #[command(after_help = "\
Examples:
  poinsot response model.toml --input push.x --step 1 --until 5
  poinsot response model.toml --initial theta=0.1 --until 2")]
    Response(response::ResponseArguments),
    /// A state feedback u = -K x that gives the linearised model wanted poles.
    #[command(after_help = "\
Examples:
  poinsot place model.toml --input F --poles \"-10+1i,-10-1i,-10+2i,-10-2i\"")]
    Place(place::PlaceArguments),
    /// The equilibrium nearest to the start: its eigenvalues, its verdict, and a check of a Lyapunov
    /// function.
    #[command(after_help = "\
Examples:
  poinsot stability model.toml
  poinsot stability model.toml --lyapunov \"(k*x^2 + m*v^2)/2\"")]
    Stability(stability::StabilityArguments),
    /// Draw trajectories in the plane of two variables of equations, with the equilibria by their kind.
    #[command(after_help = "\
Examples:
  poinsot portrait model.toml --x theta=-6..6 --y w=-10..10 --out pendulum.svg")]
    Portrait(portrait::PortraitArguments),
    /// Count and inspect a model without running it: degrees of freedom, redundant joints, start.
    Check(check::CheckArguments),
    /// Print the equations of a model in symbols: listing, LaTeX, functions for GNU Octave and MATLAB,
    /// structure.
    #[command(after_help = "\
Examples:
  poinsot equations motor.ldae
  poinsot equations motor.ldae --format latex --out motor.tex
  poinsot equations motor.ldae --format octave --out matlab
  poinsot equations motor.ldae --format structure")]
    Equations(equations::EquationsArguments),
    /// Compare integrators on a model: error against time and evaluations; or treatments of its constraints.
    #[command(after_help = "\
Examples:
  poinsot compare model.toml --with 'radau,generalized-alpha,runge-kutta-4'
  poinsot compare model.toml --with 'radau(stages=5),V0(1,1,0):position' --tolerances 1e-5,1e-7 --steps 1e-3,5e-4
  poinsot compare model.toml --constraints multipliers,penalty,null-space,minimal --steps 1e-2,1e-3,1e-4
  poinsot compare model.toml --constraints all")]
    Compare(compare::CompareArguments),
    /// Measure the order with which every quantity converges as the step is halved.
    #[command(after_help = "\
Examples:
  poinsot converge model.toml
  poinsot converge model.toml --integrator midpoint:position --step 1e-2 --levels 5")]
    Converge(converge::ConvergeArguments),
    /// Show results in a browser: animation, plots, audit; several are compared. The page is served on this
    /// machine only.
    #[command(after_help = "\
Examples:
  poinsot view runs/heavy_top --open
  poinsot view runs/coarse runs/fine")]
    View(view::ViewArguments),
    /// Draw results as a picture or a movie, or write them for ParaView.
    #[command(after_help = "\
Examples:
  poinsot render runs/robot_arm --at 1.5 --out arm.png
  poinsot render runs/robot_arm --out arm.gif --view front --speed 0.5
  poinsot render runs/bicycle-modes --mode 2 --out weave.gif
  poinsot render runs/robot_arm --vtk arm_vtk")]
    Render(render::RenderArguments),
    /// Plot signals of results, over time or against each other.
    #[command(after_help = "\
Examples:
  poinsot plot runs/crane                                    list the signals
  poinsot plot runs/crane 'load_*' --out load.png
  poinsot plot runs/coarse runs/fine swing --from 10
  poinsot plot runs/pendulum omega --against phi")]
    Plot(plot::PlotArguments),
    /// Run models that carry expectations and compare.
    Verify(verify::VerifyArguments),
    /// Print the JSON Schema of the model file.
    Schema,
    /// List the integrators that a model file can name.
    Integrators,
    /// List the components that an energy model can use, or print one.
    #[command(after_help = "\
Examples:
  poinsot components
  poinsot components dc_motor")]
    Components(components::ComponentsArguments),
    /// Show what an integrator does: numerical damping, period error, overshoot, largest step, constraint
    /// forms.
    #[command(after_help = "\
Examples:
  poinsot integrator generalized-alpha --rho 0.5
  poinsot integrator optimal --rho 0.8 --out optimal.svg
  poinsot integrator --roots 0.3,0.8,0 --family v0
  poinsot integrator newmark --explicit --damping 0.05")]
    Integrator(integrator::IntegratorArguments),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the verification manual of a folder of models, as Markdown (for maintainers).
    #[command(hide = true)]
    Manual {
        /// Folder of verification models.
        path: PathBuf,
    },
}

fn main() -> ExitCode {
    let Arguments { color, command } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return message::argument_help(&told),
    };
    message::set_colour(color);
    // Those that run until they are stopped end well by that.
    let endless =
        matches!(&command, Command::View(_)) || matches!(&command, Command::Run(run) if run.is_endless());
    let code = carry_out(command);
    if progress::interrupted() && !endless {
        message::complain("Stopped by the user.");
        return ExitCode::from(message::INTERRUPTED);
    }
    code
}

fn carry_out(command: Command) -> ExitCode {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Resume(arguments) => run::resume(&arguments),
        Command::Kinematics(arguments) => run::kinematics(&arguments),
        Command::Equilibrium(arguments) => run::equilibrium(&arguments),
        Command::Path(arguments) => run::path(&arguments),
        Command::Buckling(arguments) => run::buckling(&arguments),
        Command::Modes(arguments) => run::modes(&arguments),
        Command::Linearize(arguments) => run::linearize(&arguments),
        Command::Campbell(arguments) => run::campbell(&arguments),
        Command::Response(arguments) => response::response(&arguments),
        Command::Place(arguments) => place::place(&arguments),
        Command::Stability(arguments) => stability::stability(&arguments),
        Command::Portrait(arguments) => portrait::portrait(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Equations(arguments) => equations::equations(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Converge(arguments) => converge::converge(&arguments),
        Command::View(arguments) => view::view(&arguments),
        Command::Render(arguments) => render::render(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Verify(arguments) => verify::verify(&arguments),
        Command::Manual { path } => verify::manual(&path),
        Command::Schema => schema(),
        Command::Integrators => integrators(),
        Command::Components(arguments) => components::components(&arguments),
        Command::Integrator(arguments) => integrator::integrator(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "poinsot", &mut script);
            message::print(&String::from_utf8_lossy(&script))
        }
    }
}

fn schema() -> ExitCode {
    match serde_json::to_string_pretty(&poinsot_studies::schema()) {
        Ok(text) => message::print(&(text + "\n")),
        Err(error) => message::bad_input(&error.to_string()),
    }
}

/// The list of integrators: name, what can be chosen, forms with the default first.
fn integrators() -> ExitCode {
    let mut text = String::from(
        "* chooses its own steps if no step is given; of the forms the first is the default\n\n",
    );
    for entry in all_integrators() {
        let star = if entry.is_adaptive() { "*" } else { " " };
        text += &format!("{:<20}{star} {:<22} {}\n", entry.name(), entry.choices(), entry.summary());
        text += &format!("{:<22} form {}\n", "", entry.words("form").join(", "));
        if !entry.aliases().is_empty() {
            text += &format!("{:<22} also {}\n", "", entry.aliases().join(", "));
        }
    }
    text.push('\n');
    for key in keys().iter().filter(|key| !key.words.is_empty() && key.setting.key != "form") {
        let words: Vec<String> = key.words.iter().map(|own| format!("{:?}", own.word)).collect();
        let owners = families(&owners(key.setting.key));
        text += &format!("{owners}: {} = {}\n", key.setting.key, words.join(", "));
    }
    text += "Any other member of GS4: integrator = { family = \"U0\", roots = [rmin, rmax, rs] }\n";
    message::print_words(&text)
}
