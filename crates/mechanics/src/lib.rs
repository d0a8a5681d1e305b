//! Nodes, charts, elements and their assembly into a constrained system
