//! The order in which the nodes of a graph are evaluated, and which of them only in a branch.
//!
//! A node that only one branch of a choice needs is computed only if that branch is taken. All choices on one
//! condition share their branches where their order allows it, so that an `if` and its derivatives ask once.
//! Every back end follows the same order, so all agree to the bit.

use crate::graph::{Graph, Id, Operation};
use std::collections::HashMap;

/// Work below which both branches of a choice are computed: no more than a wrongly predicted jump costs.
const WORTHWHILE: u64 = 12;

/// Branches within branches, at most; it bounds the recursion of what follows a schedule.
const DEEPEST: u32 = 24;

/// A step of the evaluation.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Computes the node, all of whose operands are known.
    Compute(Id),
    /// Computes one of two branches.
    Split(Box<Split>),
}

/// A condition, and what is computed if it holds or does not; then the choices on it are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Split {
    pub condition: Id,
    pub yes: Vec<Step>,
    pub no: Vec<Step>,
    pub choices: Vec<Id>,
}

/// The place of a node: the whole or a branch.
type Region = usize;
const WHOLE: Region = 0;

struct Branch {
    /// The region in which the choice stands.
    parent: Region,
    depth: u32,
    /// The split of which it is a side; none for the whole.
    split: usize,
    work: u64,
}

/// Choices on a condition in a region, with its two branches.
struct Fork {
    region: Region,
    condition: Id,
    level: u32,
    /// The region of the side `yes`; that of `no` follows.
    yes: Region,
    choices: Vec<Id>,
    worthwhile: bool,
}

struct Planner<'a> {
    graph: &'a Graph,
    regions: Vec<Branch>,
    forks: Vec<Fork>,
    known: HashMap<(Region, Id, u32), usize>,
}

/// The steps that compute the given nodes. Constants and inputs need none.
pub(crate) fn schedule(graph: &Graph, roots: &[Id]) -> Vec<Step> {
    let needed = graph.needed(roots);
    let levels = levels(graph, &needed);
    let whole = Branch { parent: WHOLE, depth: 0, split: usize::MAX, work: 0 };
    let mut planner = Planner { graph, regions: vec![whole], forks: vec![], known: HashMap::new() };
    let mut region_of = planner.place(roots, &needed, &levels);
    planner.weigh(&region_of);
    for region in region_of.iter_mut().flatten() {
        *region = planner.lasting(*region);
    }
    planner.steps(&region_of, &levels)
}

/// The number of choices on the longest way to a node, itself included: what a choice needs, its branches
/// included, has a lower level.
fn levels(graph: &Graph, needed: &[bool]) -> Vec<u32> {
    let mut levels = vec![0; needed.len()];
    for id in (0..needed.len()).filter(|&id| needed[id]) {
        let operation = graph.operation(id as Id);
        let below = operation.operands().map(|x| levels[x as usize]).max().unwrap_or(0);
        levels[id] = below + u32::from(matches!(operation, Operation::Choose(..)));
    }
    levels
}

