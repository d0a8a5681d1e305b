//! Integrators on the command line: `name`, `name:form`, `name(rho=0.8)`, `radau(stages=5):position`,
//! `V0(1,1,0)`, `energy-momentum(directors,penalty=1e6):penalty`.

use poinsot_integrators::{Member, Method};
use poinsot_mechanics::conserving::Rule;
use poinsot_model::spec::{
    BodyCoordinates, Forces, Form, IntegratorError, IntegratorKey, IntegratorName, IntegratorRequest,
    IntegratorSpec, MotionSpec,
};

/// An integrator that was asked for by name.
#[derive(Clone, Debug)]
pub struct Choice {
    /// As it was written.
    pub text: String,
    /// The integrator.
    pub spec: IntegratorSpec,
    /// Fixed steps, although it could choose them.
    fixed: bool,
}

impl Choice {
    /// The integrator of a study.
    pub fn of(study: &MotionSpec) -> Self {
        let spec = study.integrator.clone();
        let mut text = spec.name.to_string();
        let member = spec.method.gs4().filter(|_| spec.name == "gs4").map(|settings| settings.member);
        match (member, spec.rho, spec.stages) {
            (Some(m), ..) => text = format!("{:?}({},{},{})", m.family, m.rho_min, m.rho_max, m.rho_s),
            (_, Some(rho), _) => text += &format!("(rho={rho})"),
            (_, _, Some(stages)) => text += &format!("(stages={stages})"),
            _ => text += &conserving_arguments(&spec),
        }
        text += &format!(":{}", spec.form.word());
        Choice { text, fixed: study.step().is_some(), spec }
    }

    /// Whether it chooses its steps.
    pub fn is_adaptive(&self) -> bool {
        self.spec.estimates_errors() && !self.fixed
    }

    /// Reads one; `newton` is the tolerance of Newton's iteration in GS4, if not the default.
    pub fn parse(text: &str, newton: Option<f64>) -> Result<Self, String> {
        let wrong = |reason: String| format!("`{text}`: {reason}");
        let parts = Parts::split(text).map_err(wrong)?;
        let member = parts.member().map_err(wrong)?;
        let name = member.map_or(IntegratorName::Name(parts.name), IntegratorName::Member);
        let form = parts.form().map_err(wrong)?;
        let mut request = IntegratorRequest { form, ..IntegratorRequest::new(name) };
        let mut pace = None;
        for argument in parts.arguments.iter().filter(|_| member.is_none()) {
            match argument.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
                Some(("rho", value)) => request.rho = Some(number(value).map_err(wrong)?),
                Some(("stages", value)) => {
                    let count =
                        value.parse().map_err(|_| wrong(format!("`{value}` is not a number of stages")))?;
                    request.stages = Some(count);
                }
                Some(("order", value)) => {
                    let order = value.parse().map_err(|_| wrong(format!("`{value}` is not an order")))?;
                    request.order = Some(order);
                }
                Some(("points", value)) => {
                    let points =
                        value.parse().map_err(|_| wrong(format!("`{value}` is not a number of points")))?;
                    request.points = Some(points);
                }
                Some(("penalty", value)) => request.penalty = Some(number(value).map_err(wrong)?),
                Some(("dissipation", value)) => request.dissipation = Some(number(value).map_err(wrong)?),
                Some(("constraint_tolerance", value)) => {
                    request.constraint_tolerance = Some(number(value).map_err(wrong)?);
                }
                None if BodyCoordinates::from_word(argument).is_some() => {
                    request.coordinates = BodyCoordinates::from_word(argument);
                }
                None if *argument == "fixed" => pace = Some(true),
                None if *argument == "adaptive" => pace = Some(false),
                None if *argument == "explicit" => request.forces = Some(Forces::Explicit),
                _ => {
                    return Err(wrong(format!(
                        "`{argument}` is none of rho=…, stages=…, order=…, fixed, adaptive, explicit, {}, penalty=…, \
                         constraint_tolerance=…, dissipation=… and points=…",
                        BodyCoordinates::WORDS.join(", ")
                    )));
                }
            }
        }
        let complain = |error: IntegratorError| {
            let help = error.help.map_or(String::new(), |help| format!("; {help}"));
            wrong(format!("{}{help}", error.message))
        };
        let (mut spec, unused) = request.resolve().map_err(complain)?;
        if let Some(key) = unused.first() {
            let word = match key {
                IntegratorKey::Rho => "parameter `rho`".into(),
                key => format!("`{}`", key.word()),
            };
            return Err(wrong(format!("the integrator {} has no {word}", spec.name)));
        }
        if newton.is_some() && spec.method.gs4().is_some() {
            request.tolerance = newton;
            spec = request.resolve().map_err(complain)?.0;
        }
        // GS4 can choose its steps, but is made for equal ones.
        let fixed = pace.unwrap_or(spec.method.gs4().is_some());
        Ok(Choice { text: text.trim().into(), spec, fixed })
    }

    /// Reads a list with commas in between.
    pub fn list(text: &str, newton: Option<f64>) -> Result<Vec<Self>, String> {
        let mut found: Vec<Choice> = vec![];
        for part in split_outside(text) {
            let choice = Choice::parse(part, newton)?;
            if found.iter().any(|other| other.text == choice.text) {
                return Err(format!("`{}` stands twice in the list", choice.text));
            }
            found.push(choice);
        }
        Ok(found)
    }
}

