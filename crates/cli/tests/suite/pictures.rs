//! `poinsot render`, `poinsot plot`, VTK files and looks through the command.

use crate::common;

use common::{output, poinsot, with_model};
use std::path::Path;

/// A bar of steel turns about z at π rad/s: half a turn in a second. Its end is at (cos πt, sin πt, 0).
const TURN: &str = r##"
[model]
name = "Turn"
gravity = [0, 0, 0]
[[body]]
name = "bar"
shape = { type = "box", size = [1, 0.1, 0.1], density = 7800, position = [0.5, 0, 0] }
look = [
    { type = "box", size = [1, 0.1, 0.1], position = [0.5, 0, 0], color = "#808080" },
    { type = "sphere", radius = 0.12, position = [1, 0, 0], color = "red" },
]
angular_velocity = [0, 0, "pi"]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = [0, 0, 1]
[study]
end = 1
step = 1e-3
output_step = 0.01
[[signal]]
name = "tip_x"
value = "bar.position.x + cos(hinge.angle)"
unit = "m"
[[signal]]
name = "tip_y"
value = "sin(hinge.angle)"
unit = "m"
[[signal]]
name = "angle"
value = "hinge.angle"
"##;

fn run(text: &str, arguments: &[&str]) -> tempfile::TempDir {
    let folder = with_model(text);
    let all = [&["run", "model.toml", "--out", "r", "--quiet"], arguments].concat();
    let (code, _, err) = output(poinsot(folder.path()).args(all));
    assert_eq!(code, 0, "{err}");
    folder
}

/// Width, height and pixels of a PNG file.
fn png(path: &Path) -> (usize, usize, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(info.buffer_size());
    (info.width as usize, info.height as usize, pixels)
}

/// The middle of the red pixels.
fn red(width: usize, pixels: &[u8]) -> (f64, f64) {
    let is_red = |p: &[u8]| p[0] > 90 && p[1] < p[0] / 2 && p[2] < p[0] / 2;
    let found: Vec<usize> =
        pixels.chunks_exact(3).enumerate().filter(|(_, p)| is_red(p)).map(|(k, _)| k).collect();
    assert!(found.len() > 50, "{}", found.len());
    let mean = |of: fn(usize, usize) -> usize| {
        found.iter().map(|&k| of(k, width) as f64 + 0.5).sum::<f64>() / found.len() as f64
    };
    (mean(|k, w| k % w), mean(|k, w| k / w))
}

#[test]
fn the_ball_is_where_it_belongs() {
    let folder = run(TURN, &[]);
    let mut places = vec![];
    for at in ["0", "0.5", "1"] {
        let arguments = ["render", "r", "--at", at, "--out", "p.png", "--view", "top", "--size", "600x400"];
        let (code, out, err) = output(poinsot(folder.path()).args(arguments));
        assert!(code == 0 && out == "p.png: 600x400 pixels\n", "{out}{err}");
        let (width, height, pixels) = png(&folder.path().join("p.png"));
        assert_eq!((width, height), (600, 400));
        places.push(red(width, &pixels));
    }
    // From above: right, up, left of the hinge, at one distance. All of the motion is in the picture.
    let [(x0, y0), (x1, y1), (x2, y2)] = places[..] else { panic!() };
    assert!((y0 - y2).abs() < 1.0 && (x1 - 0.5 * (x0 + x2)).abs() < 1.0, "{places:?}");
    let (radius, up) = (0.5 * (x0 - x2), y0 - y1);
    assert!((radius - up).abs() < 1.0, "{places:?}");
    // From ball to ball, 2.24 m, the motion fills 84 % of 600 pixels; corners of its box stand out by 0.6 %.
    assert!((radius - 0.84 * 600.0 / 2.24).abs() < 2.0, "{radius}");
}

#[test]
fn movies_have_their_pictures() {
    let folder = run(TURN, &[]);
    let arguments = [
        "render", "r", "--out", "m.gif", "--from", "0.2", "--to", "0.7", "--fps", "10", "--speed", "0.25",
        "--size", "160x90", "--dark",
    ];
    let (code, out, err) = output(poinsot(folder.path()).args(arguments));
    assert!(code == 0 && out.contains("21 pictures of 160x90 pixels, 0.25 times real time"), "{out}{err}");
    let mut decoder = gif::DecodeOptions::new()
        .read_info(std::fs::File::open(folder.path().join("m.gif")).unwrap())
        .unwrap();
    assert_eq!((decoder.width(), decoder.height()), (160, 90));
    let (mut count, mut time) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        (count, time) = (count + 1, time + frame.delay);
    }
    assert_eq!((count, time), (21, 210));
    // Without ffmpeg the message names the remedy.
    let mut command = poinsot(folder.path());
    let (code, _, err) = output(command.args(["render", "r", "--out", "m.mp4"]).env("PATH", folder.path()));
    assert!(code == 2 && err.contains("need the program ffmpeg") && err.contains("write a .gif"), "{err}");
}

