//! Rotations, rigid motions and orientation sets
