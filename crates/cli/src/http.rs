//! As much of HTTP/1.1 as a page on this machine needs: one request for each connection, heads of limited
//! length, no bodies of requests. A thread for each connection, so that one that says nothing keeps nobody
//! waiting.

use crate::progress::interrupted;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longest head of a request in bytes.
const HEAD: u64 = 16 << 10;
/// How long a request may take to arrive, and a part of an answer to be taken.
const READ: Duration = Duration::from_secs(10);
const WRITE: Duration = Duration::from_secs(30);
/// How often it is looked whether somebody has come, or whether it is over.
const PAUSE: Duration = Duration::from_millis(10);
/// Connections at once.
const CONNECTIONS: usize = 128;

/// What is asked for.
pub struct Request {
    /// GET, HEAD, …
    pub method: String,
    /// The path, without what follows a question mark.
    pub path: String,
    /// The value of the header `Host`, if there is exactly one.
    pub host: Option<String>,
}

/// What is answered.
pub struct Reply {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    content: Box<dyn Read>,
    length: u64,
}

impl Reply {
    /// Something to read, of a known length.
    pub fn new(status: &'static str, kind: &str, content: impl Read + 'static, length: u64) -> Reply {
        let headers = vec![
            ("Content-Type", kind.to_owned()),
            ("Cache-Control", "no-store".into()),
            ("X-Content-Type-Options", "nosniff".into()),
            ("Cross-Origin-Resource-Policy", "same-origin".into()),
        ];
        Reply { status, headers, content: Box::new(content), length }
    }

    /// Bytes.
    pub fn bytes(kind: &str, content: Vec<u8>) -> Reply {
        let length = content.len() as u64;
        Reply::new("200 OK", kind, io::Cursor::new(content), length)
    }

    /// A line of text.
    pub fn text(status: &'static str, message: &str) -> Reply {
        let content = format!("{message}\n").into_bytes();
        Reply { status, ..Reply::bytes("text/plain; charset=utf-8", content) }
    }

    /// With a header.
    pub fn with(mut self, name: &'static str, value: &str) -> Reply {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Sends it; of the answer to HEAD only the head.
    pub fn send(mut self, page: &mut TcpStream, head_only: bool) -> io::Result<()> {
        let mut head =
            format!("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n", self.status, self.length);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        page.write_all((head + "\r\n").as_bytes())?;
        if !head_only {
            io::copy(&mut self.content, page)?;
        }
        page.flush()
    }
}

/// Opens a port of this machine that nobody else can reach; 0 is any free one.
pub fn listen(port: u16) -> Result<(TcpListener, String), String> {
    let open = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok((listener, format!("http://127.0.0.1:{port}/")))
    };
    open().map_err(|error: io::Error| {
        format!("cannot listen on port {port}: {error}; give another --port, or none for a free one")
    })
}

/// Takes connections until Ctrl-C; `answer` gets each request and the connection to answer on.
pub fn accept(
    listener: &TcpListener,
    answer: impl Fn(Request, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) {
    let answer = Arc::new(answer);
    let open = Arc::new(AtomicUsize::new(0));
    while !interrupted() {
        let Ok((mut page, _)) = listener.accept() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let (answer, open) = (answer.clone(), open.clone());
        if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            // Closed at once: the page asks again.
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        std::thread::spawn(move || {
            // A page that goes away in the middle is no error.
            converse(&mut page, &*answer).ok();
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn converse(
    page: &mut TcpStream,
    answer: &impl Fn(Request, &mut TcpStream) -> io::Result<()>,
) -> io::Result<()> {
    page.set_nonblocking(false)?;
    page.set_read_timeout(Some(READ))?;
    page.set_write_timeout(Some(WRITE))?;
    match request(page)? {
        Some(request) => answer(request, page),
        None => Reply::text("400 Bad Request", "this is not a request").send(page, false),
    }
}

/// Reads the head of a request; none if it is not one.
fn request(page: &mut TcpStream) -> io::Result<Option<Request>> {
    let started = Instant::now();
    let mut head = vec![];
    let mut part = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = page.read(&mut part)?;
        if count == 0 || started.elapsed() > READ {
            return Err(ErrorKind::TimedOut.into());
        }
        head.extend(&part[..count]);
        if head.len() as u64 > HEAD {
            return Ok(None);
        }
    }
    Ok(parse(&String::from_utf8_lossy(&head)))
}

fn parse(head: &str) -> Option<Request> {
    let mut lines = head.split("\r\n");
    let words: Vec<&str> = lines.next()?.split(' ').collect();
    let [method, target, "HTTP/1.1" | "HTTP/1.0"] = words[..] else { return None };
    let path = target.split(['?', '#']).next()?.to_owned();
    let hosts =
        lines.filter_map(|line| line.split_once(':')).filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let hosts: Vec<String> = hosts.map(|(_, value)| value.trim().to_owned()).collect();
    let host = if hosts.len() == 1 { hosts.into_iter().next() } else { None };
    Some(Request { method: method.to_owned(), path, host })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_requests() {
        let request =
            parse("GET /a%20b?x=1 HTTP/1.1\r\nhost:  localhost:80 \r\nAccept: */*\r\n\r\n").unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/a%20b"));
        assert_eq!(request.host.as_deref(), Some("localhost:80"));
        assert_eq!(parse("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").unwrap().host, None);
        for bad in ["", "GET\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET / / HTTP/1.1\r\n\r\n"] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
