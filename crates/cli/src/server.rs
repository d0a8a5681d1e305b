//! The page and its data over HTTP, on this machine only.

use crate::progress::interrupted;
use poinsot_results::{
    FrameBlocks, Frames, Kept, Payload, ReportedRun, ResultsError, SignalBlocks, SignalTable, StoredRun,
    served_page,
};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// Threads that answer.
const THREADS: usize = 4;
/// How often they look whether it is over.
const PAUSE: Duration = Duration::from_millis(150);
/// A word to a page that waits, so that a dead connection is noticed.
const STILL_HERE: Duration = Duration::from_secs(10);
/// Pages that may wait for changes at once.
const LISTENERS: usize = 32;

/// A run that is shown.
pub struct ShownRun {
    run: ReportedRun,
    frames: Option<Frames>,
    table: Option<SignalTable>,
    /// The folder and the names of its files.
    files: Option<(PathBuf, Vec<String>)>,
}

impl ShownRun {
    /// A run without files.
    pub fn bare(run: ReportedRun) -> ShownRun {
        ShownRun { run, frames: None, table: None, files: None }
    }

    /// A run of a folder.
    pub fn stored(stored: StoredRun) -> ShownRun {
        let StoredRun { folder, run, frames, table, files, .. } = stored;
        ShownRun { run, frames, table, files: Some((folder, files)) }
    }

    /// What the page shows of it as the k-th run: the full data where they are.
    fn reported(&self, k: usize) -> ReportedRun {
        let at = |part: &str| format!("api/run/{k}/{part}");
        let mut run = self.run.clone();
        let whole = |n: usize| [n, n];
        if let Some(frames) = &self.frames {
            run.frames = Some(FrameBlocks::served(frames, at));
            run.kept = Kept { frames: whole(frames.len()), ..run.kept };
        }
        if let Some(table) = &self.table {
            run.signals = SignalBlocks::served(table, at).or(run.signals);
            run.kept = Kept { signals: whole(table.len()), ..run.kept };
        }
        run
    }

    /// A part of the data, little-endian.
    fn part(&self, name: &str) -> Option<Vec<u8>> {
        let doubles = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let frames =
            |part: usize| Some(self.frames.as_ref()?.part(part).flat_map(f32::to_le_bytes).collect());
        match name {
            "axis" => Some(doubles(self.frames.as_ref()?.axis())),
            "poses" => frames(0),
            "reactions" => frames(1),
            "loads" => frames(2),
            "resultants" => frames(3),
            "time" => Some(doubles(self.table.as_ref()?.time())),
            "signals" => {
                let table = self.table.as_ref()?;
                let columns = (0..table.columns().len()).filter_map(|c| table.samples(c));
                Some(columns.flatten().flat_map(|x| x.to_le_bytes()).collect())
            }
            _ => None,
        }
    }

    /// A file that the summary lists and that lies in the folder itself: a link to elsewhere does not count.
    fn file(&self, name: &str) -> Option<File> {
        let (folder, names) = self.files.as_ref()?;
        names.iter().find(|known| *known == name)?;
        let folder = folder.canonicalize().ok()?;
        let path = folder.join(name).canonicalize().ok()?;
        (path.parent() == Some(folder.as_path()) && path.is_file()).then(|| File::open(path).ok())?
    }
}

/// What is shown.
struct Shown {
    runs: Vec<ShownRun>,
    payload: String,
}

/// What is served, and who is told when it changes.
pub struct Site {
    live: bool,
    shown: RwLock<Arc<Shown>>,
    changes: Mutex<u64>,
    changed: Condvar,
    listeners: Mutex<usize>,
}

impl Site {
    /// A site with these runs; `live` if they may change.
    pub fn new(runs: Vec<ShownRun>, live: bool) -> Result<Site, ResultsError> {
        Ok(Site {
            live,
            shown: RwLock::new(Arc::new(shown(runs, live)?)),
            changes: Mutex::new(0),
            changed: Condvar::new(),
            listeners: Mutex::new(0),
        })
    }

    /// Shows other runs and tells the pages.
    pub fn show(&self, runs: Vec<ShownRun>) -> Result<(), ResultsError> {
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(shown(runs, self.live)?);
        *self.changes.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
        Ok(())
    }

    fn current(&self) -> Arc<Shown> {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn shown(runs: Vec<ShownRun>, live: bool) -> Result<Shown, ResultsError> {
    let mut reported: Vec<ReportedRun> = runs.iter().enumerate().map(|(k, run)| run.reported(k)).collect();
    let folders: Vec<_> =
        runs.iter().map(|run| run.files.as_ref().and_then(|(folder, _)| folder.file_name())).collect();
    let names: Vec<String> = reported.iter().map(|run| run.name.clone()).collect();
    let mut taken: Vec<String> = vec![];
    for (k, run) in reported.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == run.name).count() > 1
            && let Some(folder) = folders[k]
        {
            run.name = format!("{} ({})", run.name, folder.to_string_lossy());
        }
        let plain = run.name.clone();
        let mut number = 1;
        while taken.contains(&run.name) {
            number += 1;
            run.name = format!("{plain} {number}");
        }
        taken.push(run.name.clone());
    }
    let mut payload = Payload::new(reported);
    payload.live = live;
    Ok(Shown { runs, payload: payload.json()? })
}

