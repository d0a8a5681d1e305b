//! A schedule as a flat tape for an interpreter.
//!
//! Registers hold the inputs, then the constants, then one value for every node. The tape is the reference:
//! machine code does the same in the same order.

use crate::builtin::Value;
use crate::graph::{Graph, Id, Operation};
use crate::operator::{BinaryOperator, not, power, truth};
use crate::schedule::Step;
use crate::table::Table;
use std::cell::Cell;
use std::sync::Arc;

/// The place of a value.
type Register = u32;

/// One step of the interpreter: most write the result of an operation to register `to`.
#[derive(Clone, Copy, Debug)]
enum Instruction {
    Negate {
        to: Register,
        a: Register,
    },
    Add {
        to: Register,
        a: Register,
        b: Register,
    },
    Subtract {
        to: Register,
        a: Register,
        b: Register,
    },
    Multiply {
        to: Register,
        a: Register,
        b: Register,
    },
    Divide {
        to: Register,
        a: Register,
        b: Register,
    },
    Square {
        to: Register,
        a: Register,
    },
    Cube {
        to: Register,
        a: Register,
    },
    Compare {
        to: Register,
        a: Register,
        b: Register,
        op: BinaryOperator,
    },
    Choose {
        to: Register,
        condition: Register,
        yes: Register,
        no: Register,
    },
    One {
        to: Register,
        a: Register,
        f: fn(f64) -> f64,
    },
    Two {
        to: Register,
        a: Register,
        b: Register,
        f: fn(f64, f64) -> f64,
    },
    Three {
        to: Register,
        a: [Register; 3],
        f: fn(f64, f64, f64) -> f64,
    },
    Table {
        to: Register,
        a: Register,
        table: u32,
        order: u32,
    },
    Copy {
        to: Register,
        from: Register,
    },
    /// True goes on, false and NaN jump.
    Branch {
        condition: Register,
        no: u32,
        nan: u32,
    },
    Jump {
        to: u32,
    },
}

/// A program over registers.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    inputs: usize,
    constants: Box<[f64]>,
    registers: usize,
    instructions: Box<[Instruction]>,
    /// The registers of the results.
    results: Box<[Register]>,
    tables: Box<[Arc<Table>]>,
}

/// Registers for most tapes, so that a thread makes room but once.
const USUAL: usize = 256;

thread_local! {
    /// The registers of the last tape that ran, so that none has to be made for the next.
    static REGISTERS: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

impl Tape {
    /// The tape that follows the steps and gives the values of `results`.
    pub fn new(graph: &Graph, inputs: usize, steps: &[Step], results: &[Id]) -> Self {
        let mut assembly = Assembly { graph, tape: vec![], register: vec![None; graph.len()], count: inputs };
        let mut constants = Vec::new();
        for id in 0..graph.len() as Id {
            match graph.operation(id) {
                Operation::Input(index) => assembly.register[id as usize] = Some(index),
                Operation::Constant(bits) => {
                    constants.push(f64::from_bits(bits));
                    assembly.name(id);
                }
                _ => {}
            }
        }
        assembly.follow(steps);
        let results = results.iter().map(|&id| assembly.of(id)).collect();
        Tape {
            inputs,
            constants: constants.into(),
            registers: assembly.count,
            instructions: assembly.tape.into(),
            results,
            tables: graph.tables().into(),
        }
    }

    /// The results at the given inputs, one after the other into the slices. Allocates only where no tape as
    /// long has run on the thread before.
    pub fn eval(&self, inputs: &[f64], out: [&mut [f64]; 2]) {
        let mut registers = REGISTERS.take();
        if registers.len() < self.registers {
            registers.resize(self.registers.max(USUAL), 0.0);
        }
        let fixed = self.inputs + self.constants.len();
        registers[..self.inputs].copy_from_slice(&inputs[..self.inputs]);
        registers[self.inputs..fixed].copy_from_slice(&self.constants);
        self.run(&mut registers);
        for (out, &result) in out.into_iter().flatten().zip(&self.results) {
            *out = registers[result as usize];
        }
        REGISTERS.set(registers);
    }

    fn run(&self, registers: &mut [f64]) {
        use Instruction as I;
        let mut at = 0;
        while let Some(instruction) = self.instructions.get(at) {
            at += 1;
            let r = |register: Register| registers[register as usize];
            let (to, value) = match *instruction {
                I::Negate { to, a } => (to, -r(a)),
                I::Add { to, a, b } => (to, r(a) + r(b)),
                I::Subtract { to, a, b } => (to, r(a) - r(b)),
                I::Multiply { to, a, b } => (to, r(a) * r(b)),
                I::Divide { to, a, b } => (to, r(a) / r(b)),
                I::Square { to, a } => (to, r(a) * r(a)),
                I::Cube { to, a } => (to, r(a) * r(a) * r(a)),
                I::Compare { to, a, b, op } => (to, op.apply(r(a), r(b))),
                I::Choose { to, condition, yes, no } => (to, choose(r(condition), r(yes), r(no))),
                I::One { to, a, f } => (to, f(r(a))),
                I::Two { to, a, b, f } => (to, f(r(a), r(b))),
                I::Three { to, a: [a, b, c], f } => (to, f(r(a), r(b), r(c))),
                I::Table { to, a, table, order } => (to, self.tables[table as usize].value(r(a), order)),
                I::Copy { to, from } => (to, r(from)),
                I::Branch { condition, no, nan } => {
                    let condition = r(condition);
                    if condition.is_nan() {
                        at = nan as usize;
                    } else if condition == 0.0 {
                        at = no as usize;
                    }
                    continue;
                }
                I::Jump { to } => {
                    at = to as usize;
                    continue;
                }
            };
            registers[to as usize] = value;
        }
    }
}

fn choose(condition: f64, yes: f64, no: f64) -> f64 {
    if condition.is_nan() {
        condition
    } else if condition == 0.0 {
        no
    } else {
        yes
    }
}

struct Assembly<'a> {
    graph: &'a Graph,
    tape: Vec<Instruction>,
    register: Vec<Option<Register>>,
    count: usize,
}

