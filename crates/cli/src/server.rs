//! The page and its data over HTTP, on this machine only.

use crate::http::{Reply, Request, accept};
use crate::progress::interrupted;
use poinsot_results::{
    FrameBlocks, Frames, Kept, Payload, ReportedRun, ResultsError, SignalBlocks, SignalTable, StoredRun,
    served_page,
};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;

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
            "amplitudes" => frames(4),
            "time" => Some(doubles(self.run.axis.values(self.table.as_ref()?))),
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
    page: &'static str,
    live: bool,
    shown: RwLock<Arc<Shown>>,
    changes: Mutex<u64>,
    changed: Condvar,
    listeners: AtomicUsize,
}

impl Site {
    /// A site with these runs; `live` if they may change.
    pub fn new(runs: Vec<ShownRun>, live: bool) -> Result<Site, ResultsError> {
        Ok(Site {
            page: served_page()?,
            live,
            shown: RwLock::new(Arc::new(shown(runs, live)?)),
            changes: Mutex::new(0),
            changed: Condvar::new(),
            listeners: AtomicUsize::new(0),
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

/// Answers until Ctrl-C, while `meanwhile` runs.
pub fn serve(listener: &TcpListener, site: &Arc<Site>, meanwhile: impl FnOnce()) {
    let site = site.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| accept(listener, move |request, page| answer(&request, page, &site)));
        meanwhile();
    });
}

fn answer(request: &Request, page: &mut TcpStream, site: &Site) -> io::Result<()> {
    let head_only = request.method == "HEAD";
    let reply = if !is_local(request) {
        Reply::text("403 Forbidden", "this server answers to 127.0.0.1 and localhost only")
    } else if request.method != "GET" && !head_only {
        Reply::text("405 Method Not Allowed", "only GET and HEAD").with("Allow", "GET, HEAD")
    } else if site.live && request.path == "/api/changes" && !head_only {
        return tell_changes(page, site);
    } else {
        let nothing = || Reply::text("404 Not Found", "there is nothing here");
        content(&request.path, site.page, &site.current()).unwrap_or_else(nothing)
    };
    reply.send(page, head_only)
}

/// Whether the request names this machine: a page of another site that lets its own name point here does not.
fn is_local(request: &Request) -> bool {
    let Some(host) = &request.host else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn content(path: &str, page: &'static str, shown: &Shown) -> Option<Reply> {
    let decoded = decode(path)?;
    let parts: Vec<&str> = decoded.strip_prefix('/')?.split('/').collect();
    let run = |k: &str| k.parse().ok().and_then(|k: usize| shown.runs.get(k));
    match parts[..] {
        // The page brings its own policy; that nobody shows it in a frame can only be said here.
        [""] => Some(
            Reply::bytes("text/html; charset=utf-8", page.as_bytes().to_vec())
                .with("Content-Security-Policy", "frame-ancestors 'none'"),
        ),
        ["api", "runs"] => Some(Reply::bytes("application/json", shown.payload.clone().into_bytes())),
        ["api", "run", k, part] => Some(Reply::bytes("application/octet-stream", run(k)?.part(part)?)),
        ["files", k, name] => {
            let file = run(k)?.file(name)?;
            let length = file.metadata().ok()?.len();
            // A page among the files may run, but not as a part of this site.
            let reply = Reply::new("200 OK", kind(name), file.take(length), length);
            Some(reply.with("Content-Security-Policy", "sandbox allow-scripts"))
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

/// Server-Sent Events: a word whenever something else is shown, until the page goes away.
fn tell_changes(page: &mut TcpStream, site: &Site) -> io::Result<()> {
    if site.listeners.fetch_add(1, Ordering::Relaxed) >= LISTENERS {
        site.listeners.fetch_sub(1, Ordering::Relaxed);
        return Reply::text("503 Service Unavailable", "too many pages are open").send(page, false);
    }
    let seen = *site.changes.lock().unwrap_or_else(PoisonError::into_inner);
    // What is written fails when the page has gone away: then it is over.
    let ended = follow_changes(page, site, seen);
    site.listeners.fetch_sub(1, Ordering::Relaxed);
    ended
}

fn follow_changes(page: &mut TcpStream, site: &Site, mut seen: u64) -> io::Result<()> {
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
