//! Mistakes and what is said about them: place, message and help.

use poinsot_model::{Diagnostic, LoadError, Severity, Source};
use poinsot_studies::{load, load_str};

/// A file with a mistake: `⟦…⟧` stands around the bytes the diagnostic must point at; message and help must
/// contain the given texts. `A` at the start of a line stands for a file with the bodies `a`, `b` and the
/// point `p`, `J` for one that also has the joints `hinge` (revolute), `rod` (prismatic), `tube`
/// (cylindrical) and `ball` (spherical), `E` for one that also ends with the first keys of a block of
/// equations, `motor`.
struct Case(&'static str, &'static str, &'static str);

const PRELUDE: &str = r#"
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
position = [1, 0, 0]
[[body]]
name = "p"
type = "point"
mass = 1
position = [2, 0, 0]
[parameters]
k = 2
mass = 3
[[marker]]
name = "ma"
body = "a"
[[marker]]
name = "ma2"
body = "a"
position = [1, 0, 0]
"#;

const JOINTS: &str = r#"
[[body]]
name = "cup"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "a"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "rod"
type = "prismatic"
between = ["ground", "b"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "tube"
type = "cylindrical"
between = ["a", "b"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "ball"
type = "spherical"
between = ["a", "cup"]
at = [0, 0, 0]
"#;

const MOTOR: &str = "\n[[equations]]\nname = \"motor\"\nvariables = { i = 0, phi = 0 }\n";

const TOML: &[Case] = &[
    Case("a = ⟦⟧\nb = 2", "not valid TOML", ""),
    Case("[[⟦bodys⟧]]\n", "unknown key `bodys` in model file", "did you mean `body`?"),
    Case("[[⟦bodies⟧]]\n", "unknown key `bodies` in model file", "did you mean `body`?"),
    Case(
        "⟦colour⟧ = 1",
        "unknown key `colour` in model file",
        "a model file has the keys beam, body, constraint, coupling",
    ),
    Case("body = ⟦3⟧", "expected an array, each a table (body), found the integer 3", ""),
    Case(
        "[[body]]\nname = \"x\"\ntype = \"point\"\nmass = 1\n⟦postion⟧ = [1, 2, 3]",
        "unknown key `postion` in point",
        "did you mean `position`?",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\n⟦axis⟧ = [0, 0, 1]",
        "unknown key `axis` in spherical joint",
        "a spherical joint has the keys at, between, name, start, type",
    ),
    Case("⟦[[body]]⟧\ntype = \"point\"\nmass = 1", "missing key `name` in point", "`name` is a string"),
    Case("⟦[[joint]]⟧\nname = \"j\"", "missing key `type` in joint", "one of fixed, spherical, revolute"),
    Case(
        "[[joint]]\nname = \"j\"\ntype = ⟦\"sperical\"⟧",
        "unknown joint type \"sperical\"",
        "did you mean `spherical`? known are fixed",
    ),
    Case("[[body]]\nname = ⟦3⟧\ntype = \"point\"\nmass = 1", "expected a string, found the integer 3", ""),
    Case(
        "[[body]]\nname = \"x\"\ntype = \"point\"\nmass = ⟦true⟧",
        "expected a number or an expression in quotes, found the boolean true",
        "",
    ),
    Case("[model]\ngravity = ⟦[0, 0]⟧", "expected an array of 3 values, found an array of 2 values", ""),
    Case("[model]\nplane = ⟦\"yx\"⟧", "unknown plane \"yx\"", "did you mean `xy`?"),
    Case(
        "A\n[[force]]\nname = \"f\"\ntype = \"force\"\non = \"a\"\nforce = [0, 0, 1]\nframe = ⟦\"local\"⟧",
        "unknown frame \"local\"",
        "known are world, body",
    ),
    Case(
        "[study]\nend = 1\nstep = 1\nform = ⟦\"stabilized\"⟧",
        "unknown form \"stabilized\"",
        "did you mean `stabilised`?",
    ),
    Case(
        "A\n[[force]]\nname = \"u\"\ntype = \"bushing\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\nstiffness = ⟦[1, 2]⟧",
        "expected six numbers or a 6×6 matrix, found an array of 2 values",
        "",
    ),
];

const NUMBERS: &[Case] = &[
    Case("[parameters]\nx = \"1 + ⟦y⟧\"", "unknown name `y`", ""),
    Case("[parameters]\nlength = 1\nx = '2*⟦lenght⟧'", "unknown name `lenght`", "did you mean `length`?"),
    Case("[parameters]\nx = \"\"\"\n1 + ⟦y⟧\"\"\"", "unknown name `y`", ""),
    Case("[parameters]\nx = ⟦\"\\u0031 + y\"⟧", "unknown name `y`", ""),
    Case("[parameters]\nx = \"2*⟦(⟧1 + 2\"", "this `(` is never closed", ""),
    Case("[parameters]\nx = \"⟦2x⟧\"", "", "did you mean `2*x`?"),
    Case("[parameters]\nx = \"1 + ⟦1/0⟧\"", "division by zero: 1/0", ""),
    Case("[parameters]\nx = ⟦inf⟧", "inf is not a finite number", ""),
    Case("[parameters]\nx = ⟦nan⟧", "NaN is not a finite number", ""),
    Case("[parameters]\n⟦x⟧ = \"y\"\ny = \"2*x\"", "parameter `x` depends on itself: x → y → x", ""),
    Case("[parameters]\n⟦x⟧ = \"x\"", "parameter `x` depends on itself: x → x", ""),
    Case("[parameters]\n⟦time⟧ = 1", "`time` cannot be the name of a parameter", "`time` means the time"),
    Case("[parameters]\n⟦sin⟧ = 1", "`sin` cannot be the name of a parameter", "`sin` means a function"),
    Case("[parameters]\n⟦\"a b\"⟧ = 1", "\"a b\" cannot be the name of a parameter", "e.g. `a_b`"),
    Case("[parameters]\nx = ⟦[1]⟧", "expected a number or an expression in quotes", ""),
    Case("A\n[study]\nend = \"⟦t⟧\"\nstep = 1", "unknown name `t`", "only loads and drives may use the time"),
    Case("A\n[study]\nend = \"⟦a.position.x⟧\"\nstep = 1", "unknown name `a.position.x`", "only in signals"),
    Case(
        "A\n[[force]]\nname = \"f\"\ntype = \"force\"\non = \"a\"\nforce = [0, \"sin(⟦time⟧)\", 1]",
        "unknown name `time`",
        "the time is called `t` here",
    ),
    Case(
        "A\n[[force]]\nname = \"s\"\ntype = \"spring\"\nbetween = [\"a\", \"b\"]\nforce = \"2*⟦lengh⟧\"",
        "unknown name `lengh`",
        "did you mean `length`?",
    ),
];

const EQUATIONS: &[Case] = &[
    Case(
        "[[equations]]\nname = \"m\"\nvariables = { i = 0 }\nequations = [\"der(i) = 1\"]\n⟦load⟧ = {}",
        "unknown key `load` in block of equations",
        "did you mean `loads`?",
    ),
    Case("[[equations]]\nname = ⟦\"m\"⟧\nequations = []", "`m` has neither variables nor loads", ""),
    Case(
        "[[equations]]\nname = \"m\"\nvariables = ⟦[1, 2]⟧\nequations = []",
        "expected a table of variables with their start values, found an array of 2 values",
        "",
    ),
    Case("[[equations]]\nname = ⟦\"m\"⟧\nvariables = {}", "`m` has neither variables nor loads", ""),
    Case(
        "[[equations]]\nname = \"m\"\nvariables = { i = ⟦{ nominal = 1 }⟧ }\nequations = [\"der(i)\"]",
        "missing key `start` in variable",
        "",
    ),
    Case(
        "[[equations]]\nname = \"m\"\nvariables = { i = ⟦nan⟧ }\nequations = [\"der(i)\"]",
        "NaN is not a finite number",
        "",
    ),
    Case(
        "[[equations]]\nname = \"m\"\nvariables = { i = { start = 0, nominal = ⟦0⟧ } }\nequations = [\"der(i)\"]",
        "the nominal size must be positive, but is 0",
        "",
    ),
    Case(
        "[[equations]]\nname = \"m\"\nvariables = { i = \"⟦i0⟧\" }\nequations = [\"der(i)\"]",
        "unknown name `i0`",
        "",
    ),
    Case(
        "[[equations]]\nname = \"m\"\nvariables = { ⟦t⟧ = 0 }\nequations = [\"1\"]",
        "`t` cannot be the name of a variable",
        "the time",
    ),
    Case(
        "A\n[[equations]]\nname = \"m\"\nvariables = { ⟦k⟧ = 0 }\nequations = [\"der(k)\"]",
        "a parameter is already called `k`",
        "must differ",
    ),
    Case(
        "[[equations]]\nname = \"m\"\nvariables = { x = 0, ⟦x_rate⟧ = 0 }\nequations = [\"der(x)\", \"x\"]",
        "`x_rate` is the rate of `x`",
        "write `der(x)`",
    ),
    Case(
        "A\n[[equations]]\nname = ⟦\"a\"⟧\nvariables = { x = 0 }\nequations = [\"der(x)\"]",
        "a body and a block of equations are both called `a`",
        "",
    ),
    Case(
        "[[equations]]\nname = ⟦\"m\"⟧\nvariables = { x = 0, y = 0 }\nequations = [\"der(x) = y\"]",
        "`m` has 1 equation for 2 variables",
        "each of the variables x, y needs an equation",
    ),
    Case("E\nequations = [\"der(i) = k - 2*⟦cur⟧\", \"phi\"]", "unknown name `cur`", "[parameters]"),
    Case("E\nequations = [\"der(i) = 2*⟦ph⟧\", \"phi\"]", "unknown name `ph`", "did you mean `phi`?"),
    Case("E\nequations = [\"der(⟦j⟧) = 2\", \"phi\"]", "unknown name `j`", ""),
    Case("E\nequations = [\"der(⟦mass⟧) = 2\", \"phi\"]", "`mass` is not a variable: it has no `der`", ""),
    Case(
        "E\nequations = [\"der(⟦hinge.angle⟧) = 2\", \"phi\"]",
        "`hinge.angle` is not a variable: it has no `der`",
        "coordinates have rates of their own",
    ),
    Case("E\nequations = [\"der(⟦2*i⟧) = 2\", \"phi\"]", "`der(x)` is the rate of a variable, not of an", ""),
    Case("E\nequations = [\"der(i) = 2 ⟦=⟧ 3\", \"phi\"]", "an equation has one `=`", ""),
    Case("E\nequations = [\"der(i) ⟦=⟧ \", \"phi\"]", "nothing stands after the `=`", ""),
    Case("E\nequations = [\"der(i) = 2*⟦(⟧i + 1\", \"phi\"]", "this `(` is never closed", ""),
    Case(
        "E\nequations = [\"der(i) = ⟦hinge.reaction.force.x⟧\", \"phi\"]",
        "an equation cannot use `hinge.reaction.force.x`",
        "joint coordinates and spring lengths",
    ),
    Case(
        "E\nequations = [\"der(i) = hinge.⟦angel⟧\", \"phi\"]",
        "has no quantity `angel`",
        "did you mean `angle`?",
    ),
    Case(
        "E\nequations = [\"der(i) = motor.⟦y⟧\", \"phi\"]",
        "the block of equations `motor` has no quantity `y`",
        "i, i_rate",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\nloads = { ⟦\"hinge\"⟧ = \"i\" }",
        "`hinge` is not a coordinate",
        "hinge.angle",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\nloads = { ⟦\"hinge.rate\"⟧ = \"i\" }",
        "`hinge.rate` is not a coordinate that a load can act along",
        "",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\nloads = { ⟦a.rotation.xx⟧ = \"i\" }",
        "`a.rotation.xx` is not a coordinate that a load can act along",
        "",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\nloads = { \"⟦hinche⟧.angle\" = \"i\" }",
        "unknown name `hinche`",
        "did you mean `hinge`?",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\nloads = { hinge.angle = \"⟦der⟧(i)\" }",
        "is known only in equations",
        "",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\nloads = { hinge.angle = ⟦\"motor.i_rate\"⟧ }",
        "a load cannot use the rate of a variable",
        "x = der(y)",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\n[[constraint]]\nname = \"c\"\nequation = \"hinge.angle - ⟦motor.phi⟧\"",
        "a constraint cannot use `motor.phi`",
        "let the velocity follow its rate",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\n⟦[study]⟧\ntype = \"kinematics\"\nend = 1\nstep = 0.1",
        "a study of kinematics does not know [[equations]]",
        "\"motion\"",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\n[study]\ntype = \"linearize\"\ninputs = [⟦\"motor.ph\"⟧]",
        "force, variable or parameter",
        "did you mean `motor.phi`?",
    ),
];

const NAMES: &[Case] = &[
    Case(
        "A\n[[body]]\nname = ⟦\"a\"⟧\ntype = \"point\"\nmass = 1",
        "two bodies are called `a`",
        "must differ",
    ),
    Case(
        "A\n[[marker]]\nname = ⟦\"b\"⟧\nbody = \"a\"",
        "a body and a marker are both called `b`",
        "must differ",
    ),
    Case(
        "[[body]]\nname = ⟦\"ground\"⟧\ntype = \"point\"\nmass = 1",
        "`ground` cannot be the name of a body",
        "the fixed world",
    ),
    Case(
        "[[body]]\nname = ⟦\"energy\"⟧\ntype = \"point\"\nmass = 1",
        "`energy` cannot be the name of a body",
        "whole system",
    ),
    Case(
        "[[body]]\nname = ⟦\"my body\"⟧\ntype = \"point\"\nmass = 1",
        "\"my body\" cannot be the name of a body",
        "e.g. `my_body`",
    ),
    Case(
        "[[body]]\nname = ⟦\"2nd\"⟧\ntype = \"point\"\nmass = 1",
        "\"2nd\" cannot be the name of a body",
        "e.g. `nd`",
    ),
    Case(
        "[[body]]\nname = \"wheel\"\ntype = \"point\"\nmass = 1\n[[marker]]\nname = \"m\"\nbody = ⟦\"whel\"⟧",
        "there is no body `whel`",
        "did you mean `wheel`?",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", ⟦\"zzz\"⟧]\nat = [0, 0, 0]",
        "there is no body or marker `zzz`",
        "there are a, b, ma, ma2, p, ground",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", ⟦\"j\"⟧]\nat = [0, 0, 0]",
        "there is no body or marker `j`",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", ⟦\"a\"⟧]\nat = [0, 0, 0]",
        "both ends are `a`",
        "different bodies",
    ),
    Case(
        "A\n[[force]]\nname = \"s\"\ntype = \"spring\"\nstiffness = 1\nbetween = [\"ma\", ⟦\"ma2\"⟧]",
        "`ma` and `ma2` are on the same body",
        "different bodies",
    ),
];

const BODIES: &[Case] = &[
    Case(
        "[[body]]\nname = \"x\"\ntype = \"point\"\nmass = ⟦0⟧",
        "the mass of `x` must be positive, but is 0",
        "",
    ),
    Case(
        "[parameters]\nm = 2\n[[body]]\nname = \"x\"\nmass = ⟦\"-m\"⟧\ninertia = [1, 1, 1]",
        "the mass of `x` must be positive, but is -2",
        "",
    ),
    Case(
        "⟦[[body]]⟧\nname = \"x\"\nmass = 1",
        "the rigid body `x` has no `inertia`",
        "a body without size is `type = \"point\"`",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = ⟦[1, -2, 1]⟧",
        "the inertia of `x` is not positive definite: principal moments -2, 1, 1",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = ⟦[1, 1, 2.5]⟧",
        "the inertia of `x` belongs to no real body: principal moments 1, 1, 2.5",
        "at most the sum",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = ⟦[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]⟧",
        "an inertia must be symmetric, but entries across the diagonal differ by 0.5",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 10\ncentre_of_mass = [0, 0, 1]\ninertia_about = \"reference_point\"\ninertia = ⟦[1, 1, 1]⟧",
        "the inertia of `x`, moved to the centre of mass, is not positive definite: principal moments -9, -9, 1",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = [1, 1, 1]\nangular_velocity = [0, 0, 1]\nangular_velocity_body = ⟦[0, 0, 1]⟧",
        "`x` has two angular velocities",
        "remove one",
    ),
    Case(
        "[[body]]\nname = \"x\"\ninertia = ⟦[1, 1, 1]⟧\nshape = { type = \"sphere\", radius = 1, mass = 1 }",
        "`x` has both `shape` and `inertia`",
        "remove `inertia` or `shape`",
    ),
    Case(
        "[[body]]\nname = \"x\"\nshape = ⟦{ type = \"sphere\", radius = 1 }⟧",
        "the shape of `x` has no mass",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nshape = { type = \"sphere\", radius = 1, density = 1, mass = ⟦2⟧ }",
        "the shape of `x` has both a density and a mass",
        "remove one",
    ),
    Case(
        "[[body]]\nname = \"x\"\nshape = { type = \"sphere\", radius = ⟦-1⟧, mass = 1 }",
        "the radius of the shape of `x` must be positive, but is -1",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nshape = { type = ⟦\"ball\"⟧, radius = 1, mass = 1 }",
        "unknown shape type \"ball\"",
        "known are box, sphere",
    ),
    Case(
        "[[body]]\nname = \"x\"\nshape = { type = \"hollow_cylinder\", outer_radius = 1, inner_radius = ⟦2⟧, length = 1, mass = 1 }",
        "the inner radius 2 is not smaller than the outer radius 1",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nshape = { type = \"tetrahedron\", corners = ⟦[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]⟧, mass = 1 }",
        "it has no volume",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nshape = { type = \"mesh\", file = ⟦\"none.stl\"⟧, mass = 1 }",
        "there is no mesh file \"none.stl\"",
        "looked for none.stl",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = [1, 1, 1]\norientation = { axis = ⟦[0, 0, 0]⟧, angle = 1 }",
        "the axis of rotation has no direction: its length is zero",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = [1, 1, 1]\norientation = ⟦{ axis = [0, 0, 1] }⟧",
        "an orientation cannot be made of `axis` alone",
        "axis and angle; rotation_vector",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = [1, 1, 1]\norientation = { sequence = ⟦\"xxz\"⟧, angles = [0, 0, 0] }",
        "unknown Euler sequence \"xxz\"",
        "",
    ),
    Case(
        "[[body]]\nname = \"x\"\nmass = 1\ninertia = [1, 1, 1]\norientation = ⟦{ x_axis = [1, 0, 0], y_axis = [2, 0, 0] }⟧",
        "parallel",
        "",
    ),
    Case(
        "[model]\nplane = \"xy\"\ngravity = [0, 0, 0]\n[[body]]\nname = \"x\"\ntype = \"point\"\nmass = 1\nvelocity = ⟦[0, 0, 1]⟧",
        "the model is planar (xy), but this velocity leaves the plane",
        "",
    ),
    Case(
        "A\n[[marker]]\nname = ⟦\"m\"⟧\nbody = \"p\"\nposition = [1, 0, 0]",
        "`p` is a point",
        "make the body rigid",
    ),
];

const JOINTS_AND_FORCES: &[Case] = &[
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = ⟦[0, 0, 0]⟧",
        "the axis of `j` has no direction: its length is zero",
        "",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]",
        "missing key `axis` in revolute joint",
        "or use a marker as an end",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]",
        "missing key `at` in spherical joint",
        "the world point where both bodies meet",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"universal\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [1, 0, 0]\nsecond_axis = ⟦[1, 1, 0]⟧",
        "the axes of the universal joint `j` are not perpendicular: the angle between them is 45.0000°",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", ⟦\"p\"⟧]\nat = [0, 0, 0]\naxis = [1, 0, 0]",
        "a revolute joint cannot act on the point mass `p`",
        "spherical, distance and rope joints",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"distance\"\nbetween = [\"a\", \"b\"]\nlength = ⟦0⟧",
        "the length of `j` must be positive, but is 0",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"distance\"\nbetween = ⟦[\"ground\", \"a\"]⟧",
        "the two points of `j` coincide at the start",
        "give `points` that differ",
    ),
    Case(
        "A\n[[force]]\nname = \"s\"\ntype = \"spring\"\nstiffness = 1\nbetween = [\"ground\", \"a\"]\npoints = ⟦[[1, 0, 0], [1, 0, 0]]⟧",
        "the two points of `s` coincide at the start",
        "",
    ),
    Case(
        "A\n[[force]]\nname = \"s\"\ntype = \"spring\"\nstiffness = 1\nbetween = [\"ground\", \"b\"]\nlength = ⟦-1⟧",
        "the free length of `s` must be zero or positive, but is -1",
        "",
    ),
    Case(
        "A\n[[force]]\nname = \"s\"\ntype = \"spring\"\nstiffness = 1\nbetween = [\"a\", \"p\"]\npoints = [[0, 0, 0], ⟦[0, 1, 0]⟧]",
        "this end is a point mass",
        "",
    ),
    Case(
        "A\n[[force]]\nname = \"f\"\ntype = \"force\"\non = ⟦\"ground\"⟧\nforce = [0, 0, 1]",
        "a load on the ground has no effect",
        "",
    ),
    Case(
        "A\n[[force]]\nname = \"f\"\ntype = \"torque\"\non = ⟦\"p\"⟧\ntorque = [0, 0, 1]",
        "a torque cannot act on the point mass `p`",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n\
          [[force]]\nname = \"f\"\ntype = \"torsion\"\nstiffness = 1\njoint = ⟦\"hing\"⟧",
        "there is no revolute or cylindrical joint `hing`",
        "did you mean `hinge`?",
    ),
    Case(
        "A\n[[joint]]\nname = \"ball\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\n\
          [[force]]\nname = \"f\"\ntype = \"torsion\"\nstiffness = 1\njoint = ⟦\"ball\"⟧",
        "the joint `ball` has no angle",
        "",
    ),
    Case(
        "A\n⟦[[force]]⟧\nname = \"u\"\ntype = \"bushing\"\nbetween = [\"a\", \"b\"]\nstiffness = [1, 1, 1, 1, 1, 1]",
        "missing key `at` in bushing",
        "or use a marker",
    ),
];

const STUDY: &[Case] = &[
    Case("[study]\nend = 1\nstep = ⟦0⟧", "the step must be positive, but is 0", ""),
    Case("[study]\nend = ⟦1⟧\nstart = 2\nstep = 0.1", "the study ends at 1, not after its start at 2", ""),
    Case("[study]\nend = 1\nstep = ⟦2⟧", "the step 2 is longer than the whole study (1)", ""),
    Case(
        "[study]\nend = 1\nstep = 0.1\nrho = ⟦1.5⟧",
        "generalized-alpha needs 0 ≤ rho ≤ 1, but rho = 1.5",
        "",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"hht\"\nrho = ⟦0.2⟧",
        "hht needs 0.5 ≤ rho ≤ 1, but rho = 0.2",
        "",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = ⟦\"generalised-alfa\"⟧",
        "unknown integrator \"generalised-alfa\"",
        "did you mean `generalised-alpha`? known are generalized-alpha, hht, wbz",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = { family = \"U0\", roots = ⟦[0.5, 0.2, 0.1]⟧ }",
        "the roots [rmin, rmax, rs] = [0.5, 0.2, 0.1] are out of order",
        "",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = { family = \"U0\", roots = [0.5, ⟦1.2⟧, 0.1] }",
        "a root must be between 0 and 1, but is 1.2",
        "",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = { family = ⟦\"W0\"⟧, roots = [1, 1, 1] }",
        "unknown family \"W0\"",
        "known are U0, V0",
    ),
    Case("[study]\nend = 1\nstep = 0.1\ntolerance = ⟦-1e-9⟧", "the tolerance must be positive", ""),
    Case("[study]\nend = 1\nstep = 0.1\noutput_step = ⟦0⟧", "the output step must be positive", ""),
    Case(
        "⟦[study]⟧\nend = 1\nintegrator = \"runge-kutta-4\"",
        "missing key `step` in [study]",
        "integrator = \"radau\" chooses its steps",
    ),
    Case("⟦[study]⟧\nend = 1\nintegrator = \"gauss\"", "missing key `step` in [study]", "radau"),
    Case("⟦[study]⟧\nend = 1\nintegrator = \"energy-momentum\"", "missing key `step` in [study]", "radau"),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"energy-momentum\"\nform = ⟦\"stabilised\"⟧",
        "the integrator \"energy-momentum\" does not have the form \"stabilised\"",
        "use automatic, multipliers, null-space, minimal, augmented-lagrange, penalty",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"symplectic-midpoint\"\nconstraints = ⟦\"penalty\"⟧",
        "the integrator \"variational-midpoint\" does not have the form \"penalty\"",
        "use automatic, multipliers, null-space, minimal, augmented-lagrange; penalty is for",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nconstraints = ⟦\"minimal\"⟧",
        "the integrator \"generalized-alpha\" does not have the form \"minimal\"",
        "minimal is for energy-momentum, variational-midpoint, averaged-gradient",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"cg1\"\nform = \"minimal\"\nconstraints = ⟦\"minimal\"⟧",
        "`form` and `constraints` are two words for one thing",
        "give one of them",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"energy-momentum\"\nform = ⟦\"nullspace\"⟧",
        "unknown form \"nullspace\"",
        "did you mean `null-space`?",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"energy-momentum\"\ncoordinates = ⟦\"director\"⟧",
        "unknown coordinates \"director\"",
        "did you mean `directors`?",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"averaged-gradient\"\npoints = ⟦11⟧",
        "the integrator \"averaged-gradient\" cannot have 11 Gauss points",
        "it can have 1 to 10",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"energy-momentum\"\ndissipation = ⟦-0.1⟧",
        "the numerical dissipation must not be negative, but is -0.1",
        "0 conserves energy",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"energy-momentum\"\nform = \"penalty\"\npenalty = ⟦0⟧",
        "the penalty must be positive, but is 0",
        "leave it out",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nintegrator = \"energy-momentum\"\nform = \"augmented-lagrange\"\n\
         constraint_tolerance = ⟦-1e-9⟧",
        "the constraint tolerance must be positive, but is -0.000000001",
        "leave it out",
    ),
    Case(
        "E\nequations = [\"der(i)\", \"phi\"]\n[study]\nend = 1\nstep = 0.1\nintegrator = ⟦\"energy-momentum\"⟧",
        "the integrator \"energy-momentum\" does not know [[equations]]",
        "for example generalized-alpha or radau",
    ),
    Case(
        "[study]\nend = 1\nintegrator = \"radau\"\nstages = ⟦4⟧",
        "the integrator \"radau\" cannot have 4 stages",
        "it can have 1, 2, 3, 5, 7",
    ),
    Case(
        "[study]\nend = 1\nintegrator = \"radau\"\nform = ⟦\"hamiltonian\"⟧",
        "the integrator \"radau\" does not have the form \"hamiltonian\"",
        "use stabilised, position, velocity, acceleration; hamiltonian is for generalized-alpha",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\nform = ⟦\"embedding\"⟧",
        "does not have the form \"embedding\"",
        "embedding is for runge-kutta-4",
    ),
    Case(
        "[study]\nend = 1\nintegrator = \"radau\"\nrelative_tolerance = ⟦0⟧",
        "the relative tolerance must be positive",
        "",
    ),
    Case(
        "[study]\nend = 1\nintegrator = \"radau\"\nfirst_step = ⟦-1⟧",
        "the first step must be positive",
        "",
    ),
    Case(
        "A\n[study]\nend = 1\nintegrator = \"radau\"\n[[study.tolerance]]\nof = ⟦\"aa\"⟧\nrelative = 1e-9",
        "there is no body `aa`",
        "there are a, b, p, ground",
    ),
    Case(
        "A\n[study]\nend = 1\nintegrator = \"radau\"\n⟦[[study.tolerance]]⟧\nof = \"a\"",
        "a tolerance without a number",
        "give `relative` or `absolute`",
    ),
];

const EVENTS: &[Case] = &[
    Case(
        "A\n⟦[[event]]⟧\nname = \"e\"\nstop = true",
        "the event has neither `when` nor `at`",
        "a formula that crosses zero",
    ),
    Case(
        "A\n⟦[[event]]⟧\nname = \"e\"\nwhen = \"time\"\nat = 1\nstop = true",
        "the event has both `when` and `at`",
        "",
    ),
    Case("A\n[[event]]\nname = \"e\"\nwhen = ⟦\"k - 1\"⟧\nstop = true", "`k - 1` never crosses zero", ""),
    Case("A\n[[event]]\nname = \"e\"\nwhen = \"⟦c⟧.position.x\"\nstop = true", "unknown name `c`", ""),
    Case("A\n[[event]]\nname = ⟦\"a\"⟧\nat = 1\nstop = true", "a body and an event are both called `a`", ""),
    Case(
        "A\n[[event]]\nname = \"e\"\nat = 1\nset = { ⟦kk⟧ = 1 }",
        "there is no parameter `kk` to set",
        "parameters: k, mass",
    ),
    Case(
        "A\n[[event]]\nname = \"e\"\nat = 1\nimpulse = { body = ⟦\"ground\"⟧, force = [1, 0, 0] }",
        "a load on the ground has no effect",
        "",
    ),
    Case(
        "A\n[[event]]\nname = \"e\"\nat = 1\nimpulse = ⟦{ body = \"a\" }⟧",
        "the impulse has neither `force` nor `torque`",
        "N·m·s",
    ),
    Case(
        "A\n[[event]]\nname = \"e\"\nat = 1\nimpulse = { body = ⟦\"p\"⟧, torque = [1, 0, 0] }",
        "a torque cannot act on the point mass `p`",
        "",
    ),
    Case(
        "A\n[[event]]\nname = \"e\"\nwhen = \"a.position.x\"\nbounce = { restitution = ⟦1.5⟧ }",
        "the restitution must be between 0 and 1, but is 1.5",
        "",
    ),
    Case(
        "A\n[[event]]\nname = \"e\"\nwhen = ⟦\"a.position.x + a.velocity.x\"⟧\nbounce = { restitution = 1 }",
        "`a.velocity.x` is not a position: nothing bounces along it",
        "joint coordinates",
    ),
    Case(
        "A\n[[event]]\nname = \"e\"\nat = 1\nbounce = ⟦{ restitution = 1 }⟧",
        "the bounce has no coordinate",
        "",
    ),
    Case(
        "A\n[study]\ntype = \"equilibrium\"\n⟦[[event]]⟧\nname = \"e\"\nat = 1\nstop = true",
        "a study of type \"equilibrium\" has no events",
        "",
    ),
    Case(
        "A\n[study]\nend = 1\nstep = 0.1\n[[event]]\nname = \"e\"\nat = 0.5\nstop = true\n[[expect]]\n\
         signal = \"event.e.count\"\nat = ⟦1⟧\nvalue = 1\ntolerance = 0",
        "events are counted over the whole study",
        "remove `at`",
    ),
    Case(
        "A\n[study]\nend = 1\nstep = 0.1\n[[event]]\nname = \"e\"\nat = 0.5\nstop = true\n[[expect]]\n\
         signal = \"⟦event.f.count⟧\"\nvalue = 1\ntolerance = 0",
        "there is no event `f`",
        "",
    ),
];

const SIGNALS: &[Case] = &[
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"1 + a.⟦positon.z⟧\"",
        "the body `a` has no quantity `positon.z`",
        "did you mean `position.z`?",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"a.⟦position⟧\"",
        "has no quantity `position`",
        "name a component: position.x, position.y, position.z",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"a.⟦velocity.w⟧\"",
        "has no quantity `velocity.w`",
        "one of velocity.x, velocity.y",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"p.⟦angular_velocity.x⟧\"",
        "the point `p` has no quantity `angular_velocity.x`",
        "offers position, velocity, acceleration",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"⟦ma3⟧.position.x\"",
        "unknown name `ma3` in `ma3.position.x`",
        "did you mean `ma",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"energy.⟦kinetc⟧\"",
        "the energy has no quantity `kinetc`",
        "did you mean `kinetic`?",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"⟦energy⟧\"",
        "unknown name `energy`",
        "one of energy.kinetic, energy.potential, energy.total",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"⟦t⟧\"",
        "unknown name `t`",
        "the time is called `time` here",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"2*⟦a⟧\"",
        "unknown name `a`",
        "`a` is a body: name one of its quantities, position",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"2*⟦later⟧\"\n[[signal]]\nname = \"later\"\nvalue = \"time\"",
        "the signal `later` is not known yet",
        "only those above it",
    ),
    Case(
        "A\n[[signal]]\nname = \"s\"\nvalue = \"time\"\n[[signal]]\nname = ⟦\"s\"⟧\nvalue = \"time\"",
        "a signal is already called `s`",
        "must differ",
    ),
    Case(
        "A\n[[signal]]\nname = ⟦\"k\"⟧\nvalue = \"time\"",
        "a parameter is already called `k`",
        "must differ",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\n[[signal]]\nname = \"s\"\nvalue = \"j.⟦angle⟧\"",
        "the spherical joint `j` has no quantity `angle`",
        "offers reaction",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\n[[signal]]\nname = \"s\"\nvalue = \"j.⟦reaction.forc.x⟧\"",
        "has no quantity `reaction.forc.x`",
        "did you mean `reaction.force.x`?",
    ),
    Case(
        "A\n[[force]]\nname = \"f\"\ntype = \"force\"\non = \"a\"\nforce = [0, 0, 1]\n[[signal]]\nname = \"s\"\nvalue = \"f.⟦force⟧\"",
        "the force `f` has no quantity `force`",
        "offers no quantities",
    ),
    Case("A\n[[signal]]\nname = \"s\"\nvalue = \"1 ⟦+⟧\"", "missing after `+`", ""),
    Case(
        "[study]\nend = 1\nstep = 0.1\n[[expect]]\nsignal = \"time\"\nat = ⟦2⟧\nvalue = 2\ntolerance = 1",
        "the time 2 is not within the study (0 to 1)",
        "",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\n[[expect]]\nsignal = \"time\"\nvalue = 2\ntolerance = ⟦-1⟧",
        "the tolerance must be zero or positive, but is -1",
        "",
    ),
    Case(
        "[study]\nend = 1\nstep = 0.1\n⟦[[expect]]⟧\nsignal = \"time\"\nvalue = 2",
        "missing key `tolerance` in expectation",
        "or `relative`",
    ),
    Case("⟦[[expect]]⟧\nsignal = \"time\"\nvalue = 2\ntolerance = 1", "an expectation needs a [study]", ""),
];

const JOINT_TYPES: &[Case] = &[
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"screw\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlead = ⟦0⟧",
        "the lead of `j` must be other than zero, but is 0",
        "",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"screw\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]",
        "missing key `lead` in screw joint",
        "",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"point_on_line\"\nbetween = [\"a\", \"p\"]",
        "missing key `axis` in point_on_line joint",
        "a world direction",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"point_on_plane\"\nbetween = [\"a\", \"b\"]\naxis = [0, 0, 1]",
        "missing key `at` in point_on_plane joint",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"point_on_plane\"\nbetween = [⟦\"p\"⟧, \"a\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]",
        "the frame of a point_on_plane joint cannot act on the point mass `p`",
        "be the second end",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"point_on_line\"\nbetween = [\"a\", \"p\"]\naxis = [1, 0, 0]\npoint = ⟦[3, 0, 0]⟧",
        "this end is a point mass",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"point_on_curve\"\nbetween = [\"a\", \"p\"]\ncurve = [\"s\", \"sin(⟦t⟧)\", 0]",
        "unknown name `t`",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"point_on_curve\"\nbetween = [\"a\", \"p\"]\ncurve = ⟦[1, \"k\", 0]⟧",
        "the curve of `j` is a single point",
        "expressions of the parameter `s`",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [⟦\"wire\"⟧, \"p\"]",
        "there is no beam `wire`",
        "this file has no beam",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [⟦\"a\"⟧, \"p\"]",
        "there is no beam `a`",
        "wire",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [\"wire\", \"p\"]\nstart = { arc_length = ⟦3.5⟧ }",
        "the arc length 3.5 is beyond the ends of the beam `wire`",
        "its length is 3",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [\"wire\", ⟦\"wire.node1\"⟧]",
        "`wire.node1` is a node of the beam `wire` itself",
        "another body",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [\"wire\", ⟦\"p\"⟧]\norientation = \"tangent\"",
        "a sliding joint that follows the beam cannot act on the point mass `p`",
        "",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [\"wire\", \"p\"]\norientation = ⟦\"along\"⟧",
        "unknown orientation of a sliding joint",
        "tangent",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [\"wire\", \"p\"]\nfriction = { dynamic = 0.1 }\n[[force]]\nname = ⟦\"f\"⟧\ntype = \"thrust\"\njoint = \"j\"\nforce = 3",
        "dry friction of the sliding joint `j` beside a push along its beam",
        "`viscous` friction alone",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"ball\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\n[[force]]\nname = \"f\"\ntype = \"thrust\"\njoint = ⟦\"ball\"⟧\nforce = 3",
        "the joint `ball` has no displacement",
        "",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nelement = \"beam\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800, poisson = 0.3 }\n[[joint]]\nname = \"j\"\ntype = \"sliding\"\nbetween = [⟦\"wire\"⟧, \"p\"]",
        "nothing can slide along the beam `wire`",
        "element = \"cable\"",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[force]]\nname = \"f\"\ntype = \"spring\"\nstiffness = 3\nbetween = [\"a\", \"wire.at(⟦3.5⟧)\"]",
        "s = 3.5 is beyond the ends of the beam `wire`",
        "its length is 3",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[force]]\nname = \"f\"\ntype = \"spring\"\nstiffness = 3\nbetween = [\"a\", \"⟦wir⟧.at(1.5)\"]",
        "there is no beam `wir`",
        "wire",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"motion\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[force]]\nname = \"f\"\ntype = \"spring\"\nstiffness = 3\nbetween = [\"a\", ⟦\"wire.at(1.4)\"⟧]",
        "a place between the nodes of `wire` cannot be held",
        "wire.node3",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nat = [1.5, 0, 0]\nbetween = [\"a\", ⟦\"wire.at(1.5)\"⟧]",
        "`wire.at(1.5)` cannot be held here: no node is there",
        "choose `elements`",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[force]]\nname = \"f\"\ntype = \"force\"\non = ⟦\"wire.at(1.5)\"⟧\nframe = \"body\"\nforce = [1, 0, 0]",
        "this load cannot act on `wire.at(1.5)`: a place along a line has no axes",
        "world axes",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"director\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[force]]\nname = \"f\"\ntype = \"torque\"\non = ⟦\"wire.at(1.4)\"⟧\ntorque = [1, 0, 0]",
        "this torque cannot act on `wire.at(1.4)`: no node is there",
        "name a node",
    ),
    Case(
        "A\n[[beam]]\nname = \"wire\"\nfrom = [0, 0, 0]\nto = [3, 0, 0]\nelements = 3\nformulation = \"ancf\"\nsection = { type = \"circle\", diameter = 0.01, young = 2e11, density = 7800 }\n[[force]]\nname = \"f\"\ntype = \"spring\"\nstiffness = 3\npoints = [[0, 0, 1], ⟦[1.4, 0, 0]⟧]\nbetween = [\"a\", \"wire.at(1.5)\"]",
        "this end is a place along a beam, but the given point is",
        "the place is [",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"constant_velocity\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [1, 0, 0]\nsecond_axis = ⟦[-1, 0, 0]⟧",
        "the shafts of `j` point against each other",
        "the same way",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"constant_velocity\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\nsecond_axis = [1, 0, 0]",
        "missing key `axis` in constant_velocity joint",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"rolling_disk\"\nbetween = [\"ground\", \"b\"]\nradius = ⟦-1⟧\nat = [0, 0, -1]\nnormal = [0, 0, 1]\naxle = [0, 1, 0]",
        "the radius of `j` must be positive, but is -1",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"rolling_disk\"\nbetween = [\"ground\", \"b\"]\nradius = 1\nat = [0, 0, -1]\nnormal = [0, 0, 1]\naxle = ⟦[0, 0, 1]⟧",
        "the axle of `j` is parallel to the normal: the disk lies flat",
        "",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"rolling_disk\"\nbetween = [\"ground\", \"b\"]\nradius = 1\nat = [0, 0, -1]\nnormal = [0, 0, 1]",
        "missing key `axle` in rolling_disk joint",
        "or use a marker",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"rolling_ball\"\nbetween = [\"ground\", ⟦\"p\"⟧]\nradius = 1\nat = [0, 0, -1]\nnormal = [0, 0, 1]",
        "a rolling_ball joint cannot act on the point mass `p`",
        "",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"rolling_ball\"\nbetween = [\"ground\", \"b\"]\nradius = 1\nnormal = [0, 0, 1]",
        "missing key `at` in rolling_ball joint",
        "a world point",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"knife_edge\"\nbetween = [\"ground\", \"b\"]\nat = [0, 0, 0]\naxis = ⟦[0, 0, 3]⟧\nnormal = [0, 0, 1]",
        "the blade of `j` is parallel to the normal",
        "",
    ),
    Case(
        "A\n⟦[[joint]]⟧\nname = \"j\"\ntype = \"knife_edge\"\nbetween = [\"ground\", \"b\"]\nat = [0, 0, 0]\naxis = [1, 0, 0]",
        "missing key `normal` in knife_edge joint",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = ⟦{ stiffness = 1 }⟧",
        "the limits of `j` limit nothing",
        "give `lower`, `upper` or both",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = { lower = 1, upper = ⟦\"k - 1\"⟧, stiffness = 1 }",
        "the upper limit 1 of `j` is not above the lower one 1",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"prismatic\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = { lower = 1, stiffness = ⟦0⟧ }",
        "the stiffness of the limits of `j` must be positive, but is 0",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { ⟦angel⟧ = 1 }",
        "unknown key `angel` in revolute joint start",
        "did you mean `angle`?",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"prismatic\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { ⟦rotation⟧ = 1 }",
        "unknown key `rotation` in prismatic joint start",
        "a prismatic joint start has the keys displacement, displacement_rate",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"planar\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = ⟦{ }⟧",
        "the start of this joint asks for nothing",
        "give some of x, x_rate, y, y_rate, angle, angle_rate",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = ⟦0.3⟧",
        "expected a table (angle, rate), found the number 0.3",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { angle = 1, rate = ⟦[1]⟧ }",
        "expected a number or an expression in quotes, found an array of 1 value",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { angle = \"2*⟦q⟧\" }",
        "unknown name `q`",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"fixed\"\nbetween = [\"a\", \"b\"]\n⟦start⟧ = { angle = 1 }",
        "unknown key `start` in fixed joint",
        "a fixed joint has the keys",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\nstart = { orientation = ⟦{ axis = [1, 0, 0] }⟧ }",
        "an orientation cannot be made of `axis` alone",
        "give one of: axis and angle",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", \"p\"]\nat = [2, 0, 0]\nstart = ⟦{ angular_velocity = [1, 0, 0] }⟧",
        "`j` holds a point mass, which has no orientation",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"ground\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { rate = ⟦1⟧ }\n[[drive]]\nname = \"motor\"\ntype = \"joint\"\njoint = \"j\"\nposition = \"3*t\"",
        "`j.rate` starts with 1, but `motor` drives it with 3 at t = 0",
        "remove the start value",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"ground\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { angle = ⟦\"2*pi\"⟧ }\n[[drive]]\nname = \"motor\"\ntype = \"joint\"\njoint = \"j\"\nposition = \"3*t\"",
        "`j.angle` starts with 6.28",
        "remove the start value",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"cylindrical\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n⟦limits⟧ = { lower = 1, stiffness = 1 }",
        "unknown key `limits` in cylindrical joint",
        "angle_limits",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nfriction = ⟦{ dynamic = 0.1 }⟧",
        "missing key `radius` in friction",
        "",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"prismatic\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nfriction = { dynamic = 0.1, ⟦radius⟧ = 1 }",
        "unknown key `radius` in friction",
        "static",
    ),
    Case(
        "A\n[[joint]]\nname = \"j\"\ntype = \"prismatic\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nfriction = { dynamic = 0.3, static = ⟦0.2⟧ }",
        "static friction 0.2 is less than dynamic friction 0.3",
        "",
    ),
    Case(
        "J\n[[signal]]\nname = \"s\"\nvalue = \"hinge.⟦friction⟧\"",
        "the revolute joint `hinge` has no quantity `friction`",
        "offers angle, rate, reaction",
    ),
];

const COUPLINGS: &[Case] = &[
    Case(
        "J\n[[coupling]]\nname = \"g\"\ntype = \"gear\"\njoints = [\"hinge\", ⟦\"rod\"⟧]\nratio = 2",
        "the prismatic joint `rod` has no coordinate `angle`",
        "its coordinates are displacement",
    ),
    Case(
        "J\n⟦[[coupling]]⟧\nname = \"g\"\ntype = \"gear\"\njoints = [\"hinge\", \"tube\"]",
        "missing key `teeth` in gear coupling",
        "give `teeth` or `ratio`",
    ),
    Case(
        "J\n[[coupling]]\nname = \"g\"\ntype = \"gear\"\njoints = [\"hinge\", \"tube\"]\nteeth = [10, 20]\nratio = ⟦2⟧",
        "`g` has both `teeth` and `ratio`",
        "remove one",
    ),
    Case(
        "J\n[[coupling]]\nname = \"g\"\ntype = \"gear\"\njoints = [\"hinge\", \"tube\"]\nteeth = [10, ⟦-20⟧]",
        "a number of teeth of `g` must be positive, but is -20",
        "",
    ),
    Case(
        "J\n[[coupling]]\nname = \"g\"\ntype = \"gear\"\njoints = [\"hinge\", ⟦\"hinge\"⟧]\nratio = 2",
        "`hinge` cannot be coupled with itself",
        "",
    ),
    Case(
        "J\n[[coupling]]\nname = \"g\"\ntype = \"gear\"\njoints = [\"hinge\", ⟦\"tub\"⟧]\nratio = 2",
        "there is no joint `tub`",
        "did you mean `tube`?",
    ),
    Case(
        "J\n[[coupling]]\nname = \"r\"\ntype = \"rack_and_pinion\"\njoints = [\"hinge\", \"rod\"]\nradius = ⟦0⟧",
        "the radius of `r` must be other than zero",
        "",
    ),
    Case(
        "J\n[[coupling]]\nname = \"r\"\ntype = \"belt\"\njoints = [\"hinge\", \"tube\"]\nradii = [⟦0⟧, 1]",
        "a radius of `r` must be positive",
        "",
    ),
    Case(
        "J\n[[coupling]]\nname = \"l\"\ntype = \"linear\"\nterms = ⟦[{ coordinate = \"hinge.angle\", factor = 1 }]⟧",
        "`l` has 1 terms",
        "",
    ),
    Case(
        "J\n[[coupling]]\nname = \"l\"\ntype = \"linear\"\nterms = [{ coordinate = \"hinge.⟦angel⟧\", factor = 1 }, { coordinate = \"rod.displacement\", factor = 1 }]",
        "the revolute joint `hinge` has no coordinate `angel`",
        "did you mean `angle`?",
    ),
    Case(
        "J\n[[coupling]]\nname = \"l\"\ntype = \"linear\"\nterms = [{ coordinate = \"⟦hing⟧.angle\", factor = 1 }, { coordinate = \"rod.displacement\", factor = 1 }]",
        "there is no joint `hing`",
        "did you mean `hinge`?",
    ),
    Case(
        "J\n[[coupling]]\nname = \"l\"\ntype = \"linear\"\nterms = [{ coordinate = ⟦\"hinge\"⟧, factor = 1 }, { coordinate = \"rod.displacement\", factor = 1 }]",
        "`hinge` is not a joint's coordinate",
        "e.g. `hinge.angle`",
    ),
    Case(
        "J\n[[coupling]]\nname = \"l\"\ntype = \"linear\"\nterms = [{ coordinate = \"ball.⟦angle⟧\", factor = 1 }, { coordinate = \"rod.displacement\", factor = 1 }]",
        "the spherical joint `ball` has no coordinate `angle`",
        "a joint of this type has no coordinates",
    ),
    Case(
        "J\n[[coupling]]\nname = \"l\"\ntype = \"linear\"\nterms = [{ coordinate = \"hinge.angle\", factor = 1 }, { coordinate = ⟦\"hinge.angle\"⟧, factor = 1 }]",
        "`hinge.angle` stands in two terms of `l`",
        "add the factors",
    ),
    Case(
        "J\n[[coupling]]\nname = \"l\"\ntype = \"linear\"\nterms = [{ coordinate = \"hinge.angle\", factor = 1 }, { coordinate = \"rod.displacement\", factor = ⟦0⟧ }]",
        "a factor of `l` must be other than zero",
        "",
    ),
    Case(
        "J\n[[coupling]]\nname = ⟦\"hinge\"⟧\ntype = \"gear\"\njoints = [\"hinge\", \"tube\"]\nratio = 1",
        "a joint and a coupling are both called `hinge`",
        "must differ",
    ),
];

const TABLES: &[Case] = &[
    Case(
        "[[table]]\nname = \"f\"\npoints = [[0, 1], [2, 1], ⟦[2, 3]⟧]",
        "the abscissae must increase, but point 2 has 2 and point 3 has 2",
        "",
    ),
    Case("[[table]]\nname = \"f\"\npoints = ⟦[[0, 1]]⟧", "a table needs at least 2 points, but has 1", ""),
    Case(
        "[[table]]\nname = \"f\"\npoints = [[0, 1], ⟦[1, 2]⟧]\nextrapolation = \"periodic\"",
        "of a period must agree",
        "the last y must equal the first",
    ),
    Case("⟦[[table]]⟧\nname = \"f\"", "missing key `points` in table", "or `file`"),
    Case(
        "⟦[[table]]⟧\nname = \"f\"\npoints = [[0, 1], [1, 2]]\nfile = \"f.csv\"",
        "`f` has both `points` and `file`",
        "",
    ),
    Case(
        "[[table]]\nname = \"f\"\npoints = [[0, 1], [1, 2]]\ncolumns = ⟦[1, 2]⟧",
        "`f` has `columns` but no `file`",
        "remove `columns`",
    ),
    Case(
        "[[table]]\nname = \"f\"\nfile = ⟦\"no_such.csv\"⟧",
        "cannot read the table file \"no_such.csv\"",
        "looked for no_such.csv",
    ),
    Case("[[table]]\nname = ⟦\"sin\"⟧\npoints = [[0, 1], [1, 2]]", "`sin` cannot be the name of a table", ""),
    Case(
        "[[table]]\nname = ⟦\"length\"⟧\npoints = [[0, 1], [1, 2]]",
        "`length` cannot be the name of a table",
        "in laws",
    ),
    Case(
        "A\n[[table]]\nname = ⟦\"k\"⟧\npoints = [[0, 1], [1, 2]]",
        "a parameter is already called `k`",
        "must differ",
    ),
    Case(
        "[[table]]\nname = \"f\"\npoints = [[0, 1], [1, 2]]\n[[signal]]\nname = ⟦\"f\"⟧\nvalue = \"time\"",
        "a table is already called `f`",
        "must differ",
    ),
    Case(
        "[[table]]\nname = \"lift\"\npoints = [[0, 1], [1, 2]]\n[[signal]]\nname = \"s\"\nvalue = \"⟦lft⟧(time)\"",
        "",
        "did you mean `lift`?",
    ),
    Case(
        "[parameters]\nx = \"⟦f⟧(1)\"\n[[table]]\nname = \"f\"\npoints = [[0, 1], [1, 2]]",
        "the table `f` cannot be used in a parameter",
        "not the other way round",
    ),
    // A table with a mistake is still known.
    Case(
        "[[table]]\nname = \"f\"\npoints = [[0, 1], ⟦[0, 2]⟧]\n[[signal]]\nname = \"s\"\nvalue = \"f(time)\"",
        "the abscissae must increase",
        "",
    ),
];

const DRIVES: &[Case] = &[
    Case(
        "J\n⟦[[drive]]⟧\nname = \"d\"\ntype = \"joint\"\njoint = \"hinge\"",
        "missing key `position` in joint drive",
        "give `position` or `rate`",
    ),
    Case(
        "J\n[[drive]]\nname = \"d\"\ntype = \"joint\"\njoint = \"hinge\"\nposition = \"t\"\nrate = ⟦1⟧",
        "`d` has both `position` and `rate`",
        "remove one",
    ),
    Case(
        "J\n[[drive]]\nname = \"d\"\ntype = \"joint\"\njoint = ⟦\"tube\"⟧\nposition = \"t\"",
        "the cylindrical joint `tube` has several coordinates",
        "give `coordinate`: its coordinates are angle, displacement",
    ),
    Case(
        "J\n[[drive]]\nname = \"d\"\ntype = \"joint\"\njoint = ⟦\"ball\"⟧\nposition = \"t\"",
        "the spherical joint `ball` has no coordinate",
        "",
    ),
    Case(
        "J\n[[drive]]\nname = \"d\"\ntype = \"joint\"\njoint = \"tube\"\ncoordinate = ⟦\"displacment\"⟧\nposition = \"t\"",
        "has no coordinate `displacment`",
        "did you mean `displacement`?",
    ),
    Case(
        "J\n[[drive]]\nname = \"d\"\ntype = \"joint\"\njoint = \"hinge\"\nposition = \"sin(⟦time⟧)\"",
        "unknown name `time`",
        "the time is called `t` here",
    ),
    Case(
        "A\n[[drive]]\nname = \"d\"\ntype = \"point\"\npoint = \"a\"\nposition = ⟦[\"free\", \"free\", \"free\"]⟧",
        "`d` drives nothing",
        "",
    ),
    Case(
        "A\n[[drive]]\nname = \"d\"\ntype = \"point\"\npoint = ⟦\"ground\"⟧\nposition = [0, 0, \"t\"]",
        "the ground cannot be driven",
        "",
    ),
    Case(
        "A\n[[drive]]\nname = \"d\"\ntype = \"point\"\npoint = ⟦\"ma2\"⟧\nrelative_to = \"ma\"\nposition = [0, 0, \"t\"]",
        "`ma2` and `ma` are on the same body",
        "",
    ),
    Case(
        "A\n[[drive]]\nname = \"d\"\ntype = \"point\"\npoint = \"a\"\nrelative_to = ⟦\"p\"⟧\nposition = [0, 0, \"t\"]",
        "the point mass `p` has no axes to refer to",
        "rigid body",
    ),
    Case(
        "A\n[[drive]]\nname = \"d\"\ntype = \"angular_velocity\"\non = ⟦\"p\"⟧\nangular_velocity = [0, 0, 1]",
        "an angular velocity cannot act on the point mass `p`",
        "",
    ),
    Case(
        "J\n[[drive]]\nname = \"d\"\ntype = \"joint\"\njoint = \"hinge\"\nposition = \"t\"\n[[signal]]\nname = \"s\"\nvalue = \"d.⟦torque.z⟧\"",
        "the drive `d` has no quantity `torque.z`",
        "offers effort, power",
    ),
];

const CONSTRAINTS: &[Case] = &[
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = \"⟦a.acceleration.x⟧ - 1\"",
        "a constraint cannot use `a.acceleration.x`",
        "the accelerations follow",
    ),
    Case(
        "J\n[[constraint]]\nname = \"c\"\nequation = \"a.position.x + ⟦hinge.reaction.force.x⟧\"",
        "a constraint cannot use `hinge.reaction.force.x`",
        "forces follow",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = \"⟦energy.total⟧ - 1\"",
        "a constraint cannot use `energy.total`",
        "positions, rotations",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = \"⟦a.rotation_vector.x⟧\"",
        "a constraint cannot use `a.rotation_vector.x`",
        "jumps at a half turn",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = ⟦\"a.velocity.x^2 - a.velocity.y\"⟧",
        "must be linear in velocities, but is not in `a.velocity.x`",
        "",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = ⟦\"a.velocity.x*b.velocity.y\"⟧",
        "must be linear in velocities, but is not in `a.velocity.x` and `b.velocity.y` together",
        "",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = ⟦\"abs(a.velocity.x)\"⟧",
        "must be linear in velocities",
        "",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = ⟦\"time - k\"⟧",
        "`c` constrains no motion",
        "stays zero",
    ),
    Case(
        "A\n[[signal]]\nname = \"v2\"\nvalue = \"a.velocity.x^2\"\n[[constraint]]\nname = \"c\"\nequation = ⟦\"v2 - 1\"⟧",
        "must be linear in velocities",
        "",
    ),
    Case(
        "A\n[[signal]]\nname = \"acc\"\nvalue = \"a.acceleration.x\"\n[[constraint]]\nname = \"c\"\nequation = ⟦\"acc - 1\"⟧",
        "a constraint cannot use `a.acceleration.x`",
        "",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = \"a.⟦positon.x⟧\"",
        "the body `a` has no quantity `positon.x`",
        "did you mean `position.x`?",
    ),
    Case(
        "A\n[[constraint]]\nname = \"c\"\nequation = \"a.position.x + ⟦mode.1.real⟧\"",
        "`mode.1.real` is a result of the study",
        "only in [[expect]]",
    ),
];

const STUDIES: &[Case] = &[
    Case(
        "[study]\ntype = ⟦\"mode\"⟧",
        "unknown study type \"mode\"",
        "did you mean `modes`? known are motion",
    ),
    Case("⟦[study]⟧\ntype = \"kinematics\"\nend = 1", "missing key `step` in kinematics study", ""),
    Case(
        "[study]\ntype = \"kinematics\"\nend = 1\nstep = ⟦2⟧",
        "the step 2 is longer than the whole study",
        "",
    ),
    Case("[study]\ntype = \"modes\"\n⟦end⟧ = 1", "unknown key `end` in modes study", ""),
    Case("[study]\ntype = \"modes\"\ncount = ⟦0⟧", "expected a whole number from 1 to 1000000, found 0", ""),
    Case("[study]\ntype = \"modes\"\ncount = ⟦1.5⟧", "expected a whole number, found the number 1.5", ""),
    Case(
        "[study]\ntype = \"modes\"\nabout = ⟦\"rest\"⟧",
        "unknown state \"rest\"",
        "known are equilibrium, start",
    ),
    Case(
        "A\n[study]\ntype = \"modes\"\nobserver = ⟦\"c\"⟧",
        "there is no body `c`",
        "there are a, b, p, ground",
    ),
    Case(
        "A\n[study]\ntype = \"modes\"\nobserver = ⟦\"p\"⟧",
        "the point mass `p` cannot be the observer",
        "rigid",
    ),
    Case("[study]\ntype = \"equilibrium\"\ntolerance = ⟦0⟧", "the tolerance must be positive", ""),
    Case(
        "A\n[[force]]\nname = \"f\"\ntype = \"force\"\non = \"a\"\nforce = [0, 0, 1]\n[study]\ntype = \"linearize\"\ninputs = [⟦\"f\"⟧]",
        "`f` is not an input",
        "name a component: f.x, f.y or f.z",
    ),
    Case(
        "A\n[[force]]\nname = \"s\"\ntype = \"spring\"\nbetween = [\"a\", \"b\"]\nstiffness = 1\n[study]\ntype = \"linearize\"\ninputs = [⟦\"s.x\"⟧]",
        "`s.x` is not an input",
        "the tension of the spring is `s`",
    ),
    Case(
        "A\n[study]\ntype = \"linearize\"\ninputs = [\"⟦a⟧.x\"]",
        "there is no force or parameter `a`",
        "there are k, mass",
    ),
    Case(
        "A\n[[signal]]\nname = \"height\"\nvalue = \"a.position.z\"\n[study]\ntype = \"linearize\"\noutputs = [⟦\"hight\"⟧]",
        "there is no signal `hight`",
        "did you mean `height`?",
    ),
    Case(
        "A\n[[signal]]\nname = \"z\"\nvalue = \"a.position.z\"\n[study]\ntype = \"linearize\"\noutputs = [\"z\", ⟦\"z\"⟧]",
        "the output `z` is named twice",
        "",
    ),
    Case(
        "[study]\ntype = \"linearize\"\nformat = [⟦\"csv\"⟧]",
        "unknown format \"csv\"",
        "known are json, npz, mat",
    ),
    Case(
        "[study]\ntype = \"linearize\"\nformat = ⟦[]⟧",
        "no format to write its matrices in",
        "json, npz, mat",
    ),
    Case(
        "[study]\ntype = \"equilibrium\"\n[[expect]]\nsignal = \"time\"\nat = ⟦0⟧\nvalue = 0\ntolerance = 1",
        "a study of type \"equilibrium\" has no course of time",
        "remove `at`",
    ),
    Case(
        "[study]\ntype = \"modes\"\ncount = 2\n[[expect]]\nsignal = \"⟦mode.3.frequency⟧\"\nvalue = 0\ntolerance = 1",
        "there is no mode 3",
        "raise its `count`",
    ),
    Case(
        "[study]\ntype = \"modes\"\n[[expect]]\nsignal = \"⟦mode.0.frequency⟧\"\nvalue = 0\ntolerance = 1",
        "`0` in `mode.0.frequency` is not a number from 1 on",
        "",
    ),
    Case(
        "[study]\ntype = \"modes\"\n[[expect]]\nsignal = \"2*⟦mode.1.frequence⟧\"\nvalue = 0\ntolerance = 1",
        "there is no result `mode.1.frequence`",
        "did you mean `frequency`?",
    ),
    Case(
        "[study]\ntype = \"modes\"\n[[expect]]\nsignal = \"⟦matrix.A.1.1⟧\"\nvalue = 0\ntolerance = 1",
        "a study of type \"modes\" has no result `matrix.A.1.1`",
        "a study of type \"linearize\"",
    ),
    Case(
        "[study]\ntype = \"linearize\"\n[[expect]]\nsignal = \"⟦matrix.B.1.1⟧\"\nvalue = 0\ntolerance = 1",
        "there is no entry `matrix.B.1.1`",
        "0 inputs and 0 outputs",
    ),
    Case(
        "[study]\nend = 1\nstep = 1\n[[expect]]\nsignal = \"⟦mode.1.real⟧\"\nvalue = 0\ntolerance = 1",
        "a study of type \"motion\" has no result `mode.1.real`",
        "\"modes\" or \"linearize\"",
    ),
    Case(
        "[[body]]\nname = ⟦\"mode\"⟧\ntype = \"point\"\nmass = 1\n[study]\ntype = \"modes\"",
        "`mode` cannot be the name of a body",
        "a result of a study",
    ),
];

/// The text without its marks, and line and column (from 1) of the mark.
fn marked(text: &str) -> (String, usize, usize, usize) {
    let text = match text.split_at_checked(2) {
        Some(("A\n", rest)) => format!("{PRELUDE}{rest}"),
        Some(("J\n", rest)) => format!("{PRELUDE}{JOINTS}{rest}"),
        Some(("E\n", rest)) => format!("{PRELUDE}{JOINTS}{MOTOR}{rest}"),
        _ => text.to_owned(),
    };
    let start = text.find('⟦').unwrap();
    let length = text.find('⟧').unwrap() - start - '⟦'.len_utf8();
    let line = text[..start].lines().count() + usize::from(text[..start].ends_with('\n') || start == 0);
    let column = text[..start].chars().rev().take_while(|c| *c != '\n').count() + 1;
    (text.replace(['⟦', '⟧'], ""), line, column, length)
}

fn diagnostics(text: &str) -> (Source, Vec<Diagnostic>) {
    match load_str("f.toml", text, &[]) {
        Err(LoadError::Invalid { source_text, diagnostics }) => (source_text, diagnostics),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("no mistake found in\n{text}"),
    }
}

fn check(cases: &[Case]) {
    for Case(text, message, help) in cases {
        let (text, line, column, length) = marked(text);
        let (source, found) = diagnostics(&text);
        let errors: Vec<_> = found.iter().filter(|d| d.is_error()).collect();
        let all: Vec<_> = found.iter().map(|d| d.one_line(&source)).collect();
        assert_eq!(errors.len(), 1, "one mistake, one error:\n{text}\n{all:#?}");
        let error = errors[0];
        let label = error.primary.as_ref().unwrap();
        let place = format!("f.toml:{line}:{column}: error: ");
        assert!(error.one_line(&source).starts_with(&place), "{place} in\n{text}\n{all:#?}");
        assert_eq!(label.span.len(), length, "{text}\n{all:#?}");
        assert!(error.message.contains(message), "{message:?} in {all:#?}");
        let given = error.help.as_deref().unwrap_or("");
        assert!(given.contains(help), "{help:?} in {all:#?}");
        let rendered = error.render(&source, false);
        assert!(rendered.contains(&format!("f.toml:{line}:{column}")), "{rendered}");
    }
}

const SPINNING: &[Case] = &[
    Case(
        "A\n[model]\ngravity = [0, 0, 0]\nrotation_centre = ⟦[1, 0, 0]⟧",
        "`rotation_centre` without `rotation`",
        "give `rotation`",
    ),
    Case("A\n[model]\nrotation = ⟦[2, 0, 0]⟧", "gravity is not along the axis of rotation", "or [0, 0, 0]"),
    Case(
        "A\n[[force]]\nname = \"g\"\ntype = \"gyrostat\"\non = ⟦\"p\"⟧\naxis = [0, 0, 1]\nmomentum = 1",
        "point mass",
        "",
    ),
    Case(
        "A\n[[force]]\nname = \"g\"\ntype = \"gyrostat\"\non = \"a\"\naxis = ⟦[0, 0, 0]⟧\nmomentum = 1",
        "the axis of `g` has no direction",
        "",
    ),
    Case(
        "A\n[study]\ntype = \"campbell\"\nparameter = ⟦\"mas\"⟧\nrange = [0, 1]",
        "there is no parameter `mas`",
        "did you mean `mass`?",
    ),
    Case(
        "A\n[study]\ntype = \"campbell\"\nparameter = \"k\"\nrange = ⟦[2, 1]⟧",
        "the range from 2 to 1 is empty",
        "",
    ),
    Case(
        "A\n[study]\ntype = \"campbell\"\nparameter = \"k\"\nrange = [0, 1]\npoints = ⟦1⟧",
        "at least two points",
        "",
    ),
    Case(
        "A\n[study]\ntype = \"campbell\"\nparameter = \"k\"\nrange = [0, 1]\norders = [1, ⟦0⟧]",
        "an engine order must be positive, but is 0",
        "",
    ),
    Case(
        "A\n[study]\ntype = \"campbell\"\nparameter = \"k\"\nrange = [0, 1]\n[[expect]]\nsignal = \"mode.1.frequency\"\nat = ⟦2⟧\nvalue = 1\ntolerance = 1",
        "k = 2 is not within the study (0 to 1)",
        "",
    ),
    Case(
        "A\n[study]\ntype = \"campbell\"\nparameter = \"k\"\nrange = [0, 1]\ncount = 2\n[[expect]]\nsignal = \"⟦mode.3.frequency⟧\"\nvalue = 1\ntolerance = 1",
        "there is no mode 3",
        "computes 2 modes",
    ),
    Case(
        "A\n[study]\ntype = \"modes\"\n[[expect]]\nsignal = \"⟦crossing.1.value⟧\"\nvalue = 1\ntolerance = 1",
        "has no result `crossing.1.value`",
        "\"campbell\"",
    ),
];

const CHAINS_OF_STUDIES: &[Case] = &[
    Case(
        "A\n[[study]]\nname = \"one\"\nend = 1\nstep = 0.1\n⟦[[study]]⟧\ntype = \"equilibrium\"",
        "a study without a name among several",
        "by its name",
    ),
    Case(
        "A\n[[study]]\nname = \"one\"\nend = 1\nstep = 0.1\n[[study]]\nname = ⟦\"one\"⟧\ntype = \"equilibrium\"",
        "two studies are called `one`",
        "must differ",
    ),
    Case(
        "A\n[study]\nname = ⟦\"my study\"⟧\nend = 1\nstep = 0.1",
        "\"my study\" cannot be the name of a study",
        "e.g. `my_study`",
    ),
    Case(
        "A\n[study]\nname = ⟦\"equilibrium\"⟧\nend = 1\nstep = 0.1",
        "`equilibrium` cannot be the name of a study",
        "choose another name",
    ),
    Case(
        "A\n[study]\ninitial = ⟦\"sagg\"⟧\nend = 1\nstep = 0.1",
        "there is no study `sagg`",
        "there are equilibrium, steady",
    ),
    Case(
        "A\n[[study]]\nname = \"sag\"\ntype = \"equilibrium\"\n[[study]]\nname = \"swing\"\ninitial = ⟦\"sagg\"⟧\nend = 1\nstep = 0.1",
        "there is no study `sagg`",
        "did you mean `sag`?",
    ),
    Case(
        "A\n[study]\nname = \"swing\"\ninitial = ⟦\"swing\"⟧\nend = 1\nstep = 0.1",
        "the study `swing` starts from itself",
        "needs one that starts as modelled",
    ),
    Case(
        "A\n[study]\ninitial = ⟦3⟧\nend = 1\nstep = 0.1",
        "expected \"equilibrium\", \"steady\", the name of a study",
        "",
    ),
    Case(
        "A\n[study]\ninitial = ⟦{ run = \"runs/x\", steady = \"a\" }⟧\nend = 1\nstep = 0.1",
        "the initial state is given twice",
        "one of `study`, `run` and `steady`",
    ),
    Case(
        "A\n[study]\ninitial = ⟦{ }⟧\nend = 1\nstep = 0.1",
        "the initial state says nothing",
        "one of `study`, `run` and `steady`",
    ),
    Case(
        "A\n[study]\ninitial = { ⟦runs⟧ = \"runs/x\" }\nend = 1\nstep = 0.1",
        "unknown key `runs` in initial state",
        "did you mean `run`?",
    ),
    Case("A\n[study]\ninitial = { steady = ⟦\"c\"⟧ }\nend = 1\nstep = 0.1", "there is no body `c`", ""),
    Case(
        "A\n[study]\n⟦initail⟧ = \"steady\"\nend = 1\nstep = 0.1",
        "unknown key `initail`",
        "did you mean `initial`?",
    ),
    Case(
        "A\n[[study]]\nname = \"map\"\ntype = \"campbell\"\nparameter = \"k\"\nrange = [0, 1]\n[[study]]\nname = \"swing\"\ninitial = ⟦\"map\"⟧\nend = 1\nstep = 0.1",
        "no study can start from `map`",
        "",
    ),
    Case(
        "A\n[[study]]\nname = \"sag\"\ntype = \"equilibrium\"\n[[study]]\nname = \"swing\"\ninitial = { study = \"sag\", time = ⟦2⟧ }\nend = 1\nstep = 0.1",
        "the study `sag` has no course of time",
        "remove `time`",
    ),
    Case(
        "J\n[study]\noff = [⟦\"hing\"⟧]\nend = 1\nstep = 0.1",
        "`hing` cannot be switched off",
        "did you mean `hinge`?",
    ),
    Case("J\n[study]\noff = [⟦\"cup\"⟧]\nend = 1\nstep = 0.1", "`cup` cannot be switched off", ""),
    Case(
        "J\n[[drive]]\nname = \"motor\"\ntype = \"joint\"\njoint = ⟦\"hinge\"⟧\nposition = \"t\"\n[study]\noff = [\"hinge\"]\nend = 1\nstep = 0.1",
        "there is no joint `hinge`",
        "`hinge` is off in this study",
    ),
    Case(
        "J\n[[study]]\nname = \"one\"\nend = 1\nstep = 0.1\noff = [\"hinge\"]\n[[expect]]\nstudy = \"one\"\nsignal = \"⟦hinge⟧.angle\"\nvalue = 0\ntolerance = 1",
        "unknown name `hinge`",
        "`hinge` is off in this study",
    ),
    Case(
        "A\n[[study]]\nname = \"one\"\nend = 1\nstep = 0.1\n[[study]]\nname = \"two\"\nend = 2\nstep = 0.1\n⟦[[expect]]⟧\nsignal = \"a.position.x\"\nvalue = 0\ntolerance = 1",
        "which one must show this?",
        "one of one, two",
    ),
    Case(
        "A\n[[study]]\nname = \"one\"\nend = 1\nstep = 0.1\n[[expect]]\nstudy = ⟦\"ones\"⟧\nsignal = \"a.position.x\"\nvalue = 0\ntolerance = 1",
        "there is no study `ones`",
        "did you mean `one`?",
    ),
    Case(
        "A\n[[study]]\nname = \"one\"\nend = 1\nstep = 0.1\n[[study]]\nname = \"two\"\nend = 2\nstep = 0.1\n[[expect]]\nstudy = \"one\"\nsignal = \"a.position.x\"\nat = ⟦1.5⟧\nvalue = 0\ntolerance = 1",
        "the time 1.5 is not within the study (0 to 1)",
        "",
    ),
    Case(
        "A\n[study]\nend = 1\nstep = 0.1\nkeep = [0.5, ⟦2⟧]",
        "the time 2 is not within the study (0 to 1)",
        "",
    ),
    Case(
        "A\n[study]\ntype = \"equilibrium\"\nkeep = [⟦2⟧]",
        "a study of type \"equilibrium\" has no course of time",
        "",
    ),
];

/// A circle of several studies is told at each of its links.
#[test]
fn a_circle_of_studies() {
    let text = format!(
        "{PRELUDE}[[study]]\nname = \"one\"\ninitial = \"two\"\nend = 1\nstep = 0.1\n\
         [[study]]\nname = \"two\"\ninitial = \"one\"\nend = 1\nstep = 0.1\n"
    );
    let (source, found) = diagnostics(&text);
    let messages: Vec<String> = found.iter().map(|error| error.one_line(&source)).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    for name in ["one", "two"] {
        let told = format!("the study `{name}` starts from itself by way of others");
        assert!(messages.iter().any(|message| message.contains(&told)), "{messages:?}");
    }
    assert!(found.iter().all(|error| error.primary.is_some() && !error.secondary.is_empty()));
}

#[test]
fn toml_and_keys() {
    check(TOML);
}

#[test]
fn numbers_and_parameters() {
    check(NUMBERS);
}

#[test]
fn names() {
    check(NAMES);
}

#[test]
fn bodies() {
    check(BODIES);
}

#[test]
fn joints_and_forces() {
    check(JOINTS_AND_FORCES);
}

#[test]
fn study() {
    check(STUDY);
    check(EVENTS);
}

#[test]
fn signals_and_expectations() {
    check(SIGNALS);
}

#[test]
fn joint_types() {
    check(JOINT_TYPES);
}

#[test]
fn couplings() {
    check(COUPLINGS);
}

#[test]
fn tables() {
    check(TABLES);
}

#[test]
fn drives() {
    check(DRIVES);
}

#[test]
fn equations() {
    check(EQUATIONS);
}

#[test]
fn constraints() {
    check(CONSTRAINTS);
}

#[test]
fn spinning() {
    check(SPINNING);
}

#[test]
fn studies() {
    check(STUDIES);
}

#[test]
fn chains_of_studies() {
    check(CHAINS_OF_STUDIES);
}

#[test]
fn all_mistakes_are_reported_in_order() {
    let text = "[model]\ngravity = 3\n[[body]]\nname = \"a\"\nmas = 1\ninertia = [1, 1]\n\
                [[body]]\nname = \"b\"\nmass = -1\ninertia = [1, 1, 3]\n\
                [[joint]]\nname = \"j\"\ntype = \"spherical\"\nbetween = [\"a\", \"c\"]\nat = [0, 0, \"q\"]\n\
                [study]\nend = -1\nstep = \"x\"\n";
    let (source, found) = diagnostics(text);
    let lines: Vec<_> =
        found.iter().map(|d| source.position(d.primary.as_ref().unwrap().span.start).0).collect();
    assert_eq!(lines, [2, 5, 6, 9, 10, 14, 15, 18]);
    // `a` could not be read, but that is no reason to say it is not there.
    let all: Vec<_> = found.iter().map(|d| d.one_line(&source)).collect();
    assert!(all[5].contains("there is no body or marker `c`"), "{all:#?}");
}

#[test]
fn signals_that_double_do_not_fill_the_memory() {
    let mut text = format!("{PRELUDE}[[signal]]\nname = \"s0\"\nvalue = \"a.position.x\"\n");
    for i in 1..60 {
        let before = i - 1;
        text += &format!("[[signal]]\nname = \"s{i}\"\nvalue = \"s{before} + s{before}\"\n");
    }
    text += "[[constraint]]\nname = \"c\"\nequation = \"s59\"\n";
    let (model, _) = load_str("f.toml", &text, &[]).unwrap();
    let function = &model.constraints[0].function;
    let factor = 2f64.powi(59);
    assert_eq!((function.value(&[3.0]), function.partial(0, &[3.0])), (3.0 * factor, factor));
    assert!(function.second_is_zero(0, 0));
}

#[test]
fn several_syntax_errors() {
    let (_, found) = diagnostics("a = \nb = [1, 2\n");
    assert_eq!(found.len(), 2);
}

#[test]
fn doubles_label_both_places() {
    let (source, found) = diagnostics(
        "[[body]]\nname = \"a\"\ntype = \"point\"\nmass = 1\n[[body]]\nname = \"a\"\ntype = \"point\"\nmass = 1\n",
    );
    let [error] = &found[..] else { panic!() };
    assert_eq!(source.position(error.primary.as_ref().unwrap().span.start), (6, 8));
    assert_eq!(source.position(error.secondary[0].span.start), (2, 8));
    let expected = "\
Error: two bodies are called `a`
   ╭─[ f.toml:6:8 ]
   │
 2 │ name = \"a\"
   │        ─┬─  
   │         ╰─── first used for this body
   │ 
 6 │ name = \"a\"
   │        ─┬─  
   │         ╰─── used again here
   │ 
   │ Help: names of bodies, markers, joints, forces and all other things must differ
───╯
";
    assert_eq!(error.render(&source, false), expected);
}

#[test]
fn rendered_expression_error_points_into_the_string() {
    let (source, found) = diagnostics("[parameters]\nlength = 2\nx = \"1 + 2*lenght\"\n");
    let expected = "\
Error: unknown name `lenght`
   ╭─[ f.toml:3:12 ]
   │
 3 │ x = \"1 + 2*lenght\"
   │            ───┬──  
   │               ╰──── not a parameter
   │ 
   │ Help: did you mean `length`?
───╯
";
    assert_eq!(found[0].render(&source, false), expected);
}

#[test]
fn overrides_with_mistakes() {
    let error = |name: &str, value: &str| {
        let overrides = [(name.to_owned(), value.to_owned())];
        load_str("f.toml", "[parameters]\nlength = 1\n", &overrides).unwrap_err().to_string()
    };
    assert_eq!(
        error("lenght", "1"),
        "f.toml: error: cannot set `lenght`: no such parameter (did you mean `length`?)"
    );
    assert_eq!(error("length", "2*x"), "f.toml: error: cannot set `length`: unknown name `x`");
    assert_eq!(error("length", "1/0"), "f.toml: error: cannot set `length`: division by zero: 1/0");
    assert!(error("length", "2*").starts_with("f.toml: error: cannot set `length` to `2*`: "));
}

#[test]
fn warnings_do_not_prevent_loading() {
    let warnings = |text: &str| -> Vec<String> {
        let text = format!("{PRELUDE}{text}");
        let (model, warnings) = load_str("f.toml", &text, &[]).unwrap();
        assert!(warnings.iter().all(|w| w.severity == Severity::Warning));
        warnings.iter().map(|w| w.one_line(&model.source)).collect()
    };
    let found = warnings("[model]\nplane = \"xy\"");
    assert!(found[0].contains("gravity is normal to the plane"), "{found:?}");
    let spring = "[[force]]\nname = \"s\"\ntype = \"spring\"\nbetween = [\"a\", \"b\"]\n";
    let beyond = "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nbetween = [\"ground\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n\
                  limits = { upper = 0.5, stiffness = 1 }\nstart = { angle = 1 }";
    assert!(warnings(beyond)[0].contains("`j` starts at 1, beyond its stop at 0.5"));
    assert!(warnings(spring)[0].contains("`s` has no stiffness, no damping and no law"));
    assert!(warnings(&format!("{spring}damping = -1"))[0].contains("feeds energy in"));
    let study = "[study]\nend = 1\nstep = 0.1\nintegrator = \"midpoint\"\nrho = 0.5\n";
    assert!(warnings(study)[0].contains("the integrator \"midpoint\" does not use `rho`"));
    let study = "[study]\nend = 1\nstep = 0.1\nintegrator = \"energy-momentum\"\nform = \"minimal\"\nrho = 1\npoints = 2\n\
                 penalty = 1e5\ncoordinates = \"directors\"\nconstraint_tolerance = 1e-9\n";
    let found = warnings(study).join("\n");
    for key in ["points", "penalty", "coordinates", "constraint_tolerance"] {
        assert!(
            found.contains(&format!("the integrator \"energy-momentum\" does not use `{key}`")),
            "{found}"
        );
    }
    assert!(found.contains("does not use `rho`"), "{found}");
    let study = "[study]\nend = 1\nstep = 0.1\ncoordinates = \"directors\"\ndissipation = 0.1\n";
    let found = warnings(study).join("\n");
    assert!(
        found.contains("does not use `coordinates`") && found.contains("does not use `dissipation`"),
        "{found}"
    );
    let study = "[study]\nend = 1\nstep = 0.1\nfirst_step = 0.1\nrelative_tolerance = 1e-9\nstages = 2\n";
    let found = warnings(study).join("\n");
    for text in ["`first_step` is not used", "`relative_tolerance` is not used", "does not use `stages`"] {
        assert!(found.contains(text), "{found}");
    }
}

#[test]
fn missing_file() {
    let error = load("no/such/model.toml", &[]).unwrap_err();
    assert!(error.to_string().starts_with("cannot read no/such/model.toml: "));
    assert!(error.diagnostics().is_empty());
    assert!(error.render(false).starts_with("Error: cannot read"));
}