/// A program in the place of ffmpeg counts what it is given.
#[cfg(unix)]
#[test]
fn ffmpeg_gets_every_picture() {
    use std::os::unix::fs::PermissionsExt;
    let folder = run(TURN, &[]);
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let script = bin.join("ffmpeg");
    std::fs::write(&script, "#!/bin/sh\necho \"$@\" > said.txt\nwc -c > counted.txt\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    for (file, code) in [("m.mp4", "libx264"), ("m.webm", "libvpx-vp9")] {
        let mut command = poinsot(folder.path());
        command
            .args(["render", "r", "--out", file, "--fps", "5", "--speed", "1", "--size", "64x48"])
            .env("PATH", &path);
        let (status, out, err) = output(&mut command);
        assert!(status == 0 && out.contains("6 pictures"), "{out}{err}");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("counted.txt").trim(), (6 * 64 * 48 * 3).to_string());
        assert!(
            read("said.txt").contains(code)
                && read("said.txt").contains("-s 64x48 -r 5")
                && read("said.txt").trim().ends_with(file)
        );
    }
    std::fs::write(&script, "#!/bin/sh\necho 'no such codec' >&2\nexit 1\n").unwrap();
    let mut command = poinsot(folder.path());
    let (code, _, err) = output(command.args(["render", "r", "--out", "m.mp4"]).env("PATH", &path));
    assert!(code == 2 && err.contains("ffmpeg failed: no such codec"), "{err}");
}

#[test]
fn bad_wishes_are_refused() {
    let folder = run(TURN, &[]);
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for (arguments, said) in [
        (&["render", "nowhere"][..], "there is no folder `nowhere`"),
        (&["render", "empty"], "is not a folder of results"),
        (&["render", "r", "--at", "2"], "--at 2: the results go from 0 to 1"),
        (&["render", "r", "--out", "p.bmp"], "must end with .png, .gif, .mp4 or .webm"),
        (&["render", "r", "--size", "10x10"], "each side must be from 16 to 8192"),
        (&["render", "r", "--size", "wide"], "is not of the form 1280x720"),
        (&["render", "r", "--out", "m.gif", "--speed", "0"], "--speed must be a positive number"),
        (&["render", "r", "--out", "m.gif", "--speed", "1e-9"], "raise --speed"),
        (&["render", "r", "--out", "m.gif", "--from", "3"], "the results go from 0 to 1"),
        (&["render", "r", "--mode", "1"], "has no modes: give a result of `poinsot modes`"),
        (&["plot", "nowhere", "x"], "there is no folder `nowhere`"),
        (&["plot", "r", "angel"], "there is no signal `angel`; did you mean `angle`?"),
        (&["plot", "r", "qqqq*"], "there is no signal `qqqq*`; `poinsot plot r` lists them"),
        (&["plot", "r", "angle", "--against", "tip_z"], "there is no signal `tip_z`; did you mean `tip_x`?"),
        (&["plot", "r", "angle", "--out", "p.pdf"], "must end with .svg or .png"),
        (&["plot", "r", "angle", "--from", "5"], "no sample between"),
        (&["run", "model.toml", "--open"], "--port and --open are for --watch"),
    ] {
        let (code, _, err) = output(poinsot(folder.path()).args(arguments));
        assert!(code == 2 && err.contains(said), "{arguments:?}: {err}");
    }
}

