//! Starts of flexible bodies.

use crate::common::{output, poinsot, with_model};

#[test]
fn an_interface_that_nothing_holds_is_no_trouble() {
    // Arms of joints that are zero but for rounding are no length by which rotations are measured.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../verification/flexible/v53_slider_crank.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let slider = "{ name = \"slider\", point = 9 }";
    let more = text.replace(slider, &format!("{slider}, {{ name = \"middle\", point = 5 }}"));
    assert_ne!(more, text);
    let (code, told, said) =
        output(poinsot(with_model(&more).path()).args(["run", "model.toml", "--out", "run"]));
    assert_eq!(code, 0, "{told}\n{said}");
    assert!(told.contains("16 of 16"), "{told}");
}
