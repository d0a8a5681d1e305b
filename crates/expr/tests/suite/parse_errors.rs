//! Errors of the parser: message, span and suggestion.

use poinsot_expr::{Expr, ParseError};

/// The message, the part of the source that it points at, and the suggestion.
fn failure(source: &str) -> (String, String, Option<String>) {
    let ParseError { message, span, suggestion } = Expr::parse(source).expect_err(source);
    (message, source[span].to_string(), suggestion)
}

#[test]
fn errors_point_at_the_fault_and_say_what_was_meant() {
    for (source, message, part, suggestion) in [
        ("", "is empty", "", None),
        ("  ", "is empty", "  ", None),
        // Products without a sign.
        ("1 + 2x", "between `2` and `x`", "2x", Some("2*x")),
        ("2x^2", "between `2` and `x`", "2x", Some("2*x")),
        ("2sin(t)", "between `2` and `sin`", "2sin", Some("2*sin")),
        ("2(a + b)", "between `2` and `(`", "2(", Some("2*(")),
        ("(a)(b)", "between `)` and `(`", ")(", Some(")*(")),
        ("(a)b", "between `)` and `b`", ")b", Some(")*b")),
        ("a b", "between `a` and `b`", "a b", Some("a*b")),
        ("sin(a b)", "between `a` and `b`", "a b", Some("a*b")),
        ("(2 a)", "between `2` and `a`", "2 a", Some("2*a")),
        ("2e", "between `2` and `e`", "2e", Some("2*e")),
        ("1 2", "between `1` and `2`", "1 2", None),
        ("5 if(a, b, c)", "missing between", "5 if", Some("5*if")),
        ("m(a + b)", "a product needs its `*`", "m(", Some("m*(")),
        // Functions.
        ("1 + sine(x)", "unknown function `sine`", "sine", Some("sin")),
        ("Sin(x)", "unknown function `Sin`", "Sin", Some("sin")),
        ("sqr(x)", "unknown function `sqr`", "sqr", Some("sqrt")),
        ("ln(x)", "unknown function `ln`", "ln", Some("log")),
        ("arctan(x)", "unknown function", "arctan", Some("atan")),
        ("iff(a, b, c)", "unknown function `iff`", "iff", Some("if")),
        ("pow(a, 2)", "a power is written `x^y`", "pow", None),
        ("sin x", "needs its arguments", "sin x", Some("sin(x)")),
        ("2*sin", "needs its arguments", "sin", None),
        ("sin()", "`sin(x)` takes 1 argument, but 0 are given", "sin()", None),
        ("1 + sin(a, b, c)", "takes 1 argument, but 3 are", "b, c", None),
        ("atan2(y)", "`atan2(y, x)` takes 2 arguments, but 1 is given", "atan2(y)", None),
        ("max(y)", "takes at least 2 arguments, but 1 is", "max(y)", None),
        ("if(a, b)", "takes 3 arguments, but 2 are given", "if(a, b)", None),
        ("if(a, b, c, d)", "takes 3 arguments, but 4 are given", "d", None),
        ("if a", "if(condition, value, otherwise)", "if", None),
        // Parentheses.
        ("2*(a + b", "this `(` is never closed", "(", None),
        ("sin(a + b", "this `(` is never closed", "(", None),
        ("sin(", "this `(` is never closed", "(", None),
        ("a + b)", "this `)` closes nothing", ")", None),
        ("2*()", "nothing stands between", "()", None),
        // Operands.
        ("2*", "missing after `*`", "*", None),
        ("*2", "missing before `*`", "*", None),
        ("2*/3", "missing after `*` and before `/`", "*/", None),
        ("(a + )", "missing after `+` and before `)`", "+ )", None),
        ("min(a, )", "missing after `,` and before `)`", ", )", None),
        ("min(, a)", "missing after `(` and before `,`", "(,", None),
        ("a and", "missing after `and`", "and", None),
        ("-", "missing after `-`", "-", None),
        // Commas.
        ("0,5*a", "written with a point", "0,5", Some("0.5")),
        ("(1,5)", "written with a point", "1,5", Some("1.5")),
        ("a, b", "a comma stands only between", ",", None),
        // Characters.
        ("a $ b", "stray character `$`", "$", None),
        ("a ☃ b", "stray character `☃`", "☃", None),
        ("a; b", "stray character `;`", ";", None),
        ("a % b", "`mod(x, y)`", "%", None),
        ("a ? 1 : 2", "`if(condition, value, otherwise)`", "?", None),
        ("a**2", "`**` is written `^`", "**", Some("^")),
        ("if(a = 1, 1, 2)", "`=` is written `==`", "=", Some("==")),
        ("a => 1", "`=>` is written `>=`", "=>", Some(">=")),
        ("a <> 1", "`<>` is written `!=`", "<>", Some("!=")),
        ("a&&b", "`&&` is written `and`", "&&", Some(" and ")),
        ("!a", "`!` is written `not`", "!", Some("not ")),
        ("2×a", "`×` is written `*`", "×", Some("*")),
        ("r²", "`²` is written `^2`", "²", Some("^2")),
        ("sin(30°)", "`°` is written", "°", Some("*pi/180")),
        ("2*π", "`π` is written `pi`", "π", Some("pi")),
        // Numbers and names.
        ("2*1e999", "number out of range", "1e999", None),
        ("1e-999", "number out of range", "1e-999", None),
        ("1.2.3", "only one decimal point", "1.2.3", None),
        ("1_000", "without separators", "1_000", Some("1000")),
        ("a. + 1", "a name is missing after `a.`", "a.", None),
        ("a..b", "a name is missing after `a.`", "a.", None),
        (".", "a dot stands only", ".", None),
        // Logic.
        ("a < b < c", "cannot be chained", "<", None),
        ("1 + not a", "needs parentheses", "not", None),
    ] {
        let (text, at, meant) = failure(source);
        assert!(text.contains(message), "{source}: {text}");
        assert_eq!(at, part, "{source}: {text}");
        assert_eq!(meant.as_deref(), suggestion, "{source}: {text}");
    }
}

