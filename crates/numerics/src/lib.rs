//! Sparse matrices, orderings and factorisations
