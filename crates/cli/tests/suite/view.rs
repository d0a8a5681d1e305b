//! `poinsot view` and `poinsot run --watch`: the page and its data over HTTP.

use crate::common;

use common::{output, poinsot, with_model};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A ball falls for a second; free fall is z = −g t²/2.
const FALL: &str = r#"
[model]
name = "Fall"
[[body]]
name = "ball"
type = "point"
mass = 2
[study]
end = 1
step = 0.01
[[signal]]
name = "height"
value = "ball.position.z"
"#;

/// A folder with the results `a` and `b` of two runs.
fn results() -> tempfile::TempDir {
    let folder = with_model(FALL);
    for out in ["a", "b"] {
        let (code, _, err) =
            output(poinsot(folder.path()).args(["run", "model.toml", "--out", out, "--quiet"]));
        assert_eq!(code, 0, "{err}");
    }
    folder
}

/// A server that ends when it is dropped.
struct Server {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    port: u16,
}

impl Server {
    fn start(folder: &Path, arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_poinsot"))
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("http://127.0.0.1:") {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "it ended without an address");
        }
        let port = line.split("127.0.0.1:").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
        Server { child, out, port }
    }

    /// Status, head and body of an answer.
    fn ask(&self, method: &str, path: &str, host: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let host = if host.is_empty() { String::new() } else { format!("Host: {host}\r\n") };
        write!(stream, "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n\r\n").unwrap();
        let mut answer = vec![];
        stream.read_to_end(&mut answer).unwrap();
        let place = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..place]).into_owned();
        let status = head.split(' ').nth(1).unwrap_or("0").parse().unwrap();
        (status, head, answer[(place + 4).min(answer.len())..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let (status, _, body) = self.ask("GET", path, &format!("127.0.0.1:{}", self.port));
        (status, body)
    }

    fn runs(&self) -> String {
        String::from_utf8(self.get("/api/runs").1).unwrap()
    }

    fn doubles(&self, path: &str) -> Vec<f64> {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}");
        body.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    }

    /// Ctrl-C; gives the exit code and what stood on standard error.
    #[cfg(unix)]
    fn interrupt(&mut self) -> (Option<i32>, String) {
        self.signal("-INT")
    }

    #[cfg(unix)]
    fn signal(&mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (self.child.wait().unwrap().code(), err)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn all_routes_answer_with_the_full_data() {
    let folder = results();
    let server = Server::start(folder.path(), &["view", "a", "b"]);
    let (status, page) = server.get("/");
    assert!(status == 200 && page.starts_with(b"<!doctype html"));
    let runs = server.runs();
    for part in [
        r#""format":"poinsot-report","version":1"#,
        r#""name":"Fall (a)""#,
        r#""name":"Fall (b)""#,
        r#""url":"api/run/1/poses""#,
        r#""shape":[101,1,7]"#,
        r#""kept":{"frames":[101,101],"signals":[101,101]}"#,
    ] {
        assert!(runs.contains(part), "{part} in {runs}");
    }
    let time = server.doubles("/api/run/0/axis");
    assert!(time.len() == 101 && (time[100] - 1.0).abs() < 1e-12);
    assert_eq!(server.doubles("/api/run/1/time"), time);
    let height = server.doubles("/api/run/0/signals");
    let (_, poses) = server.get("/api/run/0/poses");
    assert_eq!(poses.len(), 101 * 7 * 4);
    for k in 0..=100 {
        let want = -0.5 * 9.81 * time[k] * time[k];
        assert!((height[k] - want).abs() < 1e-12, "{k} {}", height[k]);
        let z = f32::from_le_bytes(poses[28 * k + 8..28 * k + 12].try_into().unwrap());
        assert!((f64::from(z) - want).abs() < 1e-6, "{k} {z}");
    }
    // Nothing of these is in the model: empty, but there.
    for part in ["reactions", "loads", "resultants"] {
        assert_eq!(server.get(&format!("/api/run/0/{part}")), (200, vec![]));
    }
    let (status, body) = server.get("/files/1/signals.svg");
    assert_eq!((status, body), (200, std::fs::read(folder.path().join("b/signals.svg")).unwrap()));
    let (status, head, body) = server.ask("HEAD", "/files/0/scene.json", "localhost");
    assert!(status == 200 && body.is_empty() && head.to_lowercase().contains("content-length: "), "{head}");
    assert!(head.contains("application/json") && head.contains("sandbox"), "{head}");
}

#[test]
fn everything_else_is_refused() {
    let folder = results();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    std::fs::write(folder.path().join("a/private.txt"), "secret").unwrap();
    // A file of the list becomes a link to elsewhere, and the summary lists what lies outside.
    #[cfg(unix)]
    {
        std::fs::remove_file(folder.path().join("a/energy.svg")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.txt"), folder.path().join("a/energy.svg"))
            .unwrap();
    }
    let summary = folder.path().join("a/summary.json");
    let text = std::fs::read_to_string(&summary).unwrap();
    let text =
        text.replacen("\"files\": [", "\"files\": [{\"name\": \"../secret.txt\", \"description\": \"\"},", 1);
    std::fs::write(&summary, text).unwrap();
    let server = Server::start(folder.path(), &["view", "a", "b"]);
    for path in [
        "/files/0/../secret.txt",
        "/files/0/..%2fsecret.txt",
        "/files/0/%2e%2e%2fsecret.txt",
        "/files/0/%2e%2e/secret.txt",
        "/files/0/..%5csecret.txt",
        "/files/0//etc/passwd",
        "/files/0/%2fetc%2fpasswd",
        "/files/0/private.txt",
        "/files/0/energy.svg",
        "/files/0/scene.json%00",
        "/files/0/.poinsot-files",
        "/files/0/",
        "/files/2/summary.json",
        "/files/-1/summary.json",
        "/../secret.txt",
        "/api/run/0/secret",
        "/api/run/9/axis",
        "/api/changes",
        "/api",
        "/%",
        "/%zz",
        "/a/summary.json",
    ] {
        let (status, body) = server.get(path);
        assert_eq!(status, 404, "{path} {}", String::from_utf8_lossy(&body));
        assert!(!body.windows(6).any(|w| w == b"secret"), "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let (status, head, _) = server.ask(method, "/", "localhost");
        assert!(status == 405 && head.contains("Allow: GET, HEAD"), "{method} {head}");
    }
    // Names that another site could let point here.
    for host in [
        "",
        "example.org",
        "example.org:80",
        "127.0.0.1.example.org",
        "localhost.example.org:1",
        "0.0.0.0",
        "[::1].x",
    ] {
        let (status, _, body) = server.ask("GET", "/api/runs", host);
        assert_eq!(status, 403, "{host}");
        assert!(!body.windows(4).any(|w| w == b"Fall"));
    }
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1", "[::1]:99"] {
        assert_eq!(server.ask("GET", "/api/runs", host).0, 200, "{host}");
    }
}

#[test]
fn many_ask_at_once() {
    let folder = results();
    let server = Server::start(folder.path(), &["view", "a"]);
    // Connections that say nothing keep nobody waiting.
    let _silent: Vec<_> = (0..8).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..16).map(|_| scope.spawn(|| server.get("/api/run/0/poses").1.len())).collect();
        assert!(asked.into_iter().all(|a| a.join().unwrap() == 101 * 28));
    });
}

