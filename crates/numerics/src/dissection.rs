//! Elimination order of a mesh by nested dissection: cut it in two halves by a plane, number both halves
//! first and the nodes of the cut last, and go on so with each half.
//!
//! On a cube of n nodes the factors then have O(n^4/3) numbers (George). Minimum degree does as well on thin
//! bodies; on compact ones its factors are larger.

use crate::SymmetricMatrix;

/// Halves of so few nodes are not cut again.
const SMALL: usize = 24;

/// A node with more neighbours than so many times the mean ties far places together: it is numbered last.
const HUB: usize = 8;

/// The unknowns of `matrix` in the order of elimination; `node_of` each unknown is a node, at a place.
///
/// # Panics
///
/// If there is not one node for each unknown and a place for each node.
pub fn nested_dissection(matrix: &SymmetricMatrix, node_of: &[u32], places: &[[f64; 3]]) -> Vec<usize> {
    assert_eq!(node_of.len(), matrix.size(), "a node for each unknown");
    let graph = Graph::new(matrix, node_of, places.len());
    let (hubs, mut nodes): (Vec<u32>, Vec<u32>) =
        (0..places.len() as u32).partition(|&node| graph.is_hub(node));
    let mut dissection = Dissection { graph: &graph, places, part: vec![0; places.len()], parts: 0 };
    let mut order = Vec::with_capacity(places.len());
    dissection.number(&mut nodes, &mut order);
    order.extend(hubs);
    unknowns_of(&order, node_of)
}

/// The unknowns of nodes in their order.
fn unknowns_of(order: &[u32], node_of: &[u32]) -> Vec<usize> {
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &node)| rank[node as usize] = k);
    let mut unknowns: Vec<usize> = (0..node_of.len()).collect();
    unknowns.sort_by_key(|&unknown| rank[node_of[unknown] as usize]);
    unknowns
}

/// Which nodes share an entry of the matrix.
struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn new(matrix: &SymmetricMatrix, node_of: &[u32], nodes: usize) -> Self {
        let pairs = || {
            let entries = matrix.entries().map(|(i, j, _)| (node_of[i], node_of[j]));
            entries.filter(|(a, b)| a != b).flat_map(|(a, b)| [(a, b), (b, a)])
        };
        let mut starts = vec![0; nodes + 1];
        pairs().for_each(|(a, _)| starts[a as usize + 1] += 1);
        (0..nodes).for_each(|a| starts[a + 1] += starts[a]);
        let mut next = starts.clone();
        let mut all = vec![0; starts[nodes]];
        for (a, b) in pairs() {
            all[next[a as usize]] = b;
            next[a as usize] += 1;
        }
        let mut graph = Graph { starts: vec![0], neighbours: vec![] };
        for a in 0..nodes {
            let list = &mut all[starts[a]..starts[a + 1]];
            list.sort_unstable();
            let mut last = None;
            graph.neighbours.extend(list.iter().filter(|&&b| last.replace(b) != Some(b)));
            graph.starts.push(graph.neighbours.len());
        }
        graph
    }

    fn of(&self, node: u32) -> &[u32] {
        &self.neighbours[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    fn is_hub(&self, node: u32) -> bool {
        let mean = self.neighbours.len() / (self.starts.len() - 1).max(1);
        self.of(node).len() > HUB * (mean + 2)
    }
}

struct Dissection<'a> {
    graph: &'a Graph,
    places: &'a [[f64; 3]],
    /// The part that a node was last put in.
    part: Vec<u32>,
    parts: u32,
}

impl Dissection<'_> {
    /// Appends the nodes in their order.
    fn number(&mut self, nodes: &mut [u32], order: &mut Vec<u32>) {
        if nodes.len() <= SMALL {
            order.extend_from_slice(nodes);
            return;
        }
        let axis = self.longest(nodes);
        let middle = nodes.len() / 2;
        let along = |node: &u32| self.places[*node as usize][axis];
        // The number of the node decides between equal places, so that the order is one.
        nodes.select_nth_unstable_by(middle, |a, b| along(a).total_cmp(&along(b)).then(a.cmp(b)));
        let (left, right) = nodes.split_at_mut(middle);
        let (left_part, right_part) = (self.parts + 1, self.parts + 2);
        self.parts += 2;
        left.iter().for_each(|&node| self.part[node as usize] = left_part);
        right.iter().for_each(|&node| self.part[node as usize] = right_part);
        let (inner_left, cut_left) = self.cut(left, right_part);
        let (inner_right, cut_right) = self.cut(right, left_part);
        if inner_left == 0 && inner_right == 0 {
            order.extend_from_slice(nodes);
        } else if cut_left <= cut_right {
            let (inner, cut) = left.split_at_mut(inner_left);
            self.number(inner, order);
            self.number(right, order);
            order.extend_from_slice(cut);
        } else {
            let (inner, cut) = right.split_at_mut(inner_right);
            self.number(left, order);
            self.number(inner, order);
            order.extend_from_slice(cut);
        }
    }

    /// Moves the nodes with a neighbour in a part behind the others; how many there are of both.
    fn cut(&self, nodes: &mut [u32], part: u32) -> (usize, usize) {
        let touches = |node: &u32| self.graph.of(*node).iter().any(|&b| self.part[b as usize] == part);
        nodes.sort_by_cached_key(touches);
        let inner = nodes.partition_point(|node| !touches(node));
        (inner, nodes.len() - inner)
    }

    /// The axis along which the nodes reach farthest.
    fn longest(&self, nodes: &[u32]) -> usize {
        let extent = |axis: usize| {
            let along = nodes.iter().map(|&node| self.places[node as usize][axis]);
            let (low, high) =
                along.fold((f64::MAX, f64::MIN), |(low, high), x| (f64::min(low, x), f64::max(high, x)));
            high - low
        };
        let extents = [extent(0), extent(1), extent(2)];
        (0..3).fold(0, |best, axis| if extents[axis] > extents[best] { axis } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_in_its_middle() {
        let n = 101;
        let entries = (0..n).map(|i| (i, i, 2.0)).chain((1..n).map(|i| (i, i - 1, -1.0)));
        let line = SymmetricMatrix::from_entries(n, entries);
        let nodes: Vec<u32> = (0..n as u32).collect();
        let places: Vec<[f64; 3]> = (0..n).map(|i| [0.0, i as f64, 0.0]).collect();
        let order = nested_dissection(&line, &nodes, &places);
        assert_eq!(*order.last().unwrap(), 49);
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..n));
    }

    #[test]
    fn a_hub_is_last() {
        let n = 200;
        let entries = (0..n).map(|i| (i, i, 2.0)).chain((1..n).map(|i| (i, 0, -1.0)));
        let star = SymmetricMatrix::from_entries(n, entries);
        let nodes: Vec<u32> = (0..n as u32).collect();
        let places: Vec<[f64; 3]> = (0..n).map(|i| [i as f64, 0.0, 0.0]).collect();
        assert_eq!(nested_dissection(&star, &nodes, &places).last(), Some(&0));
    }
}
