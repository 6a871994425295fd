//! The head of a `CONNECT` request, read strictly: what two readers could read differently is refused.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The longest head; clients send a few hundred bytes.
const LONGEST: usize = 8 << 10;

/// Where a client wants to go, and what it sent ahead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Lower case, without brackets or a trailing dot.
    pub(super) host: String,
    pub(super) port: u16,
    /// Bytes behind the head: the tunnel's first.
    pub(super) ahead: Vec<u8>,
}

/// Reads one head.
///
/// # Errors
/// The status line to answer with.
pub(super) async fn read(client: &mut (impl AsyncRead + Unpin)) -> Result<Request, &'static str> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let ahead = bytes.split_off(end + 4);
            let (host, port) = parse(&bytes)?;
            return Ok(Request { host, port, ahead });
        }
        if bytes.len() > LONGEST {
            return Err("431 Request Header Fields Too Large");
        }
        let mut chunk = [0_u8; 2048];
        match client.read(&mut chunk).await {
            Ok(0) | Err(_) => return Err("400 Bad Request"),
            Ok(length) => bytes.extend_from_slice(&chunk[..length]),
        }
    }
}

fn parse(head: &[u8]) -> Result<(String, u16), &'static str> {
    const BAD: &str = "400 Bad Request";
    let line = head.split(|byte| *byte == b'\r').next().and_then(|line| std::str::from_utf8(line).ok()).ok_or(BAD)?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next(), words.next().ok_or(BAD)?, words.next().ok_or(BAD)?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return Err(BAD);
    }
    if method != Some("CONNECT") {
        return Err("405 Method Not Allowed");
    }
    let (host, port) = target.rsplit_once(':').ok_or(BAD)?;
    let port: u16 = port.parse().map_err(|_| BAD)?;
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = bracketed.unwrap_or(host).trim_end_matches('.').to_ascii_lowercase();
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') || (c == ':' && bracketed.is_some());
    if host.is_empty() || port == 0 || !host.chars().all(plain) {
        return Err(BAD);
    }
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_connect_to_a_plain_authority_is_read() {
        let good = |line: &str| parse(format!("{line}\r\n\r\n").as_bytes());
        assert_eq!(good("CONNECT Example.ORG.:443 HTTP/1.1"), Ok(("example.org".to_owned(), 443)));
        assert_eq!(good("CONNECT [::1]:443 HTTP/1.1"), Ok(("::1".to_owned(), 443)));
        assert_eq!(good("GET http://example.org/ HTTP/1.1"), Err("405 Method Not Allowed"));
        for line in [
            "CONNECT example.org HTTP/1.1",
            "CONNECT u@example.org:443 HTTP/1.1",
            "CONNECT example.org:0 HTTP/1.1",
            "CONNECT example.org:99999 HTTP/1.1",
            "CONNECT exam\u{7f}ple.org:443 HTTP/1.1",
            "CONNECT a b:443 HTTP/1.1",
            "CONNECT a:443 SPDY/3",
        ] {
            assert_eq!(good(line), Err("400 Bad Request"), "{line}");
        }
    }

    #[tokio::test]
    async fn what_follows_the_head_is_kept() {
        let mut bytes: &[u8] = b"CONNECT a.b:1 HTTP/1.1\r\nX: y\r\n\r\nhello";
        assert_eq!(read(&mut bytes).await.unwrap().ahead, b"hello");
    }

    #[tokio::test]
    async fn an_endless_head_is_cut_off() {
        let bytes = vec![b'x'; 64 << 10];
        assert_eq!(read(&mut &bytes[..]).await, Err("431 Request Header Fields Too Large"));
    }
}
