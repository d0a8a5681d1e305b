//! Recording, tables, summaries and plots
