//! A study that this crate does not know, all of it in one file: table, checks, results for expectations,
//! run, summary and words.

use poinsot_model::study::{
    Kind, Number, ResultFamily, Studies, Study, StudyContext, StudyKind, StudyRequest, StudyResult,
};
use poinsot_model::{Span, record};
use poinsot_results::summary_text::{Mark, Report};
use poinsot_results::{Common, Signals, StudySummary};
use poinsot_studies::{AnyStudy, Perform, Prepared, Product, RunOptions, StudyError, Unwatched, Watch};
use poinsot_studies::{prepare, summarize};
use serde::{Deserialize, Serialize};

record! {
    /// The weight of everything.
    pub struct WeighTable "weigh study" {
        /// Acceleration of gravity, m/s².
        gravity: Number = 9.81,
    }
}

#[derive(Clone, Debug)]
struct WeighSpec {
    gravity: f64,
    span: Span,
}

impl StudyRequest for WeighSpec {
    fn word(&self) -> &'static str {
        "weigh"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        0.0
    }
}

struct Weigh;

impl Study for Weigh {
    const WORD: &'static str = "weigh";
    const RESULTS: &'static [ResultFamily] = &[ResultFamily {
        root: "weight",
        example: "weight.total",
        fits: |rest| rest == ["total"],
        read: |_| Ok(StudyResult::new("weight.total", [0, 0], Some("N"))),
    }];
    type Table = WeighTable;
    type Request = WeighSpec;

    fn resolve(table: &WeighTable, context: &mut StudyContext) -> Option<WeighSpec> {
        let gravity = context.positive(&table.gravity, "gravity")?;
        Some(WeighSpec { gravity, span: table.span.clone() })
    }
}

impl Perform for Weigh {
    fn run(
        prepared: Prepared,
        spec: &WeighSpec,
        _: &RunOptions,
        _: &dyn Watch,
    ) -> Result<Product, StudyError> {
        let weight = spec.gravity * prepared.system.total_mass();
        let rest = vec![0.0; prepared.system.size()];
        let answers = |_: StudyResult| Some(weight);
        let (table, measured) = summarize::snapshot(&prepared, &prepared.state, &rest, &answers)?;
        let Prepared { model, system, start, .. } = &prepared;
        let mut common = summarize::common(model, system, start, summarize::completed());
        common.expectations = summarize::expectations(model, &measured, 0.0);
        let summary = WeighSummary { common, weight, warnings: vec![] };
        Ok(Product::new(Box::new(summary), "Weighed.".into(), Signals::new(table)))
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct WeighSummary {
    #[serde(flatten)]
    common: Common,
    weight: f64,
    warnings: Vec<String>,
}

impl StudySummary for WeighSummary {
    const ANALYSIS: &'static str = "weigh";
    fn common(&self) -> &Common {
        &self.common
    }
    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }
    fn warnings_mut(&mut self) -> &mut Vec<String> {
        &mut self.warnings
    }
    fn tell(&self) -> Report {
        let mut report = Report::open(&self.common, "weighed");
        report.line(Mark::None, "weight", &format!("{} N", self.weight));
        report.close(&self.common)
    }
}

static WEIGH: Kind<Weigh> = Kind::NEW;
static KINDS: [&dyn StudyKind; 1] = [&WEIGH];

const MODEL: &str = r#"
[[body]]
name = "bob"
type = "point"
mass = 3
[study]
type = "weigh"
gravity = 2
[[expect]]
signal = "weight.total"
value = 6
tolerance = 1e-12
"#;

#[test]
fn a_study_of_ones_own_is_read_run_and_told() {
    let load = |text: &str| poinsot_model::load_str("bob.toml", text, &[], Studies(&KINDS));
    let (model, _) = load(MODEL).unwrap();
    let product = WEIGH.run(prepare(&model, 0.0).unwrap(), &RunOptions::default(), &Unwatched).unwrap();
    assert!(product.summary.holds());
    let text = product.summary.text();
    assert!(text.contains("weight       6 N") && text.contains("1 of 1 expectations hold"), "{text}");

    let wrong = |from: &str, to: &str| load(&MODEL.replace(from, to)).unwrap_err().to_string();
    assert!(wrong("gravity = 2", "gravity = -2").contains("gravity must be positive, but is -2"));
    assert!(wrong("gravity = 2", "gravty = 2").contains("unknown key `gravty` in weigh study"));
    assert!(wrong("weight.total", "weight.half").contains("there is no result `weight.half`"));
    assert!(wrong("\"weigh\"", "\"modes\"").contains("unknown study type \"modes\""));
}