#[test]
fn modes_are_animated() {
    // A mass on a spring of 39.478 N/m oscillates with 1 Hz along x.
    let text = r#"
[model]
name = "Oscillator"
gravity = [0, 0, 0]
[[body]]
name = "mass"
type = "point"
mass = 1
position = [1, 0, 0]
look = { type = "sphere", radius = 0.1, color = "red" }
[[joint]]
name = "line"
type = "point_on_line"
between = ["ground", "mass"]
at = [1, 0, 0]
axis = [1, 0, 0]
[[force]]
name = "spring"
type = "spring"
between = ["ground", "mass"]
stiffness = "4*pi^2"
length = 1
"#;
    let folder = with_model(text);
    let (code, _, err) =
        output(poinsot(folder.path()).args(["modes", "model.toml", "--out", "r", "--quiet"]));
    assert_eq!(code, 0, "{err}");
    let mut places = vec![];
    for at in ["0", "0.25", "0.5"] {
        let arguments = [
            "render", "r", "--mode", "1", "--at", at, "--view", "front", "--out", "p.png", "--size",
            "400x300",
        ];
        let (code, _, err) = output(poinsot(folder.path()).args(arguments));
        assert_eq!(code, 0, "{err}");
        let (width, _, pixels) = png(&folder.path().join("p.png"));
        places.push(red(width, &pixels).0);
    }
    // Out, through the middle, and as far back.
    assert!(
        (places[0] - 2.0 * places[1] + places[2]).abs() < 1.5 && (places[0] - places[2]).abs() > 20.0,
        "{places:?}"
    );
    let (code, out, err) = output(
        poinsot(folder.path()).args(["render", "r", "--mode", "1", "--out", "m.gif", "--size", "64x48"]),
    );
    assert!(code == 0 && out.contains("40 pictures"), "{out}{err}");
    let (code, _, err) = output(poinsot(folder.path()).args(["render", "r", "--mode", "7"]));
    assert!(code == 2 && err.contains("has the modes 1 to 1, but not 7"), "{err}");
}

#[test]
fn signals_are_listed_and_plotted() {
    let folder = run(TURN, &[]);
    let at = |name: &str| folder.path().join(name);
    let (code, out, _) = output(poinsot(folder.path()).args(["plot", "r"]));
    assert_eq!((code, out.as_str()), (0, "tip_x  m\ntip_y  m\nangle  rad\n"));
    let (code, out, err) = output(poinsot(folder.path()).args(["plot", "r", "tip_*", "angle"]));
    assert!(code == 0 && out == "r.svg: tip_x, tip_y, angle\n", "{out}{err}");
    let svg = std::fs::read_to_string(at("r.svg")).unwrap();
    for text in ["Turn", "tip_x", "tip_y", "[m]", "angle [rad]", "time [s]"] {
        assert!(svg.contains(text), "{text}");
    }
    // The same as pixels, at twice the size.
    let (code, _, err) =
        output(poinsot(folder.path()).args(["plot", "r", "tip_y", "--against", "tip_x", "--out", "p.png"]));
    assert_eq!(code, 0, "{err}");
    let bytes = std::fs::read(at("p.png")).unwrap();
    assert_eq!(u32::from_be_bytes(bytes[16..20].try_into().unwrap()), 1800);
    // Two runs in one picture.
    let (code, _, err) = output(poinsot(folder.path()).args([
        "run",
        "model.toml",
        "--out",
        "slow/r",
        "--quiet",
        "--until",
        "0.5",
    ]));
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = output(
        poinsot(folder.path()).args(["plot", "r", "slow/r", "angle", "--out", "two.svg", "--from", "0.2"]),
    );
    assert!(code == 0 && out == "two.svg: angle, r, angle, r 2\n", "{out}{err}");
}

