//! Strains of an element as functions of its forms: products of gradients, which no rigid rotation changes.

use super::divided::Divided;

/// Most forms at a point.
pub(super) const MAX_FORMS: usize = 15;
/// Forms of a section of a beam.
const SECTION_FORMS: usize = 12;
/// Forms of a point of a thin surface.
const SURFACE_FORMS: usize = 6;
/// Strains of a map that is not linear.
const STRAINS: usize = 6;

/// How strains depend on forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StrainMap {
    /// The forms are the strains: Green's, and whatever is quadratic in coordinates.
    Linear,
    /// Strains of a section with an orthonormal frame, see [`section`].
    Section,
    /// Stretch and curvature of a surface, see [`surface`].
    Surface,
}

/// Strains between two ends and their discrete gradients.
#[derive(Clone, Debug)]
pub(super) struct Mapped {
    pub from: [f64; STRAINS],
    pub to: [f64; STRAINS],
    /// D_km.
    pub slope: [[f64; SECTION_FORMS]; STRAINS],
    /// ∂ε⁺_k/∂I⁺_m.
    pub end: [[f64; SECTION_FORMS]; STRAINS],
    /// ∂D_km/∂I⁺_n.
    pub bend: [[[f64; SECTION_FORMS]; SECTION_FORMS]; STRAINS],
}

impl StrainMap {
    /// Strains of a map that is not linear; `SECOND` with ∂D/∂I⁺.
    pub fn evaluate<const SECOND: bool>(self, from: &[f64], to: &[f64]) -> Mapped {
        match self {
            StrainMap::Linear => unreachable!("linear strains are their forms"),
            StrainMap::Section => mapped(&section::<SECOND>(Divided::arguments(from, to))),
            StrainMap::Surface => mapped(&surface::<SECOND>(Divided::arguments(from, to))),
        }
    }

    /// The strains of forms at one place.
    pub fn values(self, forms: &[f64], strains: &mut [f64]) {
        match self {
            StrainMap::Linear => strains.copy_from_slice(forms),
            _ => strains.copy_from_slice(&self.evaluate::<false>(forms, forms).to),
        }
    }
}

fn mapped<const M: usize, const SECOND: bool>(q: &[Divided<M, SECOND>; STRAINS]) -> Mapped {
    let mut out = Mapped {
        from: q.map(|q| q.from),
        to: q.map(|q| q.to),
        slope: [[0.0; SECTION_FORMS]; STRAINS],
        end: [[0.0; SECTION_FORMS]; STRAINS],
        bend: [[[0.0; SECTION_FORMS]; SECTION_FORMS]; STRAINS],
    };
    for (k, q) in q.iter().enumerate() {
        out.slope[k][..M].copy_from_slice(&q.slope);
        out.end[k][..M].copy_from_slice(&q.end);
        if SECOND {
            out.bend[k].iter_mut().zip(&q.bend).for_each(|(row, q)| row[..M].copy_from_slice(q));
        }
    }
    out
}

/// Strains of a section from the tangent a = r′ and the section's slopes b, c (along its axes 1 and 2), with
/// the frame e₂ = c/|c|, e₁ ⟂ e₂ in the plane of b and c, e₃ = e₁ × e₂:
///
/// ```text
/// Γ_i = e_i·a,   K₁ = e₃·e₂′,  K₂ = e₁·e₃′ = −e₃·e₁′,  K₃ = −e₁·e₂′
/// c = w e₂,  b = v e₁ + g e₂:     e_i·c′ = p_i,  e_i·b′ = q_i,  Γ₃ = √(a·a − Γ₁² − Γ₂²)
/// K₁ = p₃/w,  K₂ = −(q₃ − (g/w) p₃)/v,  K₃ = −p₁/w
/// ```
/// They do not change with lengths of b and c or with the angle between these, so that sections that are free
/// keep their shape: the same strains as with rigid sections. Γ₃ is the stretch itself, 1 at rest. Forms:
/// a·a, a·b, a·c, b·b, b·c, c·c, b′·a, b′·b, b′·c, c′·a, c′·b, c′·c.
fn section<const SECOND: bool>(
    [aa, ab, ac, bb, bc, cc, da, db, dc, ea, eb, ec]: [Divided<SECTION_FORMS, SECOND>; SECTION_FORMS],
) -> [Divided<SECTION_FORMS, SECOND>; STRAINS] {
    let w = cc.sqrt();
    let g = bc / w;
    let v = (bb - g * g).sqrt();
    let in_frame = |along_b, along_c| {
        let second = along_c / w;
        [(along_b - g * second) / v, second]
    };
    let [g1, g2] = in_frame(ab, ac);
    let g3 = (aa - g1 * g1 - g2 * g2).sqrt();
    let along_line =
        |by_a, [one, two]: [Divided<SECTION_FORMS, SECOND>; 2]| (by_a - one * g1 - two * g2) / g3;
    let q = in_frame(db, dc);
    let p = in_frame(eb, ec);
    let (q3, p3) = (along_line(da, q), along_line(ea, p));
    let turned = p3 / w;
    [g1, g2, g3, turned, (g * turned - q3) / v, -(p[0] / w)]
}

/// Strains of a surface from its tangents a = r_u, b = r_v and second derivatives:
///
/// ```text
/// ½ a·a,  ½ b·b,  a·b,      r_uu·n,  r_vv·n,  2 r_uv·n      n = a × b/|a × b|,  |a × b|² = a·a b·b − (a·b)²
/// ```
/// Forms: a·a, b·b, a·b and the triple products of r_uu, r_vv, r_uv with a and b.
fn surface<const SECOND: bool>(
    [aa, bb, ab, uu, vv, uv]: [Divided<SURFACE_FORMS, SECOND>; SURFACE_FORMS],
) -> [Divided<SURFACE_FORMS, SECOND>; STRAINS] {
    let area = (aa * bb - ab * ab).sqrt();
    [aa * 0.5, bb * 0.5, ab, uu / area, vv / area, (uv * 2.0) / area]
}