/// Opens a port of this machine that nobody else can reach; 0 is any free one.
pub fn listen(port: u16) -> Result<(Server, String), String> {
    let server = Server::http(("127.0.0.1", port)).map_err(|error| {
        format!("cannot listen on port {port}: {error}; give another --port, or none for a free one")
    })?;
    let port = server.server_addr().to_ip().map_or(port, |address| address.port());
    Ok((server, format!("http://127.0.0.1:{port}/")))
}

/// Answers until Ctrl-C, while `meanwhile` runs.
pub fn serve(server: &Server, site: &Arc<Site>, meanwhile: impl FnOnce()) {
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while !interrupted() {
                    if let Ok(Some(request)) = server.recv_timeout(PAUSE) {
                        answer(request, site);
                    }
                }
            });
        }
        meanwhile();
    });
}

/// An answer: status, type, content and its length.
type Reply = Response<Box<dyn Read + Send>>;

fn answer(request: Request, site: &Arc<Site>) {
    let path = request.url().split(['?', '#']).next().unwrap_or_default().to_owned();
    let allowed = is_local(&request) && matches!(request.method(), Method::Get | Method::Head);
    if allowed && site.live && path == "/api/changes" && *request.method() == Method::Get {
        return tell_changes(request, site.clone());
    }
    let reply = if !is_local(&request) {
        text(403, "this server answers to 127.0.0.1 and localhost only")
    } else if !matches!(request.method(), Method::Get | Method::Head) {
        with(text(405, "only GET and HEAD"), "Allow", "GET, HEAD")
    } else {
        content(&path, &site.current()).unwrap_or_else(|| text(404, "there is nothing here"))
    };
    // A page that has gone away is no error.
    request.respond(reply).ok();
}

/// Whether the request names this machine: a page of another site that lets its own name point here does not.
fn is_local(request: &Request) -> bool {
    let mut hosts = request.headers().iter().filter(|header| header.field.equiv("Host"));
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let host = host.value.as_str();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn content(path: &str, shown: &Shown) -> Option<Reply> {
    let decoded = decode(path)?;
    let parts: Vec<&str> = decoded.strip_prefix('/')?.split('/').collect();
    let run = |k: &str| k.parse().ok().and_then(|k: usize| shown.runs.get(k));
    match parts[..] {
        [""] => Some(bytes(served_page().as_bytes().to_vec(), "text/html; charset=utf-8")),
        ["api", "runs"] => Some(bytes(shown.payload.clone().into_bytes(), "application/json")),
        ["api", "run", k, part] => Some(bytes(run(k)?.part(part)?, "application/octet-stream")),
        ["files", k, name] => {
            let file = run(k)?.file(name)?;
            let length = file.metadata().ok()?.len() as usize;
            // A page among the files may run, but not as a part of this site.
            let reply = reply(200, kind(name), Box::new(file), length);
            Some(with(reply, "Content-Security-Policy", "sandbox allow-scripts"))
        }
        _ => None,
    }
}

/// The text of a path with its %xx; none if it is no text.
fn decode(path: &str) -> Option<String> {
    let mut bytes = vec![];
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn kind(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn bytes(content: Vec<u8>, kind: &str) -> Reply {
    let length = content.len();
    reply(200, kind, Box::new(std::io::Cursor::new(content)), length)
}

fn text(status: u16, message: &str) -> Reply {
    let content = format!("{message}\n").into_bytes();
    let length = content.len();
    reply(status, "text/plain; charset=utf-8", Box::new(std::io::Cursor::new(content)), length)
}

fn reply(status: u16, kind: &str, content: Box<dyn Read + Send>, length: usize) -> Reply {
    let reply = Response::new(StatusCode(status), vec![], content, Some(length), None);
    let reply = with(reply.with_chunked_threshold(usize::MAX), "Content-Type", kind);
    let reply = with(with(reply, "Cache-Control", "no-store"), "X-Content-Type-Options", "nosniff");
    with(reply, "Cross-Origin-Resource-Policy", "same-origin")
}

fn with(reply: Reply, name: &str, value: &str) -> Reply {
    match Header::from_bytes(name, value) {
        Ok(header) => reply.with_header(header),
        Err(()) => reply,
    }
}

/// Server-Sent Events: a word whenever something else is shown, until the page goes away.
fn tell_changes(request: Request, site: Arc<Site>) {
    {
        let mut listeners = site.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if *listeners >= LISTENERS {
            request.respond(text(503, "too many pages are open")).ok();
            return;
        }
        *listeners += 1;
    }
    let seen = *site.changes.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::spawn(move || {
        // What is written fails when the page has gone away: then it is over.
        follow_changes(&mut *request.into_writer(), &site, seen).ok();
        *site.listeners.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    });
}

fn follow_changes(page: &mut dyn Write, site: &Site, mut seen: u64) -> std::io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    page.write_all(head.as_bytes())?;
    page.write_all(b"retry: 1000\n\n")?;
    page.flush()?;
    while !interrupted() {
        let now = {
            let changes = site.changes.lock().unwrap_or_else(PoisonError::into_inner);
            let same = |changes: &mut u64| *changes == seen && !interrupted();
            *site
                .changed
                .wait_timeout_while(changes, STILL_HERE, same)
                .unwrap_or_else(PoisonError::into_inner)
                .0
        };
        let word = if now == seen {
            ": still here\n\n".to_owned()
        } else {
            format!("event: changed\ndata: {now}\n\n")
        };
        page.write_all(word.as_bytes())?;
        page.flush()?;
        seen = now;
    }
    Ok(())
}
