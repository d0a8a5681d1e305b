//! Mistakes in energy models and what is said about them: place, message and help.

use poinsot_model::{LoadError, Severity};
use poinsot_studies::{load, load_str};

/// A text with a mistake: `⟦…⟧` stands around the bytes that the diagnostic points at; then message and help.
/// `M` at the start stands for a model with displacements `q, th`, flows `i, w`, effort `v`, dynamic variable
/// `s` and the parameters `R`, `L`, without EffortConstraints and DynamicConstraints and without times, `T`
/// for one that lacks nothing.
struct Case(&'static str, &'static str, &'static str);

const MODEL: &str = "R = 2; L = 1e-3;\nDisplacementVariables = [q, th];\nFlowVariables = [i, w];\n\
                     EffortVariables = [v];\nDynamicVariables = [s];\n\
                     InitialDisplacements = [0, 0]; InitialFlows = [0, 0]; InitialDynamic = [0];\n";

const REST: &str = "KineticCoEnergy = (L*i^2 + w^2)/2;\nGeneralizedEfforts = [v - R*i, 0];\n\
                    EffortConstraints = [v - s];\nDynamicConstraints = [th];\nInitialTime = 0; FinalTime = 1;\n";

fn whole(text: &str) -> String {
    match (text.strip_prefix('M'), text.strip_prefix('T')) {
        (Some(rest), _) if rest.starts_with('\n') => format!("{MODEL}{rest}"),
        (_, Some(rest)) if rest.starts_with('\n') => format!("{MODEL}{REST}{rest}"),
        _ => text.to_owned(),
    }
}

fn check(cases: &[Case]) {
    for Case(text, message, help) in cases {
        let marked = whole(text);
        let start = marked.find('⟦');
        let plain = marked.replace('⟦', "");
        let end = plain.find('⟧');
        let plain = plain.replace('⟧', "");
        let error = load_str("m.ldae", &plain, &[]).err().unwrap_or_else(|| panic!("no error in\n{plain}"));
        let LoadError::Invalid { source_text, diagnostics } = &error else { panic!("{error}") };
        let errors: Vec<_> = diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        let matches = |d: &&&poinsot_model::Diagnostic| {
            d.message.contains(message) && d.help.as_deref().unwrap_or("").contains(help)
        };
        let found = errors.iter().find(matches).unwrap_or_else(|| {
            panic!("no `{message}` ({help}) in\n{plain}\n{}", error.render(false));
        });
        if let (Some(start), Some(end)) = (start, end) {
            let span = found.primary.as_ref().map(|label| label.span.clone());
            assert_eq!(span, Some(start..end), "{message}\n{}", found.render(source_text, false));
        }
        assert!(!found.render(source_text, true).is_empty());
    }
}

#[test]
fn statements_and_names() {
    check(&[
        Case(
            "T\n⟦displacementVariables⟧ = [x];",
            "unknown keyword `displacementVariables`",
            "did you mean `DisplacementVariables`?",
        ),
        Case("T\n⟦InitalFlow⟧ = [x];", "unknown keyword `InitalFlow`", "did you mean `InitialFlows`?"),
        Case("T\n⟦FinalTme⟧ = 3;", "unknown keyword `FinalTme`", "did you mean `FinalTime`?"),
        Case("T\n⟦weights⟧ = [1, 2];", "unknown keyword `weights`", "a vector is the value of a keyword"),
        Case("T\n⟦FinalTime⟧ = 2;", "FinalTime is given twice", "remove one"),
        Case("T\n⟦R⟧ = 3;", "two definitions are called `R`", "one thing"),
        Case("T\n⟦w⟧ = 3;", "a variable and a definition are both called `w`", "one thing"),
        Case("DisplacementVariables = [a, ⟦a⟧];", "two variables are called `a`", ""),
        Case("DisplacementVariables = [⟦2a⟧];", "`2a` is not a name", "letters, digits"),
        Case("DisplacementVariables = [⟦a + b⟧];", "`a + b` is not a name", ""),
        Case("T\n⟦sin⟧ = 3;", "`sin` cannot be the name of a definition", "`sin` means a function"),
        Case("T\n⟦step⟧ = 3;", "`step` cannot be", "a function"),
        Case("T\n⟦der⟧ = 3;", "`der` cannot be", "the rate of a variable"),
        Case("T\n⟦t⟧ = 3;", "`t` cannot be", "the time"),
        Case("T\n⟦xdot_⟧ = 3;", "`xdot_` cannot be", "generated code"),
        Case("T\n⟦q_ddt⟧ = 3;", "`q_ddt` cannot be", "_ddt"),
        Case("T\n⟦and⟧ = 3;", "`and` cannot be", "expression language"),
        Case("DisplacementVariables = [⟦FlowVariables⟧];", "cannot be the name of a variable", "a keyword"),
        Case("T\nk = ⟦1⟧\nj = 2;", "a `;` is missing", "every statement ends with `;`"),
        Case("T\nx = ⟦2y⟧;", "an operator is missing", "2*y"),
        Case("T\nspeed = 2; x = 3 + ⟦sped⟧;", "unknown name `sped`", "did you mean `speed`?"),
        Case("T\nx = 2*⟦e⟧;", "unknown name `e`", "exp(1)"),
        Case("T\nx = 2*⟦time⟧;", "unknown name `time`", "the time is called `t`"),
        Case("T\nx = 2*⟦hinge.angle⟧;", "unknown name `hinge.angle`", "names have no dots"),
        Case("T\nx = ⟦1/0⟧;", "division by zero", ""),
        Case("T\n⟦a⟧ = b; b = 2*c; c = a + 1;", "`a` depends on itself: a → b → c → a", ""),
        Case("T\n⟦a⟧ = a;", "`a` depends on itself: a → a", ""),
        Case("T\nx = ⟦siin⟧(2);", "unknown function `siin`", "did you mean `sin`?"),
    ]);
}

#[test]
fn vectors_and_energies() {
    check(&[
        Case(
            "DisplacementVariables = [q, th];\n⟦FlowVariables⟧ = [i];",
            "1 flow for 2 displacements",
            "rates",
        ),
        Case("⟦DisplacementVariables⟧ = [q];", "0 flows for 1 displacement", ""),
        Case("DisplacementVariables = ⟦q⟧;", "DisplacementVariables is a vector of names", "[q1, q2]"),
        Case("⟦R⟧ = 2;", "the energy model has no variables", "DisplacementVariables"),
        Case("M\nKineticCoEnergy = ⟦[i, w]⟧;", "KineticCoEnergy is an expression", ""),
        Case(
            "M\n⟦EffortConstraints⟧ = [];\nDynamicConstraints = [th]; FinalTime = 1;",
            "EffortConstraints has 0 expressions for 1 effort",
            "one for each of v",
        ),
        Case(
            "M\nDynamicConstraints = [th]; FinalTime = 1;",
            "EffortConstraints has 0 expressions for 1 effort",
            "one for each of v",
        ),
        Case(
            "M\nEffortConstraints = [v];\n⟦DynamicConstraints⟧ = [1, 2]; FinalTime = 1;",
            "DynamicConstraints has 2 expressions for 1 dynamic variable",
            "",
        ),
        Case(
            "M\n⟦GeneralizedEfforts⟧ = [v];\nEffortConstraints = [v]; DynamicConstraints = [0]; FinalTime = 1;",
            "GeneralizedEfforts has 1 expression for 2 displacements",
            "",
        ),
        Case(
            "T\nPotentialEnergy = q^2 + ⟦w⟧*th;",
            "PotentialEnergy may not contain `w`",
            "V depends on displacements",
        ),
        Case("T\nloss = i*R;\nPotentialEnergy = q^2 + ⟦loss⟧;", "PotentialEnergy may not contain `i`", ""),
        Case(
            "T\nDissipationFunction = ⟦v⟧*i;",
            "DissipationFunction may not contain `v`",
            "GeneralizedEfforts",
        ),
        Case("T\nDissipationFunction = ⟦s⟧*i;", "DissipationFunction may not contain `s`", ""),
        Case(
            "T\nDisplacementConstraints = [q, th - ⟦w⟧];",
            "DisplacementConstraints may not contain `w`",
            "flow constraint",
        ),
        Case(
            "T\nFlowConstraints = [i - ⟦w⟧^2];",
            "a flow constraint is linear in flows",
            "effort constraint",
        ),
        Case("T\nFlowConstraints = [i - w, i*⟦w⟧];", "a flow constraint is linear in flows", ""),
        Case(
            "M\nKineticCoEnergy = ⟦v⟧*i; EffortConstraints = [v]; DynamicConstraints = [0]; FinalTime = 1;",
            "KineticCoEnergy may not contain `v`",
            "T* depends",
        ),
    ]);
}

#[test]
fn numbers_and_options() {
    check(&[
        Case("T\n⟦InitialEfforts⟧ = [0, 1];", "InitialEfforts has 2 numbers for 1 effort", ""),
        Case("T\nInitialEfforts = [⟦w⟧];", "this must be a number, but uses `w`", "parameters"),
        Case("T\nOutputPoints = ⟦1⟧;", "OutputPoints is a whole number from 2 on, not 1", ""),
        Case("T\nOutputPoints = ⟦10.5⟧;", "OutputPoints is a whole number from 2 on, not 10.5", ""),
        Case(
            "M\nInitialTime = 3; FinalTime = ⟦3⟧; EffortConstraints = [v]; DynamicConstraints = [0];",
            "FinalTime 3 does not lie after InitialTime 3",
            "forward",
        ),
        Case(
            "M\nFinalTime = ⟦t⟧; EffortConstraints = [v]; DynamicConstraints = [0];",
            "this must be a number, but uses `t`",
            "",
        ),
        Case(
            "⟦DisplacementVariables⟧ = [q]; FlowVariables = [f]; KineticCoEnergy = f^2;",
            "FinalTime is missing",
            "`FinalTime = 10;`",
        ),
        Case("T\nForm = ⟦index4⟧;", "there is no form `index4`", "did you mean `index3`?"),
        Case("T\nAbsoluteTolerance = ⟦0⟧;", "AbsoluteTolerance must be positive", ""),
        Case("T\n⟦RelativeTolerance⟧ = [1e-6];", "RelativeTolerance has 1 number for 6 variables", ""),
        Case("T\nKeep = [⟦v⟧];", "`v` is no displacement and no flow", "there are q, th, i, w"),
        Case("T\nEventTimes = [1, ⟦1⟧];", "event times increase", ""),
        Case("T\nMaxSteps = ⟦0⟧;", "MaxSteps is a whole number from 1 on", ""),
        Case("T\n⟦DifferentiationIndex⟧ = [0, 0];", "DifferentiationIndex has 2 numbers for 6 unknowns", ""),
        Case("T\nInitialStepSize = ⟦-1⟧;", "InitialStepSize must be positive", ""),
        Case("T\nlift = table([0, 0], ⟦[0, 1]⟧);", "point 2", ""),
        Case("T\nlift = table([0, 0], ⟦x⟧);", "`x` is not a point of a table", "`table([x, y]"),
        Case("T\nlift = table([0, 0], ⟦[1, 2, 3]⟧);", "a point has 2 numbers, not 3", ""),
        Case("T\nlift = table([0, 0], [1, ⟦w⟧]);", "the points of a table cannot use `w`", "parameters"),
        Case("T\nDisplacementConstraints = [q - 1, q - 2];", "there is no consistent start", ""),
    ]);
}

#[test]
fn definitions_that_double_do_not_fill_the_memory() {
    let mut text = "DisplacementVariables = [x]; FlowVariables = [f]; a0 = x;\n".to_owned();
    for k in 1..60 {
        text += &format!("a{k} = a{0} + a{0};\n", k - 1);
    }
    text += "KineticCoEnergy = f^2; PotentialEnergy = a59; FinalTime = 1;";
    // They are shared: V = 2^59 x has the force -2^59.
    let (model, _) = load_str("m.ldae", &text, &[]).unwrap();
    let at_rest = |law: &poinsot_model::spec::LawSpec| law.expr.eval(&|_| Some(0.0)).unwrap().abs();
    assert!(model.equations[0].equations.iter().any(|law| at_rest(law) == 2f64.powi(59)));
    let mut chain = "DisplacementVariables = [x]; FlowVariables = [f]; a0 = x;\n".to_owned();
    for k in 1..20_000 {
        chain += &format!("a{k} = a{} + 1;\n", k - 1);
    }
    assert!(load_str("m.ldae", &chain, &[]).is_err());
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let text = "DisplacementVariables = [q];\nFlowVariables = [f];\nKineticCoEnergy = L*f^2;\nPotentialEnergy = 2q;\n\
                InitialFlow = [0];\nFinalTime = -1;\n";
    let error = load_str("m.ldae", text, &[]).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(
        lines,
        [
            "m.ldae:3:19: error: unknown name `L` (define it: `L = 1;`)",
            "m.ldae:4:19: error: an operator is missing between `2` and `q` (did you mean `2*q`?)",
            "m.ldae:5:1: error: unknown keyword `InitialFlow` (did you mean `InitialFlows`?)",
            "m.ldae:6:13: error: FinalTime -1 does not lie after InitialTime 0 (time goes forward)",
        ]
    );
}

#[test]
fn the_place_is_shown() {
    let error = load_str(
        "m.ldae",
        "x = 1; # comment\nDisplacementVariables = [q];\nFlowVariables = [X];\nPotentialEnergy = 2*qq;\n",
        &[],
    );
    let expected = "\
Error: unknown name `qq`
   ╭─[ m.ldae:4:21 ]
   │
 4 │ PotentialEnergy = 2*qq;
   │                     ─┬  
   │                      ╰── not defined
   │ 
   │ Help: define it: `qq = 1;`
───╯
";
    assert_eq!(error.unwrap_err().render(false), expected);
}

/// Bytes that are no text: of both kinds of files.
#[test]
fn not_text() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["m.ldae", "m.toml"] {
        let path = folder.path().join(name);
        std::fs::write(&path, b"# one\n# two \xff\xfe\n").unwrap();
        let error = load(&path, &[]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(&format!("{name}:2:7: error: the file is not UTF-8 text: byte 0xff at offset 12")),
            "{text}"
        );
        assert_eq!(error.diagnostics().len(), 1);
        assert!(error.render(false).contains("save the file as UTF-8"));
    }
}

#[test]
fn missing_start_values_are_zero_and_said() {
    let text = "DisplacementVariables = [q]; FlowVariables = [f]; KineticCoEnergy = f^2/2; FinalTime = 1;";
    let (model, warnings) = load_str("m.ldae", text, &[]).unwrap();
    assert!(
        warnings[0].message.contains("InitialDisplacements and InitialFlows are missing"),
        "{warnings:?}"
    );
    assert_eq!(model.equations[0].variables[0].start, 0.0);
}
