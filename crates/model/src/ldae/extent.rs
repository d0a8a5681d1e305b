//! How large an expression is, so that definitions put into each other do not grow without bound.

use poinsot_expr::{Expr, Node};

/// Most nodes of an expression with its definitions put in; a part that is shared is one.
const MOST_NODES: usize = 20_000;

/// Greatest height of its tree, with shared parts written out.
const MOST_HEIGHT: usize = 10_000;

/// The size of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Number of nodes.
    pub nodes: usize,
    /// Height of the tree.
    pub height: usize,
    /// Whether it calls a table.
    pub calls_table: bool,
}

impl Extent {
    /// Of an expression.
    pub fn of(expr: &Expr) -> Self {
        if let Node::Shared(part) = expr.node() {
            // Whether definitions call tables is asked before they are shared.
            return Extent { nodes: 1, height: part.height(), calls_table: false };
        }
        let mut extent = Extent { nodes: 1, height: 0, calls_table: matches!(expr.node(), Node::Table(..)) };
        for part in parts(expr.node()) {
            let inner = Extent::of(part);
            extent.nodes += inner.nodes;
            extent.height = extent.height.max(inner.height);
            extent.calls_table |= inner.calls_table;
        }
        Extent { height: extent.height + 1, ..extent }
    }

    /// Whether expressions may be so large.
    pub fn fits(self) -> bool {
        self.nodes <= MOST_NODES && self.height <= MOST_HEIGHT
    }

    /// The largest that can come of putting in `inner` so many times.
    pub fn with(self, inner: Extent, uses: usize) -> Self {
        Extent {
            nodes: self.nodes.saturating_add(uses.saturating_mul(inner.nodes)),
            height: self.height.saturating_add(inner.height),
            calls_table: self.calls_table || inner.calls_table,
        }
    }
}

fn parts(node: &Node) -> Vec<&Expr> {
    match node {
        Node::Number(_) | Node::Name(_) | Node::Shared(_) => Vec::new(),
        Node::Unary(_, x) | Node::Table(_, _, x) => vec![x],
        Node::Binary(_, a, b) => vec![a, b],
        Node::If(three) => three.iter().collect(),
        Node::Call(_, arguments) => arguments.iter().collect(),
    }
}
