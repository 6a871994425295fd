//! Progress of a run: one line that moves on a terminal, plain lines otherwise.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::text;

/// Shows what a run is doing.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Draws in place when `terminal`, prints a line a step otherwise.
    #[must_use]
    pub fn new(terminal: bool) -> Self {
        let bar = terminal.then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar }
    }

    /// A step began.
    pub fn step(&self, what: &str) {
        let what = text::one_line(&text::printable(what), 160);
        match &self.bar {
            Some(bar) => {
                bar.println(format!("· {what}"));
                bar.set_message(what);
            }
            None => super::remark(&format!("· {what}")),
        }
    }

    /// The run ended; the moving line goes.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
