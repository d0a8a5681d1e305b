//! Time integration of constrained systems