/// The numbers of the first array of a name in a VTK file.
fn floats(text: &str, name: &str) -> Vec<f32> {
    let from = text.find(&format!("Name=\"{name}\"")).unwrap();
    let content = text[from..].split('>').nth(1).unwrap().split('<').next().unwrap();
    let bytes = base64(content);
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    assert_eq!(length, bytes.len() - 4);
    bytes[4..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn base64(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |c: u8| alphabet.iter().position(|a| *a == c).unwrap_or(0) as u32;
    let mut bytes = vec![];
    for group in text.as_bytes().chunks_exact(4) {
        let word = group.iter().fold(0, |word, c| word << 6 | value(*c));
        let count = 3 - group.iter().filter(|c| **c == b'=').count();
        bytes.extend(&word.to_be_bytes()[1..1 + count]);
    }
    bytes
}

#[test]
fn vtk_files_hold_the_motion() {
    let folder = run(TURN, &["--vtk"]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let list = read("r/vtk/motion.pvd");
    assert_eq!(list.matches("<DataSet").count(), 2 * 101);
    assert!(list.contains(r#"part="0" name="bodies" file="bodies_00100.vtp""#));
    // At t = 0.5 the bar points along y: its x axis is there.
    let frames = read("r/vtk/frames_00050.vtp");
    let axis = floats(&frames, "x_axis");
    assert!(axis[0].abs() < 1e-5 && (axis[1] - 1.0).abs() < 1e-5, "{axis:?}");
    // The pull of the hinge at the end of it is m ω² r = 78·π²·0.5 towards itself.
    let force = floats(&frames, "force");
    assert!((force[4] + 39.0 * 9.869604).abs() < 0.01 * 385.0, "{force:?}");
    // The surface: 12 triangles of the box and the ball at (0, 1, 0).
    let points = floats(&read("r/vtk/bodies_00050.vtp"), "Points");
    let high = points.chunks_exact(3).map(|p| p[1]).fold(f32::MIN, f32::max);
    assert!((high - 1.12).abs() < 1e-3, "{high}");
    let (code, out, err) =
        output(poinsot(folder.path()).args(["render", "r", "--vtk", "v", "--from", "0.5", "--to", "0.6"]));
    assert!(code == 0 && out.contains("v/motion.pvd: 11 frames for ParaView"), "{out}{err}");
    assert!(read("v/motion.pvd").contains("timestep=\"0.5\""));
}

#[test]
fn looks_are_in_the_scene() {
    let text = TURN.replace(
        "[study]",
        r##"[ground]
look = { type = "cylinder", radius = 0.2, length = 0.1, position = [0, 0, -0.2] }
color = "SlateGray"
[[body]]
name = "ghost"
type = "point"
mass = 1
look = "none"
[[body]]
name = "bob"
type = "point"
mass = 1
color = "gold"
[[beam]]
name = "mast"
from = [0, 0, 1]
to = [0, 0, 2]
elements = 2
order = 1
section = { type = "i", width = 0.04, height = 0.06, web = 0.004, flange = 0.006, young = 2e11, density = 7800 }
color = "#123456"
[study]"##,
    );
    let folder = run(&text, &["--until", "0.01"]);
    let scene = std::fs::read_to_string(folder.path().join("r/scene.json")).unwrap();
    assert!(
        scene.contains(r##""ground":[{"type":"cylinder","radius":0.2,"length":0.1"##)
            && scene.contains("#708090"),
        "{scene}"
    );
    assert!(
        scene.contains(r#"{"name":"ghost","kind":"point","centre":[0.0,0.0,0.0],"shapes":[]}"#),
        "{scene}"
    );
    assert!(
        scene.contains(r##""color":"#ffd700","derived":true"##) && scene.contains(r##""color":"#ff0000""##)
    );
    // The I-section: twelve corners, none of the equivalent rectangle.
    let from = scene.find(r#""outline":"#).unwrap();
    let outline = scene[from..].split("]]").next().unwrap();
    assert_eq!(outline.matches("],[").count(), 11);
    assert!(outline.contains("[0.02,0.03]") && outline.contains("[-0.002,0.024]"), "{outline}");
    assert!(scene.contains(r##""color":"#123456""##));
}

#[test]
fn wheels_and_balls_look_like_themselves() {
    let text = r#"
[[body]]
name = "wheel"
mass = 1
inertia = [0.02, 0.04, 0.02]
position = [0, 0, 0.3]
velocity = [1, 0, 0]
angular_velocity = [0, "1/0.3", 0]
[[body]]
name = "ball"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0, 1, 0.1]
[[joint]]
name = "disk"
type = "rolling_disk"
between = ["ground", "wheel"]
radius = 0.3
at = [0, 0, 0]
normal = [0, 0, 1]
axle = [0, 1, 0]
[[joint]]
name = "roll"
type = "rolling_ball"
between = ["ground", "ball"]
radius = 0.1
at = [0, 0, 0]
normal = [0, 0, 1]
[study]
end = 0.1
"#;
    let folder = run(text, &[]);
    let scene = std::fs::read_to_string(folder.path().join("r/scene.json")).unwrap();
    assert!(scene.contains(r#""type":"tube","outer":0.3,"inner":0.258,"length":0.036"#), "{scene}");
    assert_eq!(scene.matches(r#""type":"capsule","radius":0.009,"length":0.54"#).count(), 2, "{scene}");
    assert!(scene.contains(r#""type":"sphere","radius":0.1,"#), "{scene}");
}