/// What a structure-preserving integrator has besides its form, as arguments in brackets.
fn conserving_arguments(spec: &IntegratorSpec) -> String {
    let Method::Conserving(settings) = &spec.method else { return String::new() };
    let mut list = vec![];
    let coordinates = BodyCoordinates::from(settings.coordinates);
    if coordinates != BodyCoordinates::Motion && spec.form != Form::Minimal {
        list.push(coordinates.word().to_owned());
    }
    list.extend(spec.penalty.map(|penalty| format!("penalty={penalty:?}")));
    list.extend(spec.constraint_tolerance.map(|tolerance| format!("constraint_tolerance={tolerance:?}")));
    list.extend((settings.dissipation > 0.0).then(|| format!("dissipation={}", settings.dissipation)));
    list.extend((settings.rule == Rule::Averaged).then(|| format!("points={}", settings.points)));
    if list.is_empty() { String::new() } else { format!("({})", list.join(",")) }
}

/// The parts of `name(arguments):form` or `name:form(arguments)`.
struct Parts<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
    form: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Self, String> {
        let text = text.trim();
        let (head, inside, tail) = match text.split_once('(') {
            None => (text, None, ""),
            Some((head, rest)) => {
                let (inside, tail) = rest.rsplit_once(')').ok_or("the bracket is not closed")?;
                (head, Some(inside), tail.trim())
            }
        };
        let (name, before) = match head.split_once(':') {
            Some((name, form)) => (name, Some(form)),
            None => (head, None),
        };
        let after = match (tail, tail.strip_prefix(':')) {
            ("", _) => None,
            (_, Some(form)) => Some(form),
            _ => return Err(format!("`{tail}` behind the bracket is not `:form`")),
        };
        if before.is_some() && after.is_some() {
            return Err("two forms".into());
        }
        let arguments = inside.map_or(vec![], |inside| inside.split(',').map(str::trim).collect());
        Ok(Parts { name: name.trim(), arguments, form: before.or(after).map(str::trim) })
    }

    /// The member of GS4 with these roots, if it is given so.
    fn member(&self) -> Result<Option<Member>, String> {
        let make = match self.name {
            "U0" => Member::u0,
            "V0" => Member::v0,
            _ => return Ok(None),
        };
        let roots: Result<Vec<f64>, String> = self.arguments.iter().map(|text| number(text)).collect();
        let [low, high, spurious] = roots?[..] else {
            return Err(format!("{} needs three roots: {}(rmin,rmax,rs)", self.name, self.name));
        };
        let member = make(low, high, spurious);
        member.check().map_err(|error| error.to_string())?;
        Ok(Some(member))
    }

    fn form(&self) -> Result<Option<Form>, String> {
        let Some(word) = self.form else { return Ok(None) };
        let unknown = || {
            let hint = poinsot_expr::suggest(word, Form::WORDS)
                .map_or(String::new(), |s| format!("did you mean `{s}`? "));
            format!("there is no form `{word}`; {hint}known are {}", Form::WORDS.join(", "))
        };
        Form::from_word(word).map(Some).ok_or_else(unknown)
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| format!("`{text}` is not a number"))
}

/// Splits at commas outside of brackets.
pub fn split_outside(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (vec![], 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_writing() {
        let list = Choice::list(
            "radau:position, generalized-alpha(rho=0.8),radau(stages=5, fixed),V0(1,1,0):position",
            None,
        );
        let list = list.unwrap();
        let forms: Vec<&str> = list.iter().map(|c| c.spec.form.word()).collect();
        assert_eq!(forms, ["position", "stabilised", "stabilised", "position"]);
        assert_eq!((list[1].spec.rho, list[2].spec.stages), (Some(0.8), Some(5)));
        let adaptive: Vec<bool> = list.iter().map(Choice::is_adaptive).collect();
        assert_eq!(adaptive, [true, false, false, false]);
        assert_eq!(list[3].spec.method.gs4().unwrap().member, Member::v0(1.0, 1.0, 0.0));
        let whole =
            Choice::parse("energy-momentum(directors,penalty=1e6,dissipation=0.1):penalty", None).unwrap();
        assert_eq!((whole.spec.form, whole.spec.penalty), (Form::Penalty, Some(1e6)));
        let Method::Conserving(settings) = whole.spec.method else { panic!() };
        assert_eq!((settings.coordinates.into(), settings.dissipation), (BodyCoordinates::Directors, 0.1));
        assert!(!whole.is_adaptive());
        assert_eq!(Choice::parse("radau:position(stages=2)", None).unwrap().spec.stages, Some(2));
        assert_eq!(Choice::parse("hht", Some(1e-13)).unwrap().spec.method.gs4().unwrap().tolerance, 1e-13);
    }

    #[test]
    fn mistakes_are_named() {
        let says = |text: &str, part: &str| {
            let error = Choice::list(text, None).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        says("radua", "did you mean `radau`?");
        says("radau:positon", "did you mean `position`?");
        says("radau(stages=4)", "cannot have 4 stages");
        says("radau(rho=1)", "has no parameter `rho`");
        says("radau(colour=red)", "none of rho");
        says("radau(stages=3", "not closed");
        says("V0(1,1)", "three roots");
        says("U0(1,0.5,0)", "must obey");
        says("energy-momentum(points=3)", "has no `points`");
        says("cg1(points=11)", "cannot have 11 Gauss points");
        says("hht(directors)", "has no `coordinates`");
        says("variational-midpoint:penalty", "does not have the form \"penalty\"");
        says("hht,hht", "stands twice");
        says("hht,", "unknown integrator");
    }
}
