//! Output of a command: the first and the last bytes are kept, all of it is read, so that nobody waits on us.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// What was kept of one stream.
#[derive(Debug, Default)]
pub(super) struct Captured {
    /// The bytes; where some were cut from the middle, a line says how many.
    pub(super) bytes: Vec<u8>,
    /// Whether some were.
    pub(super) cut: bool,
}

/// Reads `stream` to its end and keeps at most `limit` bytes of it.
pub(super) async fn drain(mut stream: impl AsyncRead + Unpin, limit: usize) -> io::Result<Captured> {
    let mut kept = Ends::new(limit);
    let mut chunk = vec![0_u8; 64 << 10];
    loop {
        match stream.read(&mut chunk).await? {
            0 => return Ok(kept.join()),
            length => kept.push(&chunk[..length]),
        }
    }
}

struct Ends {
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: usize,
}

impl Ends {
    fn new(limit: usize) -> Self {
        Self { half: limit / 2, head: Vec::new(), tail: VecDeque::new(), total: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len();
        let (head, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(&rest[rest.len().saturating_sub(self.half)..]);
        self.tail.drain(..self.tail.len().saturating_sub(self.half));
    }

    fn join(self) -> Captured {
        let lost = self.total - self.head.len() - self.tail.len();
        let mut bytes = self.head;
        if lost > 0 {
            bytes.extend(format!("\n[… {lost} bytes cut …]\n").into_bytes());
        }
        bytes.extend(self.tail);
        Captured { bytes, cut: lost > 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(pieces: &[&[u8]], limit: usize) -> (String, bool) {
        let mut ends = Ends::new(limit);
        for piece in pieces {
            ends.push(piece);
        }
        let captured = ends.join();
        (String::from_utf8(captured.bytes).unwrap(), captured.cut)
    }

    #[test]
    fn short_output_is_whole_and_long_output_keeps_both_ends() {
        assert_eq!(kept(&[b"abc", b"def"], 6), ("abcdef".to_owned(), false));
        assert_eq!(kept(&[b"abcd", b"efgh", b"ij"], 6), ("abc\n[… 4 bytes cut …]\nhij".to_owned(), true));
    }
}