#[test]
fn suggestions_mend_the_source() {
    for (source, mended) in [
        ("1 + 2x^2", "1 + 2*x^2"),
        ("F0*Sin(2(t + 1))", "F0*sin(2*(t + 1))"),
        ("a&&b||!c", "a and b or not c"),
        ("[a+b]×{c−d}²", "(a+b)*(c-d)^2"),
        ("m g sin θ", "m*g*sin(θ)"),
        ("0,5m v²", "0.5*m*v^2"),
        ("sin(30°)", "sin(30*pi/180)"),
    ] {
        let mut text = source.to_string();
        for _ in 0..10 {
            match Expr::parse(&text) {
                Ok(_) => break,
                Err(error) => {
                    let meant = error.suggestion.unwrap_or_else(|| panic!("{text}"));
                    text.replace_range(error.span, &meant);
                }
            }
        }
        assert_eq!(Expr::parse(&text).expect(&text), Expr::parse(mended).unwrap(), "{source}");
    }
}

#[test]
fn display_includes_the_suggestion() {
    let error = Expr::parse("2x").unwrap_err();
    assert_eq!(error.to_string(), "an operator is missing between `2` and `x` (did you mean `2*x`?)");
    assert_eq!("1 + 1".parse::<Expr>().unwrap().to_string(), "1 + 1");
}

#[test]
fn nesting_is_limited_without_exhausting_the_stack() {
    let deep = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    let signs = |n: usize| format!("{}x", "-".repeat(n));
    let nots = |n: usize| format!("{}x", "not ".repeat(n));
    let towers = |n: usize| vec!["x"; n].join("^");
    let calls = |n: usize| format!("{}x{}", "sin(".repeat(n), ")".repeat(n));
    let choices = |n: usize| format!("{}x{}", "if(x, 1, ".repeat(n), ")".repeat(n));
    let quotients = |n: usize| format!("{}x{}", "1/(".repeat(n), ")".repeat(n));
    let folds = |n: usize| format!("max(x{})", ", x".repeat(n));
    for text in [deep(390), signs(390), towers(390), calls(390), nots(390), choices(390), folds(390)] {
        let expr = Expr::parse(&text).unwrap();
        let slope = expr.derivative("x");
        assert!(slope.eval(&|_| Some(1.0)).unwrap().is_finite());
        assert_eq!(Expr::parse(&expr.to_string()).unwrap(), expr);
    }
    let n = 100_000;
    for text in [deep(n), signs(n), towers(n), calls(n), nots(n), choices(n), quotients(n), folds(n)] {
        let error = Expr::parse(&text).unwrap_err();
        assert!(error.message.contains("nested too deeply"), "{}", error.message);
        assert!(text.get(error.span).is_some());
    }
}
