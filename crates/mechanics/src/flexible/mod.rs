//! Flexible bodies: a floating frame, and numbers q_k that deform what it carries.
//!
//! ```text
//! x(X) = r + A (X + Σ_k S_k(X) q_k)
//! ```
//! The frame is an ordinary node, each q_k a node of its own ([`Chart::Number`](crate::Chart)). Three kinds
//! of element stand between them:
//!
//! * [`FlexibleInertia`]: inertia and weight, from constant integrals of the shapes;
//! * [`Elasticity`]: stiffness and damping of the shapes;
//! * [`Interface`]: ties a node to a point of the body, with its rotation. Joints, forces, beams and signals
//!   hold that node as they hold any body, so none of them knows of shapes. The node carries a small share of
//!   the body's mass, which is taken out of its integrals.
//!
//! Where the deformation is not to act back, frame and interfaces are those of a rigid body, and
//! [`TransmittedLoad`] loads the shapes.

mod elasticity;
mod inertia;
mod interface;
mod one_way;
mod products;
mod shape_motion;

pub use elasticity::Elasticity;
pub(crate) use inertia::FlexibleEntry;
pub use inertia::FlexibleInertia;
pub use interface::Interface;
pub use one_way::TransmittedLoad;
pub(crate) use shape_motion::ShapeMotion;
