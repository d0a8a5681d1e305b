//! What the command says in a terminal: colours, and what it counts.

use crate::common;

use common::{output, poinsot, with_model};

/// A model whose expectation is missed and whose joints are redundant, so that there are marks of each kind.
const MODEL: &str = include_str!("../models/redundant_joints.toml");

/// Standard output of a run with flags and variables.
fn out(flags: &[&str], variables: &[(&str, &str)]) -> String {
    let model = format!(
        "{MODEL}\n[[expect]]\nsignal = \"energy.total\"\nvalue = 1e9\ntolerance = 1\nsource = \"none\"\n"
    );
    let folder = with_model(&model);
    let mut command = poinsot(folder.path());
    command.args(["run", "model.toml"]).args(flags);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    output(&mut command).1
}

#[test]
fn marks_have_colours_where_they_are_wanted() {
    let (green, yellow, red) = ("\x1b[1;32m✓\x1b[0m ", "\x1b[1;33m!\x1b[0m ", "\x1b[1;31m✗\x1b[0m ");
    for (flags, variables) in
        [(&["--color", "always"][..], &[][..]), (&[][..], &[("CLICOLOR_FORCE", "1")][..])]
    {
        let text = out(flags, variables);
        for mark in [green, yellow, red] {
            assert!(text.contains(mark), "{flags:?} {variables:?} {text}");
        }
    }
    let plain = [
        (&[][..], &[][..]),
        (&["--color", "never"][..], &[("CLICOLOR_FORCE", "1")][..]),
        (&[][..], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")][..]),
    ];
    for (flags, variables) in plain {
        let text = out(flags, variables);
        assert!(text.contains("! completed") && !text.contains('\x1b'), "{flags:?} {variables:?} {text}");
    }
}

#[test]
fn a_pipe_gets_whole_lines() {
    let text = out(&[], &[]);
    assert!(text.lines().any(|line| line.chars().count() > 80), "{text}");
}

#[test]
fn nodes_of_beams_are_no_bodies() {
    let model = "[model]\n[[body]]\nname = \"hub\"\nmass = 1\ninertia = [1, 1, 1]\n[[beam]]\nname = \"rod\"\n\
                 from = [0, 0, 0]\nto = [1, 0, 0]\nelements = 4\nstart = \"clamped\"\n\
                 section = { type = \"circle\", diameter = 0.02, young = 7e10, density = 2700 }\n\
                 [study]\nend = 1e-3\nstep = 1e-4\n";
    let folder = with_model(model);
    let (code, text, err) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert!(code == 0 && text.contains("\n  bodies       1\n  beams        1 with "), "{text}{err}");
    assert!(!text.contains("Grübler"), "{text}");
    let (code, text, err) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert!(code == 0 && text.contains("  system       1 body, 1 beam with "), "{text}{err}");
}
