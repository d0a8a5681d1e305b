//! Nothing lost, nothing hangs: folders that cannot be written to, damaged files, hostile input, two runs at
//! once.

use crate::common::{output, poinsot};
use crate::trust::tools::{Finished, command_on, run};
use poinsot_results::{Frames, ResultsError, read_motion, read_signals};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A pendulum pushed by a table, with so many steps.
fn pendulum(steps: usize) -> String {
    format!(
        r#"
[[table]]
name = "push"
file = "push.csv"
[[body]]
name = "bob"
mass = 1
inertia = [0.1, 0.2, 0.15]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "bob"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[force]]
name = "wind"
type = "force"
on = "bob"
force = ["push(t)", 0, 0]
[[signal]]
name = "z"
value = "bob.position.z"
[study]
end = {}
step = 1e-3
"#,
        steps as f64 * 1e-3
    )
}

/// A folder with the pendulum and its table.
fn folder_of(steps: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.toml"), pendulum(steps)).unwrap();
    fs::write(folder.path().join("push.csv"), "t,f\n0,1\n2,5\n100000,1\n").unwrap();
    folder
}

fn run_in(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    output(poinsot(folder).args(["run", "model.toml", "-q"]).args(arguments))
}

/// Starts a run that takes very long and waits until a file of it is there.
fn start_until(folder: &Path, file: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_poinsot"));
    command.current_dir(folder).args(["run", "model.toml", "-q"]).args(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !folder.join("runs/model").join(file).exists() {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "no {file}");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_the_first_step() {
    let folder = folder_of(100_000_000);
    fs::write(folder.path().join("taken"), "").unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/summary.json"), "mine").unwrap();
    let clock = Instant::now();
    for (out, words) in
        [("taken", "not a folder"), ("taken/below", "taken/below"), ("mine", "not overwritten")]
    {
        let (code, _, err) = run_in(folder.path(), &["--out", out]);
        assert!(code == 1 && err.contains(words), "{out}: {code} {err}");
    }
    assert!(clock.elapsed() < Duration::from_secs(30), "it computes first");
    assert_eq!(fs::read_to_string(folder.path().join("mine/summary.json")).unwrap(), "mine");
    assert_eq!(names(&folder.path().join("mine")), ["summary.json"]);
}

#[test]
fn a_run_that_cannot_start_leaves_no_folder() {
    // It has no study, which is found out after the folder was made.
    let text = "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n";
    let nothing = command_on("run", "model.toml", text, &[]);
    assert!(nothing.code == 2 && !nothing.folder.path().join("runs").exists(), "{}", nothing.said());
}

/// Files may not grow beyond a size, as on a full disk: the summary is there and names what is missing.
#[cfg(unix)]
#[test]
fn on_a_full_disk_the_summary_and_what_fits_are_kept() {
    let folder = folder_of(70_000);
    let all_rows = pendulum(70_000) + "output_step = 1e-3\n";
    fs::write(folder.path().join("model.toml"), all_rows).unwrap();
    let limited = |blocks: usize, more: &str| {
        let program = env!("CARGO_BIN_EXE_poinsot");
        let line =
            format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' run model.toml -q --csv {more}");
        output(assert_cmd::Command::new("bash").current_dir(folder.path()).args(["-c", &line]))
    };
    // Room for the reserve of 1 MiB and the signals, but not for the signals as text.
    let (code, _, err) = limited(1700, "");
    assert!(code == 1 && err.contains("cannot write") && err.contains("signals.csv"), "{code} {err}");
    let results = folder.path().join("runs/model");
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["outcome"]["status"], "completed");
    assert_eq!(summary["missing"][0]["name"], "signals.csv");
    assert_eq!(read_signals(&results).unwrap().len(), 70_001);
    assert!(names(&results).iter().all(|name| !name.ends_with(".tmp") && name != ".poinsot-lock"));
    // Without room for a summary nothing is computed.
    let (code, _, err) = limited(500, "--out other");
    assert!(code == 1 && err.contains("cannot write"), "{code} {err}");
    assert!(!folder.path().join("other").exists());
}

#[test]
fn a_long_bad_line_is_cut_around_the_place() {
    let text = format!("[parameters]\nm = 1\n{}\n", "a)+5/7*g*sin(alpha)".repeat(1000));
    let checked = command_on("check", "model.toml", &text, &[]);
    assert_eq!(checked.code, 2);
    assert!(checked.said().len() < 40_000, "{} bytes", checked.said().len());
    assert!(checked.said().contains("model.toml:3:"), "{}", checked.said());
    // Many errors: the first ones, and how many there are.
    let many: String = (0..3000).map(|k| format!("[[body]]\nname = \"b{k}\"\nmas = 1\n")).collect();
    let checked = command_on("check", "model.toml", &many, &[]);
    assert!(checked.said().len() < 40_000 && checked.said().contains("more that are not shown"));
}

#[test]
fn resume_checks_every_file_that_the_model_reads_and_every_row() {
    let folder = folder_of(100_000_000);
    end(start_until(folder.path(), "checkpoint.bin", &["--checkpoint", "200"]));
    let results = folder.path().join("runs/model");
    let resumed = || {
        let (code, _, err) = output(poinsot(folder.path()).args(["resume", "runs/model", "-q"]));
        assert_eq!(code, 2, "{err}");
        err
    };
    let table = folder.path().join("push.csv");
    let text = fs::read_to_string(&table).unwrap();
    fs::write(&table, text.replace("2,5", "2,6")).unwrap();
    let err = resumed();
    assert!(err.contains("push.csv has changed since the checkpoint"), "{err}");
    fs::write(&table, text).unwrap();
    for name in ["checkpoint-rows.bin", "checkpoint-frames.bin", "checkpoint.bin"] {
        let path = results.join(name);
        let good = fs::read(&path).unwrap();
        // A bit of the lowest digits of a number: nothing but a checksum can see it.
        let mut bad = good.clone();
        bad[17] ^= 1;
        fs::write(&path, bad).unwrap();
        let err = resumed();
        assert!(err.contains(name) && err.contains("damaged"), "{name}: {err}");
        fs::write(&path, good).unwrap();
    }
}

#[test]
fn a_folder_belongs_to_one_run_at_a_time() {
    let folder = folder_of(100_000_000);
    let first = start_until(folder.path(), ".poinsot-reserve", &[]);
    let (code, _, err) = run_in(folder.path(), &["--until", "0.01"]);
    assert!(code == 1 && err.contains(&format!("in use by process {}", first.id())), "{code} {err}");
    let results = folder.path().join("runs/model");
    end(first);
    assert!(names(&results).contains(&".poinsot-lock".to_owned()));
    // What a killed run left, and what it may leave, is in nobody's way and is cleared.
    fs::write(results.join("..poinsot-files.4711-0.tmp"), "half").unwrap();
    fs::write(results.join(".notes.4711-0.tmp"), "mine").unwrap();
    let (code, _, err) = run_in(folder.path(), &["--until", "0.01"]);
    assert_eq!(code, 0, "{err}");
    let hidden: Vec<String> = names(&results).into_iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(hidden, [".notes.4711-0.tmp", ".poinsot-files"]);
}

#[cfg(unix)]
#[test]
fn pipes_devices_folders_and_huge_files_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["pipe.csv", "pipe.stl", "pipe.toml", "pipe.gltf"] {
        assert!(Command::new("mkfifo").arg(at(name)).status().unwrap().success());
    }
    fs::create_dir(at("folder.csv")).unwrap();
    fs::File::create(at("huge.csv")).unwrap().set_len(1 << 40).unwrap();
    fs::File::create(at("huge.toml")).unwrap().set_len(1 << 40).unwrap();
    let table = |file: &str| format!("[[table]]\nname = \"tab\"\nfile = \"{file}\"\n");
    let mesh = |key: &str, file: &str| {
        let body = "[[body]]\nname = \"a\"\n";
        match key {
            "shape" => format!("{body}shape = {{ type = \"mesh\", file = \"{file}\", density = 1 }}\n"),
            _ => format!(
                "{body}mass = 1\ninertia = [1, 1, 1]\nlook = {{ type = \"mesh\", file = \"{file}\" }}\n"
            ),
        }
    };
    let clock = Instant::now();
    let models = [
        (table("pipe.csv"), "pipe or a device"),
        (table("/dev/zero"), "pipe or a device"),
        (table("folder.csv"), "it is a folder"),
        (table("huge.csv"), "larger than 1024 MB"),
        (mesh("shape", "pipe.stl"), "pipe or a device"),
        (mesh("look", "pipe.stl"), "pipe or a device"),
        (mesh("look", "pipe.gltf"), "pipe or a device"),
    ];
    for (text, words) in models {
        fs::write(at("model.toml"), &text).unwrap();
        let (code, _, err) = output(poinsot(folder.path()).args(["check", "model.toml"]));
        assert!(code == 2 && err.contains(words) && err.contains("model.toml:"), "{text}: {code} {err}");
    }
    for (model, words) in
        [("pipe.toml", "pipe or a device"), ("huge.toml", "larger than"), (".", "it is a folder")]
    {
        let (code, _, err) = output(poinsot(folder.path()).args(["run", model]));
        assert!(code == 2 && err.contains(words), "{model}: {code} {err}");
    }
    assert!(clock.elapsed() < Duration::from_secs(30));
}

