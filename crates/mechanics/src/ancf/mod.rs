//! Elements of absolute nodal coordinates: positions and slopes, which are derivatives of the position by
//! material coordinates (floating-frame-and-ancf §1.21).

pub mod solid;
