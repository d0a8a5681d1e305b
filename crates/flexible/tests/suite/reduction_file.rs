//! A reduced body in a file, and files that are refused.

use crate::reduction_bodies::{lattice, nodes_at};
use poinsot_flexible::reduction::{
    Damping, GeometricStiffness, InterfaceRequest, Method, ModeChoice, ReducedFileError, Reduction,
    Reference, StoredBody, checksum, reduce,
};
use poinsot_geometry::{Mat3, Vec3};
use std::path::Path;

fn stored() -> (poinsot_flexible::FullBody, StoredBody) {
    let body = lattice([4, 3, 3], false);
    let request = Reduction {
        interfaces: vec![InterfaceRequest::rigid("a", &nodes_at(&body, |x| x.x < 0.01))],
        method: Method::CraigBampton(ModeChoice::Count(3)),
        reference: Reference::MeanAxis,
        damping: Damping::Ratio(0.01),
        compare: 0,
    };
    let mut reduced = reduce(&body, &request).unwrap().body;
    reduced.geometric = Some(GeometricStiffness {
        mean: vec![Vec3::x(); 9],
        moments: vec![Mat3::identity(); 9],
        loads: vec![vec![[0.25; 6]; 4]],
        support: "interface `a` held".into(),
    });
    let source = checksum(&body);
    (body, StoredBody { body: reduced, source })
}

#[test]
fn a_file_gives_the_body_back() {
    let (body, stored) = stored();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bar.body");
    stored.write(&path).unwrap();
    assert_eq!(StoredBody::read(&path).unwrap(), stored);
    assert_eq!(StoredBody::read_of(&path, &body).unwrap(), stored);
    let mut other = body;
    other.nodes[5].y += 1e-9;
    let error = StoredBody::read_of(&path, &other).unwrap_err();
    assert!(matches!(error, ReducedFileError::Source { .. }), "{error}");
    assert!(error.to_string().contains("made of another body"));
}

#[test]
fn every_change_of_a_byte_is_seen() {
    let (_, stored) = stored();
    let (bytes, path) = (stored.to_bytes(), Path::new("bar.body"));
    for place in (0..bytes.len()).step_by(97).chain(0..60) {
        let mut changed = bytes.clone();
        changed[place] ^= 4;
        assert!(StoredBody::from_bytes(&changed, path).is_err(), "byte {place}");
    }
    for length in [0, 10, 30, bytes.len() / 2, bytes.len() - 1] {
        assert!(StoredBody::from_bytes(&bytes[..length], path).is_err(), "{length} bytes");
    }
    let mut newer = bytes.clone();
    newer[21] = b'9';
    let error = StoredBody::from_bytes(&newer, path).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bar.body: a reduced body of form 9; this program reads form 1: reduce the body again"
    );
    let error = StoredBody::from_bytes(b"solid cube", path).unwrap_err();
    assert_eq!(error.to_string(), "bar.body: this is not a file of a reduced body");
    let error = StoredBody::read(Path::new("nowhere.body")).unwrap_err();
    assert!(error.to_string().starts_with("nowhere.body: "));
}