/// Forty nodes, each of which holds the next one twice: 2⁴⁰ places.
#[test]
fn a_mesh_that_is_small_on_disk_and_endless_in_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let nodes: Vec<String> = (1..=40).map(|k| format!(r#"{{"children":[{k},{k}]}}"#)).collect();
    let bomb = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{},{{}}]}}"#,
        nodes.join(",")
    );
    fs::write(folder.path().join("bomb.gltf"), bomb).unwrap();
    let look = "look = { type = \"mesh\", file = \"bomb.gltf\" }\n";
    let body = format!("[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n{look}");
    fs::write(folder.path().join("model.toml"), body).unwrap();
    let clock = Instant::now();
    let (code, _, err) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert!(code == 2 && err.contains("stands in two places"), "{code} {err}");
    assert!(clock.elapsed() < Duration::from_secs(10));
}

/// The results of a short run, and the folder that holds them.
fn results() -> (Finished, PathBuf) {
    let text = pendulum(300).replace("file = \"push.csv\"", "points = [[0, 1], [2, 5]]");
    let finished = run(&text, &["-q"]);
    assert_eq!(finished.code, 0, "{}", finished.said());
    let path = finished.results();
    (finished, path)
}

/// Damaged by a fixed list of changes: bits, bytes left out, bytes doubled, an end cut off.
fn damages(content: &[u8]) -> Vec<Vec<u8>> {
    let n = content.len();
    let mut list = vec![vec![], content[..n / 2].to_vec(), content[..n - 1].to_vec(), vec![b'x'; n]];
    for k in 0..60 {
        // Every second place is in the last kB, where a Parquet file says what is where.
        let at = if k % 2 == 0 { k * (n - 1) / 60 } else { n - 1 - (k * 37) % n.min(1000) };
        let mut changed = content.to_vec();
        match k % 3 {
            0 => changed[at] ^= 1 << (k % 8),
            1 => drop(changed.drain(at..(at + 7).min(n))),
            _ => changed.insert(at, b'7'),
        }
        list.push(changed);
    }
    list
}

