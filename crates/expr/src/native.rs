//! A schedule as machine code.
//!
//! The code does what the tape of [`crate::tape`] does in the same order, with the same functions, and
//! contracts nothing, so that both give the same bits (of NaN only that it is one). It is made by Cranelift
//! for the processor at hand; where that is not possible, there is none.

#![allow(unsafe_code, reason = "machine code is called by address, which no compiler can check")]

use crate::builtin::Value as Call;
use crate::graph::{Graph, Id, Operation};
use crate::operator::{BinaryOperator, power};
use crate::schedule::{Split, Step};
use crate::table::Table;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, MemFlagsData, SigRef, Signature, Type, UserFuncName,
    Value, types,
};
use cranelift_codegen::isa::{self, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use memmap2::{Mmap, MmapMut};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Code of inputs, values and derivatives.
type Entry = unsafe extern "C" fn(*const f64, *mut f64, *mut f64);

/// The steps of a function and the nodes that it gives: values, then derivatives.
pub(crate) struct Source<'a> {
    pub steps: &'a [Step],
    pub results: [&'a [Id]; 2],
}

/// Machine code of one function.
pub(crate) struct Native {
    entry: Entry,
    /// How much the code reads and writes.
    inputs: usize,
    results: [usize; 2],
    /// The derivatives that are constant; most of those of a large system are.
    constants: Box<[f64]>,
    /// Where the code is.
    _memory: Arc<Memory>,
}

/// Holds the code of functions that were made together.
struct Memory {
    code: Mmap,
    /// The code holds addresses of these.
    _tables: Box<[Arc<Table>]>,
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native").field("inputs", &self.inputs).field("results", &self.results).finish()
    }
}

impl Native {
    /// The code of functions of the same inputs; none if this machine cannot have it.
    pub fn several(graph: &Graph, inputs: usize, sources: &[Source]) -> Option<Vec<Self>> {
        let longest = sources.iter().map(|source| source.steps.len()).max().unwrap_or(0);
        let target = target(longest <= SHORT)?;
        let mut code = Code::default();
        let starts: Option<Vec<usize>> =
            sources.iter().map(|source| code.add(&compile(&*target, graph, source)?)).collect();
        let starts = starts?;
        let memory = Arc::new(Memory { code: code.executable().ok()?, _tables: graph.tables().into() });
        let native = |(source, start): (&Source, usize)| {
            let address = memory.code[start..].as_ptr();
            // SAFETY: `compile` gives the function the signature of `Entry` in the calling convention of the
            // machine, which is that of extern "C". Each entry keeps the memory that it points into.
            let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
            Native {
                entry,
                inputs,
                results: source.results.map(<[Id]>::len),
                constants: constants(graph, source),
                _memory: Arc::clone(&memory),
            }
        };
        Some(sources.iter().zip(starts).map(native).collect())
    }

    /// The results at the given inputs.
    ///
    /// # Panics
    ///
    /// If a slice is too short.
    #[inline]
    pub fn eval(&self, inputs: &[f64], [values, derivatives]: [&mut [f64]; 2]) {
        let [x, y] = self.results;
        assert!(inputs.len() >= self.inputs && values.len() >= x && derivatives.len() >= y);
        derivatives[..y].copy_from_slice(&self.constants);
        // SAFETY: the code reads and writes only within the lengths asserted, and lives as long as `self`.
        unsafe { (self.entry)(inputs.as_ptr(), values.as_mut_ptr(), derivatives.as_mut_ptr()) }
    }
}

/// Steps up to which code is worth careful work on its registers.
const SHORT: usize = 12_000;

