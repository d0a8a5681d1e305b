//! The tests of this crate in one program: a module for each thing.

mod assembly;
mod beams;
mod calculix;
mod continuum;
mod imported_body;
mod materials;
mod matrix_files;
mod mesh_files;
mod reduction_bodies;
mod reduction_causes;
mod reduction_closed_forms;
mod reduction_file;
mod reduction_interfaces;
mod reduction_modes;
mod reduction_stress;
mod rigid_motion;
mod shape_stresses;
mod shells;
mod solids;
mod support;

/// A pseudo-random number (xorshift).
fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize
}

/// A file with some bytes changed, removed, doubled or cut off.
fn mutated(good: &[u8], state: &mut u64) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..1 + random(state) % 4 {
        let length = bytes.len().max(1);
        let (at, span) = (random(state) % length, random(state) % 12);
        let end = (at + span).min(bytes.len());
        match random(state) % 7 {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at.min(end)..end)),
            2 => {
                let part = bytes[at.min(end)..end].to_vec();
                let place = random(state) % length;
                drop(bytes.splice(place..place, part));
            }
            3 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random(state) as u8),
            4 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (random(state) % 8)),
            5 => bytes
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte = b"0192-.,\n */<>\"=$"[random(state) % 16]),
            _ => drop(bytes.splice(at.min(end)..at.min(end), *b"99999999999999999999")),
        }
    }
    bytes
}