#[test]
fn damage_of_results_is_told_and_not_shown() {
    let (finished, folder) = results();
    assert_eq!((read_signals(&folder).unwrap().len(), read_motion(&folder).unwrap().1.len()), (301, 301));
    for name in ["signals.parquet", "motion.parquet", "scene.json"] {
        let path = folder.join(name);
        let good = fs::read(&path).unwrap();
        for (k, bad) in damages(&good).into_iter().enumerate() {
            fs::write(&path, bad).unwrap();
            let told = match name {
                "signals.parquet" => read_signals(&folder).err(),
                _ => read_motion(&folder).err(),
            };
            assert!(told.is_some(), "{name}, damage {k} is not seen");
        }
        // The commands say it and give nothing.
        let mut bad = good.clone();
        let middle = bad.len() / 3;
        bad[middle] ^= 4;
        fs::write(&path, bad).unwrap();
        let command = if name == "signals.parquet" { ["plot", "z"] } else { ["render", "--at=0.1"] };
        let picture = if name == "signals.parquet" { "picture.svg" } else { "picture.png" };
        let line = [command[0], "runs/model", command[1], "--out", picture];
        let (code, _, err) = output(poinsot(finished.folder.path()).args(line));
        assert!(code != 0 && err.contains(name), "{line:?}: {code} {err}");
        assert!(!finished.folder.path().join(picture).exists());
        fs::write(&path, good).unwrap();
    }
    // A file without a checksum is not trusted either.
    fs::write(folder.join("signals.parquet"), b"PAR1PAR1PAR1").unwrap();
    assert!(matches!(read_signals(&folder), Err(ResultsError::Damaged { .. })));
}

/// Seven numbers of four bytes for each pose, and some bytes for its name: no more, whatever the number of
/// bodies.
#[test]
fn frames_take_bytes_for_each_body_and_not_kilobytes() {
    let bodies = 2000;
    let body = |k: usize| {
        format!("[[body]]\nname = \"b{k}\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [{k}, 0, 0]\n")
    };
    let text = (0..bodies).map(body).collect::<String>() + "[study]\nend = 0.1\nstep = 0.01\n";
    let finished = run(&text, &["-q"]);
    let size = fs::metadata(finished.results().join(Frames::FILE)).unwrap().len() as usize;
    assert!(size < 11 * bodies * 28 + 60 * bodies, "{size} bytes, {} for each body", size / bodies);
    let (scene, frames) = read_motion(&finished.results()).unwrap();
    assert_eq!((scene.bodies.len(), frames.len()), (bodies, 11));
    assert_eq!(frames.frame(10)[7 * 1234], 1234.0);
}