impl Planner<'_> {
    /// The innermost region that contains all uses of each node, from the last to the first; none for what
    /// needs no step.
    fn place(&mut self, roots: &[Id], needed: &[bool], levels: &[u32]) -> Vec<Option<Region>> {
        let mut place: Vec<Option<Region>> = vec![None; needed.len()];
        roots.iter().for_each(|&id| place[id as usize] = Some(WHOLE));
        for id in (0..needed.len()).rev().filter(|&id| needed[id]) {
            let operation = self.graph.operation(id as Id);
            if matches!(operation, Operation::Constant(_) | Operation::Input(_)) {
                place[id] = None;
                continue;
            }
            let Some(region) = place[id] else { continue };
            let fork = match operation {
                Operation::Choose(condition, ..) if self.regions[region].depth < DEEPEST => {
                    Some(self.fork((region, condition, levels[id]), id as Id))
                }
                _ => None,
            };
            for (k, x) in operation.operands().enumerate() {
                let side = fork.filter(|_| k > 0).map_or(region, |yes| yes + k - 1);
                let at = &mut place[x as usize];
                *at = Some(at.map_or(side, |other| self.common(other, side)));
            }
        }
        place
    }

    /// The region of the side `yes` of the fork on a condition.
    fn fork(&mut self, key: (Region, Id, u32), choice: Id) -> Region {
        let (region, condition, level) = key;
        let index = *self.known.entry(key).or_insert_with(|| {
            let (yes, split, depth) = (self.regions.len(), self.forks.len(), self.regions[region].depth + 1);
            for _ in 0..2 {
                self.regions.push(Branch { parent: region, depth, split, work: 0 });
            }
            self.forks.push(Fork { region, condition, level, yes, choices: vec![], worthwhile: true });
            split
        });
        self.forks[index].choices.push(choice);
        self.forks[index].yes
    }

    /// The innermost region that contains both.
    fn common(&self, mut a: Region, mut b: Region) -> Region {
        while a != b {
            if self.regions[a].depth >= self.regions[b].depth {
                a = self.regions[a].parent;
            } else {
                b = self.regions[b].parent;
            }
        }
        a
    }

    /// Decides which forks are worth a jump. Inner regions have higher numbers.
    fn weigh(&mut self, region_of: &[Option<Region>]) {
        for (id, region) in region_of.iter().enumerate() {
            if let Some(region) = region {
                self.regions[*region].work += work(self.graph.operation(id as Id));
            }
        }
        for fork in (0..self.forks.len()).rev() {
            let Fork { region, yes, .. } = self.forks[fork];
            let sides = self.regions[yes].work + self.regions[yes + 1].work;
            self.forks[fork].worthwhile = sides >= WORTHWHILE;
            self.regions[region].work += sides;
        }
    }

    /// The region itself, or if its fork is not worthwhile the next one around it that is.
    fn lasting(&self, mut region: Region) -> Region {
        while region != WHOLE && !self.forks[self.regions[region].split].worthwhile {
            region = self.regions[region].parent;
        }
        region
    }

    /// The steps of the whole. In every region the forks of a level come before its other nodes.
    fn steps(&self, region_of: &[Option<Region>], levels: &[u32]) -> Vec<Step> {
        let mut steps: Vec<Vec<(u32, Step)>> = self.regions.iter().map(|_| Vec::new()).collect();
        let mut forked = vec![false; region_of.len()];
        for fork in self.forks.iter().filter(|f| f.worthwhile) {
            fork.choices.iter().for_each(|&id| forked[id as usize] = true);
        }
        for (id, region) in region_of.iter().enumerate() {
            if let Some(region) = region.filter(|_| !forked[id]) {
                steps[region].push((levels[id], Step::Compute(id as Id)));
            }
        }
        // Inner forks first, so that a branch is whole when its fork takes it.
        for fork in self.forks.iter().rev().filter(|f| f.worthwhile) {
            let [yes, no] = [fork.yes, fork.yes + 1].map(|side| ordered(std::mem::take(&mut steps[side])));
            let split = Split { condition: fork.condition, yes, no, choices: fork.choices.clone() };
            steps[self.lasting(fork.region)].push((fork.level, Step::Split(Box::new(split))));
        }
        ordered(std::mem::take(&mut steps[WHOLE]))
    }
}

/// By level, splits first, otherwise in the order of the nodes.
fn ordered(mut steps: Vec<(u32, Step)>) -> Vec<Step> {
    steps.sort_by_key(|(level, step)| match step {
        Step::Split(_) => (*level, 0, 0),
        Step::Compute(id) => (*level, 1, *id),
    });
    steps.into_iter().map(|(_, step)| step).collect()
}

/// The cost of an operation in units of a sum.
fn work(operation: Operation) -> u64 {
    use Operation as O;
    match operation {
        O::Constant(_) | O::Input(_) => 0,
        O::Divide(..) => 4,
        O::Power(..) | O::Two(..) | O::Three(..) | O::Table { .. } => 20,
        O::One(f, _) if matches!(f.0.name, "abs") => 1,
        O::One(f, _) if matches!(f.0.name, "sqrt") => 5,
        O::One(..) => 20,
        _ => 1,
    }
}