/// The processor at hand, if there is code for it; with careful code or with code that is made fast.
fn target(careful: bool) -> Option<OwnedTargetIsa> {
    static TARGETS: [OnceLock<Option<OwnedTargetIsa>>; 2] = [const { OnceLock::new() }; 2];
    let find = || {
        let mut flags = settings::builder();
        for (name, value) in [
            // Common parts are found before; what is left to find costs more than it saves.
            ("opt_level", "none"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
            ("unwind_info", "false"),
            // The code is slower by a tenth or two, but made four times as fast.
            ("regalloc_algorithm", if careful { "backtracking" } else { "single_pass" }),
            // A long function has a large frame: it must meet the end of the stack, not jump over it.
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
        ] {
            flags.set(name, value).ok()?;
        }
        let mut builder = isa::lookup(target_lexicon::HOST).ok()?;
        for feature in processor_features() {
            builder.enable(feature).ok()?;
        }
        let target = builder.finish(settings::Flags::new(flags)).ok()?;
        (target.pointer_type() == types::I64).then_some(target)
    };
    TARGETS[usize::from(careful)].get_or_init(find).clone()
}

/// What the processor has beyond the least of its kind, of what code for plain numbers can use.
fn processor_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let features = [
        (std::is_x86_feature_detected!("sse3"), "has_sse3"),
        (std::is_x86_feature_detected!("ssse3"), "has_ssse3"),
        (std::is_x86_feature_detected!("sse4.1"), "has_sse41"),
        (std::is_x86_feature_detected!("sse4.2"), "has_sse42"),
        (std::is_x86_feature_detected!("avx"), "has_avx"),
        (std::is_x86_feature_detected!("avx2"), "has_avx2"),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let features: [(bool, &str); 0] = [];
    features.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect()
}

/// The bytes of functions, one after the other.
#[derive(Default)]
struct Code(Vec<u8>);

impl Code {
    /// Where a function starts; none if its code asks for an address, which nobody would fill in.
    fn add(&mut self, compiled: &Context) -> Option<usize> {
        let code = compiled.compiled_code()?;
        if !code.buffer.relocs().is_empty() {
            return None;
        }
        self.0.resize(self.0.len().next_multiple_of(code.buffer.alignment as usize), 0);
        let start = self.0.len();
        self.0.extend_from_slice(code.code_buffer());
        Some(start)
    }

    /// Memory that the processor may run, and nobody write any more.
    fn executable(self) -> std::io::Result<Mmap> {
        let mut memory = MmapMut::map_anon(self.0.len())?;
        memory.copy_from_slice(&self.0);
        let memory = memory.make_exec()?;
        forget_old_code(&memory)?;
        Ok(memory)
    }
}

/// Some processors keep what they ran at an address before.
#[cfg(not(target_arch = "x86_64"))]
fn forget_old_code(memory: &[u8]) -> std::io::Result<()> {
    use wasmtime_internal_jit_icache_coherence::{clear_cache, pipeline_flush_mt};
    // SAFETY: the memory is there.
    let cleared = unsafe { clear_cache(memory.as_ptr().cast(), memory.len()) };
    let failed = |error: &dyn fmt::Display| std::io::Error::other(error.to_string());
    cleared.map_err(|error| failed(&error))?;
    pipeline_flush_mt().map_err(|error| failed(&error))
}

/// This one sees what is written.
#[cfg(target_arch = "x86_64")]
fn forget_old_code(_: &[u8]) -> std::io::Result<()> {
    Ok(())
}

// The language's functions have the calling convention of Rust, which code from elsewhere cannot know; these
// know it.

#[allow(improper_ctypes_definitions)] // The pointer is only handed through.
extern "C" fn one(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

#[allow(improper_ctypes_definitions)]
extern "C" fn two(f: fn(f64, f64) -> f64, x: f64, y: f64) -> f64 {
    f(x, y)
}

#[allow(improper_ctypes_definitions)]
extern "C" fn three(f: fn(f64, f64, f64) -> f64, x: f64, y: f64, z: f64) -> f64 {
    f(x, y, z)
}

// The functions that stand in most models, without the way through a pointer.

extern "C" fn sine(x: f64) -> f64 {
    x.sin()
}

extern "C" fn cosine(x: f64) -> f64 {
    x.cos()
}

extern "C" fn exponential(x: f64) -> f64 {
    x.exp()
}

/// # Safety
///
/// The table must be there.
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn table(table: *const Table, order: u64, x: f64) -> f64 {
    // SAFETY: `Native` keeps its tables as long as its code.
    unsafe { &*table }.value(x, order as u32)
}

/// Compiles the function.
fn compile(target: &dyn TargetIsa, graph: &Graph, source: &Source) -> Option<Context> {
    let convention = target.default_call_conv();
    let signature = |whole: usize, real: usize| {
        let mut signature = Signature::new(convention);
        signature.params = vec![AbiParam::new(types::I64); whole];
        signature.params.extend(vec![AbiParam::new(types::F64); real]);
        signature
    };
    let mut function = Function::with_name_signature(UserFuncName::default(), signature(3, 0));
    let signatures = [(1, 1), (1, 2), (1, 3), (2, 1), (0, 1)].map(|(whole, real)| {
        let mut signature = signature(whole, real);
        signature.returns = vec![AbiParam::new(types::F64)];
        function.import_signature(signature)
    });
    let start = function.dfg.make_block();
    let pointers = [(); 3].map(|()| function.dfg.append_block_param(start, types::I64));
    let mut cursor = FuncCursor::new(&mut function);
    cursor.insert_block(start);
    let mut writer = Writer {
        graph,
        cursor,
        pointers,
        signatures,
        values: vec![None; graph.len()],
        is_number: numbers(graph, source),
        places: places(graph, source),
    };
    writer.write(source);
    writer.cursor.ins().return_(&[]);
    let mut context = Context::for_function(function);
    context.compile(target, &mut ControlPlane::default()).ok()?;
    Some(context)
}

/// Which nodes are used as numbers, not only as conditions.
fn numbers(graph: &Graph, source: &Source) -> Vec<bool> {
    let mut number = vec![false; graph.len()];
    let roots: Vec<Id> = source.results.concat();
    let needed = graph.needed(&roots);
    roots.iter().for_each(|&id| number[id as usize] = true);
    for id in (0..graph.len()).filter(|&id| needed[id]) {
        let operation = graph.operation(id as Id);
        let skipped = usize::from(matches!(operation, Operation::Choose(..)));
        operation.operands().skip(skipped).for_each(|x| number[x as usize] = true);
    }
    number
}

/// Where each node is a result: which list, and the place in it. Derivatives that are constant are not
/// written by the code.
fn places(graph: &Graph, source: &Source) -> Vec<Vec<(usize, usize)>> {
    let mut places = vec![vec![]; graph.len()];
    for (list, results) in source.results.iter().enumerate() {
        for (k, &id) in results.iter().enumerate().filter(|(_, id)| list == 0 || graph.value(**id).is_none())
        {
            places[id as usize].push((list, k));
        }
    }
    places
}

/// The derivatives that are constant in their places, zero in others.
fn constants(graph: &Graph, source: &Source) -> Box<[f64]> {
    source.results[1].iter().map(|&id| graph.value(id).unwrap_or(0.0)).collect()
}

struct Writer<'a> {
    graph: &'a Graph,
    /// The end of the code so far.
    cursor: FuncCursor<'a>,
    /// Inputs, values and derivatives.
    pointers: [Value; 3],
    /// Of `one`, `two`, `three`, `table` and `sine`.
    signatures: [SigRef; 5],
    values: Vec<Option<Value>>,
    is_number: Vec<bool>,
    places: Vec<Vec<(usize, usize)>>,
}

/// Truth of a condition, whether it is NaN, and the NaN.
struct Condition {
    holds: Value,
    is_nan: Value,
    nan: Value,
}

impl Writer<'_> {
    fn write(&mut self, source: &Source) {
        self.follow(source.steps);
        // What no step computes is written here.
        let results: Vec<Id> = source.results.concat();
        for id in results {
            if self.values[id as usize].is_none() {
                let value = self.value(id);
                self.store(id, value);
                self.values[id as usize] = Some(value);
            }
        }
    }

    fn follow(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Compute(id) => self.compute(*id),
                Step::Split(split) => self.split(split),
            }
        }
    }

    fn number(&mut self, value: f64) -> Value {
        self.cursor.ins().f64const(value)
    }

    /// The value of a node. Inputs and constants are read wherever they are used, so that they hold no
    /// register.
    fn value(&mut self, id: Id) -> Value {
        match (self.graph.operation(id), self.values[id as usize]) {
            (_, Some(value)) => value,
            (Operation::Input(index), _) => {
                let flags = MemFlagsData::trusted();
                self.cursor.ins().load(types::F64, flags, self.pointers[0], offset(index as usize))
            }
            (Operation::Constant(bits), _) => self.number(f64::from_bits(bits)),
            // A schedule computes before it uses.
            (_, None) => self.number(f64::NAN),
        }
    }

    /// Writes a node that is a result to its places.
    fn store(&mut self, id: Id, value: Value) {
        for (list, k) in std::mem::take(&mut self.places[id as usize]) {
            let pointer = self.pointers[1 + list];
            self.cursor.ins().store(MemFlagsData::trusted(), value, pointer, offset(k));
        }
    }

    /// A node has its value; results are computed outside branches.
    fn set(&mut self, id: Id, value: Value) {
        self.values[id as usize] = Some(value);
        self.store(id, value);
    }

    /// What follows is written into the block.
    fn start(&mut self, block: Block) {
        self.cursor.insert_block(block);
    }

    fn split(&mut self, split: &Split) {
        let condition = self.condition(split.condition);
        let [decide, yes, no, nan, end] = [(); 5].map(|()| self.cursor.func.dfg.make_block());
        let merged: Vec<Value> =
            split.choices.iter().map(|_| self.cursor.func.dfg.append_block_param(end, types::F64)).collect();
        self.cursor.func.layout.set_cold(nan);
        self.cursor.ins().brif(condition.is_nan, nan, &[], decide, &[]);
        self.start(decide);
        self.cursor.ins().brif(condition.holds, yes, &[], no, &[]);
        for (block, steps, first) in [(yes, &split.yes, true), (no, &split.no, false)] {
            self.start(block);
            self.follow(steps);
            let side = |graph: &Graph, id: Id| match graph.operation(id) {
                Operation::Choose(_, yes, no) => {
                    if first {
                        yes
                    } else {
                        no
                    }
                }
                _ => id,
            };
            let values: Vec<BlockArg> =
                split.choices.iter().map(|&id| BlockArg::Value(self.value(side(self.graph, id)))).collect();
            self.cursor.ins().jump(end, &values);
        }
        self.start(nan);
        let values = vec![BlockArg::Value(condition.nan); split.choices.len()];
        self.cursor.ins().jump(end, &values);
        self.start(end);
        split.choices.iter().zip(merged).for_each(|(&id, value)| self.set(id, value));
    }

    fn condition(&mut self, id: Id) -> Condition {
        let (code, a, b, nan) = match self.graph.operation(id) {
            Operation::Compare(op, a, b) if !self.is_number[id as usize] => {
                let (a, b) = (self.value(a), self.value(b));
                (code(op), a, b, self.cursor.ins().fadd(a, b))
            }
            _ => {
                let (x, zero) = (self.value(id), self.number(0.0));
                (FloatCC::NotEqual, x, zero, x)
            }
        };
        let holds = self.cursor.ins().fcmp(code, a, b);
        let is_nan = self.cursor.ins().fcmp(FloatCC::Unordered, a, b);
        Condition { holds, is_nan, nan }
    }

    /// `yes` or `no`, or NaN if the condition is.
    fn choose(&mut self, condition: &Condition, yes: Value, no: Value) -> Value {
        let chosen = self.cursor.ins().select(condition.holds, yes, no);
        self.cursor.ins().select(condition.is_nan, condition.nan, chosen)
    }

    /// 1 or 0 as the numbers compare; NaN if one of them is.
    fn compare(&mut self, code: FloatCC, a: Value, b: Value) -> Value {
        let holds = self.cursor.ins().fcmp(code, a, b);
        let is_nan = self.cursor.ins().fcmp(FloatCC::Unordered, a, b);
        let nan = self.cursor.ins().fadd(a, b);
        let (one, zero) = (self.number(1.0), self.number(0.0));
        self.choose(&Condition { holds, is_nan, nan }, one, zero)
    }

    /// a if it compares so with b or is NaN, else b.
    fn extreme(&mut self, code: FloatCC, a: Value, b: Value) -> Value {
        let holds = self.cursor.ins().fcmp(code, a, b);
        let is_nan = self.cursor.ins().fcmp(FloatCC::Unordered, a, a);
        self.choose(&Condition { holds, is_nan, nan: a }, a, b)
    }

    fn compute(&mut self, id: Id) {
        use Operation as O;
        let operation = self.graph.operation(id);
        if matches!(operation, O::Compare(..)) && !self.is_number[id as usize] {
            return;
        }
        if let O::Choose(condition, yes, no) = operation {
            let (condition, yes, no) = (self.condition(condition), self.value(yes), self.value(no));
            let value = self.choose(&condition, yes, no);
            return self.set(id, value);
        }
        let x: Vec<Value> = operation.operands().map(|x| self.value(x)).collect();
        let ins = self.cursor.ins();
        let value = match operation {
            O::Constant(_) | O::Input(_) | O::Choose(..) => return,
            O::Negate(_) => ins.fneg(x[0]),
            O::Add(..) => ins.fadd(x[0], x[1]),
            O::Subtract(..) => ins.fsub(x[0], x[1]),
            O::Multiply(..) => ins.fmul(x[0], x[1]),
            O::Divide(..) => ins.fdiv(x[0], x[1]),
            O::Square(_) => ins.fmul(x[0], x[0]),
            O::Cube(_) => {
                let square = ins.fmul(x[0], x[0]);
                self.cursor.ins().fmul(square, x[0])
            }
            O::Not(_) | O::Truth(_) => {
                let zero = self.number(0.0);
                let truth = matches!(operation, O::Truth(_));
                self.compare(if truth { FloatCC::NotEqual } else { FloatCC::Equal }, x[0], zero)
            }
            O::Compare(op, ..) => self.compare(code(op), x[0], x[1]),
            O::Power(..) => self.call(Call::Two(power), &x),
            O::One(f, _) | O::Two(f, ..) | O::Three(f, ..) => match f.0.name {
                "sqrt" => ins.sqrt(x[0]),
                "abs" => ins.fabs(x[0]),
                "min" => self.extreme(FloatCC::LessThanOrEqual, x[0], x[1]),
                "max" => self.extreme(FloatCC::GreaterThanOrEqual, x[0], x[1]),
                "ramp" => {
                    let zero = self.number(0.0);
                    self.extreme(FloatCC::GreaterThanOrEqual, x[0], zero)
                }
                "sin" => self.indirect(4, sine as *const (), &x),
                "cos" => self.indirect(4, cosine as *const (), &x),
                "exp" => self.indirect(4, exponential as *const (), &x),
                _ => self.call(f.0.value, &x),
            },
            O::Table { table, order, .. } => {
                let curve = Arc::as_ptr(&self.graph.tables()[table as usize]);
                self.table(curve, order, x[0])
            }
        };
        self.set(id, value);
    }

    /// A function of the language.
    fn call(&mut self, f: Call, x: &[Value]) -> Value {
        let (way, address, f) = match f {
            Call::One(f) => (0, one as *const (), f as *const ()),
            Call::Two(f) | Call::Fold(f) => (1, two as *const (), f as *const ()),
            Call::Three(f) => (2, three as *const (), f as *const ()),
        };
        let mut arguments = vec![self.address(f)];
        arguments.extend_from_slice(x);
        self.indirect(way, address, &arguments)
    }

    fn table(&mut self, curve: *const Table, order: u32, x: Value) -> Value {
        let arguments =
            [self.address(curve.cast()), self.cursor.ins().iconst(types::I64, i64::from(order)), x];
        self.indirect(3, table as *const (), &arguments)
    }

    fn indirect(&mut self, way: usize, address: *const (), arguments: &[Value]) -> Value {
        let callee = self.address(address);
        let call = self.cursor.ins().call_indirect(self.signatures[way], callee, arguments);
        self.cursor.func.dfg.first_result(call)
    }

    fn address(&mut self, pointer: *const ()) -> Value {
        const ADDRESS: Type = types::I64;
        self.cursor.ins().iconst(ADDRESS, pointer as usize as i64)
    }
}

/// Bytes from the start to number k of a list.
fn offset(k: usize) -> i32 {
    (k * size_of::<f64>()) as i32
}

fn code(op: BinaryOperator) -> FloatCC {
    match op {
        BinaryOperator::Less => FloatCC::LessThan,
        BinaryOperator::LessEqual => FloatCC::LessThanOrEqual,
        BinaryOperator::Equal => FloatCC::Equal,
        _ => FloatCC::NotEqual,
    }
}