#[test]
fn the_page_runs_nothing_but_what_was_built_into_it() {
    let (_finished, folder) = results();
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    let policy = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap().1;
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
}

/// Unsafe code stands in four files, and every block of it says why it is sound.
#[test]
fn unsafe_code_is_in_named_files_and_has_reasons() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = vec![];
    let mut folders = vec![crates.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let source = path.components().any(|part| part.as_os_str() == "src");
            if path.is_dir() {
                folders.push(path);
            } else if source && path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let lines: Vec<&str> = text.lines().map(str::trim).collect();
                let blocks = (0..lines.len())
                    .filter(|&k| lines[k].contains("unsafe {") && !lines[k].starts_with("//"));
                for k in blocks.clone() {
                    let above = lines[..k].iter().rev().take_while(|line| line.starts_with("//"));
                    let reason = above.clone().any(|line| line.starts_with("// SAFETY: "));
                    assert!(reason, "{}:{} has no reason", path.display(), k + 1);
                }
                if blocks.count() > 0 {
                    found.push(path.strip_prefix(crates).unwrap().to_owned());
                }
            }
        }
    }
    found.sort();
    let numerics = ["complex_lanes", "kernels", "lanes"].map(|name| format!("numerics/src/{name}.rs"));
    let named: Vec<PathBuf> =
        ["expr/src/native.rs".into()].into_iter().chain(numerics).map(PathBuf::from).collect();
    assert_eq!(found, named);
    let lints = fs::read_to_string(crates.join("../Cargo.toml")).unwrap();
    assert!(lints.contains("unsafe_code = \"deny\""));
}

/// Meshes and tables with a fixed list of damages: read or refused, without a panic and without an end.
#[test]
fn damaged_meshes_and_tables_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let corners = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let sides = [[0usize, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut stl = [vec![0; 80], 4u32.to_le_bytes().to_vec()].concat();
    for side in sides {
        stl.extend(bytes(&[0.0; 3]));
        side.iter().for_each(|&k| stl.extend(bytes(&corners[k])));
        stl.extend([0, 0]);
    }
    let vertex = |[x, y, z]: [f32; 3]| format!("v {x} {y} {z}\n");
    let face = |[a, b, c]: [usize; 3]| format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    let obj: String = corners.iter().map(|v| vertex(*v)).chain(sides.iter().map(|t| face(*t))).collect();
    let gltf = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
        "bufferViews":[{"buffer":0}],
        "buffers":[{"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    let table = "t,f\n0,1\n1,4\n2,2\n";
    let body = "[[body]]\nname = \"a\"\n";
    let look = |ending: &str| {
        format!("{body}mass = 1\ninertia = [1, 1, 1]\nlook = {{ type = \"mesh\", file = \"f.{ending}\" }}\n")
    };
    let cases = [
        ("stl", stl.clone(), look("stl")),
        ("stl", stl, format!("{body}shape = {{ type = \"mesh\", file = \"f.stl\", density = 1 }}\n")),
        ("obj", obj.into_bytes(), look("obj")),
        ("gltf", gltf.as_bytes().to_vec(), look("gltf")),
        (
            "csv",
            table.as_bytes().to_vec(),
            format!("{body}mass = 1\ninertia = [1, 1, 1]\n[[table]]\nname = \"l\"\nfile = \"f.csv\"\n"),
        ),
    ];
    let model = folder.path().join("model.toml");
    let mut refused = 0;
    for (ending, good, text) in cases {
        let file = folder.path().join(format!("f.{ending}"));
        fs::write(&model, &text).unwrap();
        fs::write(&file, &good).unwrap();
        let (whole, _) = poinsot_studies::load(&model, &[]).unwrap();
        assert!(poinsot_model::build(&whole).is_ok(), "{text}");
        assert_eq!(whole.files.len(), 1);
        for bad in damages(&good) {
            fs::write(&file, bad).unwrap();
            let read = poinsot_studies::load(&model, &[]).ok().map(|(model, _)| model);
            refused += usize::from(read.is_none_or(|model| poinsot_model::build(&model).is_err()));
        }
    }
    assert!(refused > 50, "{refused}");
}