impl Assembly<'_> {
    /// A new register for the node.
    fn name(&mut self, id: Id) -> Register {
        let register = self.count as Register;
        self.count += 1;
        self.register[id as usize] = Some(register);
        register
    }

    /// The register of a node; a schedule computes before it uses.
    fn of(&self, id: Id) -> Register {
        self.register[id as usize].unwrap_or_default()
    }

    fn follow(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Compute(id) => self.compute(*id),
                Step::Split(split) => {
                    let condition = self.of(split.condition);
                    let to: Vec<Register> = split.choices.iter().map(|&id| self.name(id)).collect();
                    let branch = self.pending();
                    self.follow(&split.yes);
                    self.copy(&split.choices, &to, |yes, _| yes);
                    let first_end = self.pending();
                    let no = self.tape.len() as u32;
                    self.follow(&split.no);
                    self.copy(&split.choices, &to, |_, no| no);
                    let second_end = self.pending();
                    let nan = self.tape.len() as u32;
                    self.tape.extend(to.iter().map(|&to| Instruction::Copy { to, from: condition }));
                    let end = Instruction::Jump { to: self.tape.len() as u32 };
                    self.tape[branch] = Instruction::Branch { condition, no, nan };
                    (self.tape[first_end], self.tape[second_end]) = (end, end);
                }
            }
        }
    }

    /// The place of a jump whose end is not known yet.
    fn pending(&mut self) -> usize {
        self.tape.push(Instruction::Jump { to: 0 });
        self.tape.len() - 1
    }

    /// The choices take the values of one side.
    fn copy(&mut self, choices: &[Id], to: &[Register], side: fn(Id, Id) -> Id) {
        for (&choice, &to) in choices.iter().zip(to) {
            if let Operation::Choose(_, yes, no) = self.graph.operation(choice) {
                let from = self.of(side(yes, no));
                self.tape.push(Instruction::Copy { to, from });
            }
        }
    }

    fn compute(&mut self, id: Id) {
        use Instruction as I;
        use Operation as O;
        let operation = self.graph.operation(id);
        let mut x = [0; 3];
        operation.operands().zip(&mut x).for_each(|(operand, x)| *x = self.of(operand));
        let [a, b, c] = x;
        let to = self.name(id);
        let instruction = match operation {
            O::Constant(_) | O::Input(_) => return,
            O::Negate(_) => I::Negate { to, a },
            O::Not(_) => I::One { to, a, f: not },
            O::Truth(_) => I::One { to, a, f: truth },
            O::Add(..) => I::Add { to, a, b },
            O::Subtract(..) => I::Subtract { to, a, b },
            O::Multiply(..) => I::Multiply { to, a, b },
            O::Divide(..) => I::Divide { to, a, b },
            O::Square(_) => I::Square { to, a },
            O::Cube(_) => I::Cube { to, a },
            O::Power(..) => I::Two { to, a, b, f: power },
            O::Compare(op, ..) => I::Compare { to, a, b, op },
            O::Choose(..) => I::Choose { to, condition: a, yes: b, no: c },
            O::One(f, _) | O::Two(f, ..) | O::Three(f, ..) => match f.0.value {
                Value::One(f) => I::One { to, a, f },
                Value::Two(f) | Value::Fold(f) => I::Two { to, a, b, f },
                Value::Three(f) => I::Three { to, a: x, f },
            },
            O::Table { table, order, .. } => I::Table { to, a, table, order },
        };
        self.tape.push(instruction);
    }
}
