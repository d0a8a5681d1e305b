//! Consistent start, constraint analysis and studies of a system