#[test]
fn damaged_results_are_named_and_the_others_shown() {
    let folder = results();
    let cut = |name: &str| {
        let path = folder.path().join(name);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    };
    cut("a/motion.parquet");
    let mut server = Server::start(folder.path(), &["view", "a", "b"]);
    let runs = server.runs();
    // The page has to do with what the report holds.
    assert!(
        runs.contains("motion.parquet")
            && runs.contains("Run the model again")
            && runs.contains(r#""data":""#)
    );
    assert_eq!(server.get("/api/run/0/poses").0, 404);
    assert_eq!(server.get("/api/run/1/poses").0, 200);
    #[cfg(unix)]
    {
        let (code, err) = server.interrupt();
        assert!(
            code == Some(0) && err.contains("a/motion.parquet") && err.contains("Run the model again"),
            "{err}"
        );
    }
    cut("a/report.html");
    let mut server = Server::start(folder.path(), &["view", "a", "b"]);
    let runs = server.runs();
    assert!(runs.contains(r#""status":"failed""#) && runs.contains("a/report.html"), "{runs}");
    assert!(runs.contains(r#""name":"Fall""#) && server.get("/api/run/1/poses").0 == 200);
    #[cfg(unix)]
    assert!(server.interrupt().1.contains("is not a report: it is cut short. Run the model again"));
    // Nothing to show at all.
    let (code, _, err) = output(poinsot(folder.path()).args(["view", "a"]));
    assert!(code == 2 && err.contains("a/report.html"), "{err}");
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = results();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for (name, said) in [
        ("nowhere", "there is no folder `nowhere`"),
        ("empty", "`empty` is not a folder of results: give one that `poinsot run` has written"),
        ("model.toml", "`model.toml` exists and is not a folder"),
    ] {
        let (code, _, err) = output(poinsot(folder.path()).args(["view", name]));
        assert!(code == 2 && err.contains(said), "{err}");
    }
    // A port that is taken.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, _, err) = output(poinsot(folder.path()).args(["view", "a", "--port", &port]));
    assert!(code == 2 && err.contains(&format!("cannot listen on port {port}")), "{err}");
}

#[cfg(unix)]
#[test]
fn it_ends_cleanly() {
    let folder = results();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut server = Server::start(folder.path(), &["view", "a"]);
        assert_eq!(server.get("/").0, 200);
        let (code, err) = server.signal(signal);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{signal}");
        assert!(TcpStream::connect(("127.0.0.1", server.port)).is_err());
    }
}

/// Waits until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(unix)]
#[test]
fn watch_follows_the_model_file() {
    let folder = with_model(FALL);
    let model = folder.path().join("model.toml");
    let mut server = Server::start(folder.path(), &["run", "model.toml", "--watch", "--quiet"]);
    let runs = server.runs();
    assert!(runs.contains(r#""live":true"#) && runs.contains(r#""status":"completed""#), "{runs}");
    // A page that waits for changes.
    let mut page = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    write!(page, "GET /api/changes HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(page.try_clone().unwrap()).lines();
    let mut next = |wanted: &str| {
        let found = lines.by_ref().map(|line| line.unwrap()).find(|line| line.starts_with(wanted));
        assert!(found.is_some(), "{wanted}");
    };
    next("Content-Type: text/event-stream");
    next("retry: ");
    // An error is shown with the last good run, and does not end it.
    std::fs::write(&model, FALL.replace("mass = 2", "mass = -2")).unwrap();
    next("event: changed");
    let runs = server.runs();
    assert!(
        runs.contains("the mass of `ball` must be positive, but is -2")
            && runs.contains(r#""status":"failed""#)
    );
    assert!(runs.contains("the page follows") && runs.contains(r#""scene":{"#), "{runs}");
    // Put right, and with another end.
    std::fs::write(&model, FALL.replace("end = 1", "end = 2")).unwrap();
    next("event: changed");
    until("the new run", || server.runs().contains(r#""shape":[201]"#));
    assert!((server.doubles("/api/run/0/axis")[200] - 2.0).abs() < 1e-12);
    let (code, err) = server.interrupt();
    assert_eq!(code, Some(0));
    assert!(
        err.contains("must be positive") && err.contains("model.toml has changed: running again"),
        "{err}"
    );
    let mut rest = String::new();
    server.out.read_to_string(&mut rest).unwrap();
}

#[cfg(unix)]
#[test]
fn watch_follows_the_files_of_the_model_too() {
    let text = FALL.replace("mass = 2", "mass = 2\nlook = { type = \"mesh\", file = \"ball.obj\" }");
    let folder = with_model(&text);
    // The mesh is not there yet: the page says so and waits.
    let mut server = Server::start(folder.path(), &["run", "model.toml", "--watch", "--quiet"]);
    assert!(server.runs().contains("ball.obj"));
    std::fs::write(folder.path().join("ball.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    until("the run with the mesh", || server.runs().contains(r#""type":"mesh""#));
    assert_eq!(server.interrupt().0, Some(0));
}
