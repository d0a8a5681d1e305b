//! Spring, damper or actuator between two points.

use super::declaration::{LawKeys, Own};
use super::{ForceCoordinate, ForceEntry, ForceInput, ForceLaw, ForceSpec, ForceType};
use crate::build::Site;
use crate::declared::declared;
use crate::file::{FileTable, Triple};
use crate::joints::Dimension;
use crate::resolve::Resolver;
use crate::spec::EndSpec;
use crate::value::{Located, Number, Text};
use poinsot_expr::Function;
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, Force};

/// Arguments of the law.
const ARGUMENTS: &[&str] = &["t", "length", "rate"];
/// What they are.
const OWN: &[(&str, Own)] = &[("t", Own::Time), ("length", Own::Coordinate), ("rate", Own::Rate)];

/// What there is to know of the type.
pub const SPRING: ForceType = ForceType {
    word: "spring",
    noun: "spring",
    what: "spring, damper or actuator between two points",
    along: Some(ForceCoordinate {
        name: "length",
        rate: "rate",
        effort: "force",
        dimension: Dimension::Length,
        sign: "tension positive",
    }),
    input: ForceInput::Whole("the tension of the spring"),
    is_link: true,
    holds_rods: true,
    notes: "```text
tension = stiffness (length − free length) + damping · rate + force(t, length, rate)
```

Positive tension pulls the points together. In the expression, `length` is the length at the moment.

`\"cable.at(0.37)\"` is the place at the arc length 0.37 m of the beam `cable` as modelled, between nodes or
at one. Lines of formulation `\"ancf\"` and `\"director\"` can be held so anywhere, those of `\"motion\"` at nodes.",
    example: r#"[[force]]
name = "strut"
type = "spring"
between = ["ground", "wheel"]
points = [[0, 0, 1], [0, 0, 0.3]]
stiffness = 2e4
damping = 800
force = "-50*rate*abs(rate)""#,
};

declared! {
    /// A spring–damper–actuator between two points. Its tension is
    /// stiffness·(length at the moment − free length) + damping·rate + force.
    SpringTable "spring" is SPRING: ForceType {
        /// First and second end: bodies, markers, places along beams as "cable.at(0.37)", or "ground".
        between: Located<[Text; 2]>,
        /// World points on the two bodies at the start; default their origins or markers.
        points: Option<Located<[Triple; 2]>>,
        /// Stiffness, N/m.
        stiffness: Number = 0,
        /// Damping, N·s/m.
        damping: Number = 0,
        /// Free length, m; default: the length at the start.
        length: Option<Number>,
        /// Additional tension, N; may use `t`, `length`, `rate` and quantities of the running
        /// system.
        force: Option<Number>,
    }
}

impl ForceEntry for SpringTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<ForceSpec> {
        let name = &self.name.value;
        let stiffness = resolver.number(&self.stiffness);
        let damping = resolver.damping(&self.damping, &format!("the damping of `{name}`"));
        let subject = format!("the free length of `{name}`");
        let free = self.length.as_ref().map(|length| resolver.not_negative(length, &subject));
        let law = resolver.spring_law(self.force.as_ref(), ARGUMENTS, file);
        let ends = resolver.spring_points(&self.between, self.points.as_ref(), &self.name, file);
        let ([first, second], start) = ends?;
        let (stiffness, damping) = (stiffness?, damping?);
        resolver.warn_idle(&self.name, [stiffness, damping], self.force.is_some());
        let (length, law) = (free.unwrap_or(Some(start))?, law?);
        Some(ForceSpec::new(self, Spring { first, second, stiffness, damping, length, law }))
    }

    fn law_keys(&self) -> Option<LawKeys<'_>> {
        Some(LawKeys { efforts: self.force.iter().collect(), own: OWN, always: false })
    }
}

/// A spring–damper–actuator between two points.
#[derive(Clone, Debug)]
pub struct Spring {
    /// First end.
    pub first: EndSpec,
    /// Second end.
    pub second: EndSpec,
    /// Stiffness.
    pub stiffness: f64,
    /// Damping.
    pub damping: f64,
    /// Free length.
    pub length: f64,
    /// Additional tension as a function of `t`, `length`, `rate`.
    pub law: Option<Function>,
}

impl Spring {
    fn distance(&self, site: &Site) -> Coordinate {
        Coordinate::distance(&site.attach(&self.first), &site.attach(&self.second))
    }
}

impl ForceLaw for Spring {
    fn declaration(&self) -> &'static ForceType {
        &SPRING
    }

    fn force(&self, site: &Site) -> Box<dyn Force> {
        Box::new(CoordinateForce {
            coordinate: self.distance(site),
            stiffness: self.stiffness,
            damping: self.damping,
            free: self.length,
            law: self.law.clone(),
        })
    }

    fn coordinate(&self, site: &Site) -> Option<Coordinate> {
        Some(self.distance(site))
    }

    fn spring(&self) -> Option<[f64; 3]> {
        Some([self.stiffness, self.damping, self.length])
    }

    fn laws(&self) -> &[Function] {
        self.law.as_slice()
    }

    fn ends(&self) -> Option<[&EndSpec; 2]> {
        Some([&self.first, &self.second])
    }
}
