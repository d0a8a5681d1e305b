//! Elements that a program adds to a model: forces and joints that no file can describe.

use crate::build::Assembly;
use crate::spec::{BodyRef, Model};
use crate::suggest::did_you_mean;
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Carried, Constraint, Force, SystemBuilder};
use std::fmt;
use std::sync::Arc;

/// A point or a direction that an added element acts on, in the axes of a body and from its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    body: String,
    vector: Vec3,
    is_point: bool,
}

impl Place {
    /// A point of a body, or of `ground`.
    pub fn point(body: &str, at: [f64; 3]) -> Self {
        Place { body: body.to_owned(), vector: at.into(), is_point: true }
    }

    /// A direction fixed to a body, or to `ground`.
    pub fn direction(body: &str, along: [f64; 3]) -> Self {
        Place { body: body.to_owned(), vector: along.into(), is_point: false }
    }
}

/// How an element is made of the points and directions that it acts on.
type Maker<E> = Arc<dyn Fn(&[Carried]) -> Box<E> + Send + Sync>;

#[derive(Clone)]
enum Make {
    Force(Maker<dyn Force>),
    Joint(Maker<dyn Constraint>),
}

/// There is no such body to add something to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot add `{name}`: there is no body `{body}`{}", help.as_ref().map_or(String::new(), |h| format!(" ({h})")))]
pub struct NoSuchBody {
    /// What was to be added.
    pub name: String,
    /// What it was to act on.
    pub body: String,
    /// A body that may have been meant.
    pub help: Option<String>,
}

/// An element that a program adds; made anew whenever the system is built.
#[derive(Clone)]
pub struct Addition {
    name: String,
    places: Vec<(BodyRef, Place)>,
    make: Make,
}

impl fmt::Debug for Addition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Addition").field("name", &self.name).field("places", &self.places).finish()
    }
}

impl Addition {
    /// Whether it is a force; else it is a joint.
    pub fn is_force(&self) -> bool {
        matches!(self.make, Make::Force(_))
    }

    pub(crate) fn add(&self, builder: &mut SystemBuilder, assembly: &Assembly) {
        let carried = |(body, place): &(BodyRef, Place)| match place.is_point {
            true => Carried::point(assembly.node(*body), assembly.from_node(*body, &place.vector)),
            false => Carried::direction(assembly.node(*body), place.vector),
        };
        let carried: Vec<Carried> = self.places.iter().map(carried).collect();
        match &self.make {
            Make::Force(make) => builder.force(&self.name, make(&carried)),
            Make::Joint(make) => builder.constraint(&self.name, make(&carried)),
        };
    }
}

impl Model {
    /// Adds a force, or a compliant element, that acts on points and directions of bodies; `make` is given
    /// them as they are carried along. It counts in every study, in energies and in the audit, and stays when
    /// parameters change.
    pub fn add_force<F: Force + 'static>(
        &mut self,
        name: &str,
        places: &[Place],
        make: impl Fn(&[Carried]) -> F + Send + Sync + 'static,
    ) -> Result<(), NoSuchBody> {
        self.add(name, places, Make::Force(Arc::new(move |carried| Box::new(make(carried)))))
    }

    /// Adds a joint, or another constraint, between points and directions of bodies, see
    /// [`add_force`](Self::add_force).
    pub fn add_joint<C: Constraint + 'static>(
        &mut self,
        name: &str,
        places: &[Place],
        make: impl Fn(&[Carried]) -> C + Send + Sync + 'static,
    ) -> Result<(), NoSuchBody> {
        self.add(name, places, Make::Joint(Arc::new(move |carried| Box::new(make(carried)))))
    }

    fn add(&mut self, name: &str, places: &[Place], make: Make) -> Result<(), NoSuchBody> {
        let find = |place: &Place| {
            let body = match place.body.as_str() {
                "ground" => Some(BodyRef::Ground),
                name => self.bodies.iter().position(|body| body.name == name).map(BodyRef::Body),
            };
            body.map(|body| (body, place.clone())).ok_or_else(|| NoSuchBody {
                name: name.to_owned(),
                body: place.body.clone(),
                help: did_you_mean(&place.body, self.bodies.iter().map(|body| body.name.as_str())),
            })
        };
        let places = places.iter().map(find).collect::<Result<_, _>>()?;
        self.additions.push(Addition { name: name.to_owned(), places, make });
        Ok(())
    }
}
