//! The expression language: parse, evaluate, differentiate, print
