//! What the loop itself costs: its own time (wall time less all waiting for children and for HTTP), its peak memory,
//! and what its first prompt holds. `cargo bench --bench own_time`.
//!
//! Two projects: a tiny one with a bug in one function, and one of 100 000 lines with the same bug.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and may panic")]
#![expect(clippy::disallowed_methods, reason = "a benchmark starts programs and reads the environment")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use unbreak::cache::Cache;
use unbreak::demo::Scripted;
use unbreak::fix::{Bundle, Desk, Ladder, Request, fix};
use unbreak::git::Git;
use unbreak::journal::Journal;
use unbreak::llm::{Asked, Model, Request as Question};
use unbreak::sandbox::Host;
use unbreak::secret::Redactor;
use unbreak::usage::{Rate, Tier};

const WRONG: &str = "def total(prices, discount):\n    return sum(prices) * discount / 100\n";
const TEST: &str =
    "from shop.cart import total\n\n\ndef test_total():\n    assert total([50, 50], 10) == 90\n\n\ntest_total()\n";
const ANSWER: &str = r#"[{"text": "", "cut_off": false, "estimated": false,
    "tokens": {"input": 0, "cached_read": 0, "cache_write": 0, "output": 0, "reasoning": 0},
    "calls": [
        {"id": "1", "name": "edit", "arguments": "{\"path\": \"shop/cart.py\", \"old\": \"* discount / 100\", \"new\": \"* (100 - discount) / 100\"}"},
        {"id": "2", "name": "submit", "arguments": "{\"summary\": \"s\", \"cause\": \"c\"}"}]}]"#;

/// A scripted model that keeps what it was asked.
struct Counting(Scripted, Mutex<Vec<String>>);

impl Model for Counting {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn rate(&self) -> Rate {
        self.0.rate()
    }
    fn ask<'a>(&'a self, request: &'a Question, journal: &'a Journal) -> Asked<'a> {
        self.1.lock().unwrap().push(serde_json::to_string(request).unwrap());
        self.0.ask(request, journal)
    }
}

/// One row of the table; the prompt is counted once all is measured, since the tokenizer's tables are large.
struct Row {
    label: String,
    lines: usize,
    own_ms: f64,
    peak: f64,
    prompts: Vec<String>,
    result: &'static str,
}

fn main() {
    let projects = [("tiny, cold", 0), ("100 000 lines, cold", 200)];
    let rows: Vec<Row> = projects.into_iter().flat_map(|(name, modules)| measure(name, modules)).collect();
    println!(
        "{:<28} {:>7} {:>9} {:>9} {:>6} {:>7}  result",
        "project", "lines", "own ms", "peak MB", "calls", "tokens"
    );
    for Row { label, lines, own_ms, peak, prompts, result } in rows {
        let tokens = bpe_openai::o200k_base().count(prompts.first().map_or("", String::as_str));
        println!("{label:<28} {lines:>7} {own_ms:>9.0} {peak:>9.0} {:>6} {tokens:>7}  {result}", prompts.len());
    }
}

/// Two runs in a fresh place: the second finds the facts cached. The peak is the process's so far.
fn measure(name: &str, modules: usize) -> Vec<Row> {
    let place = tempfile::Builder::new().prefix("unbreak-bench-").tempdir_in("/var/tmp").unwrap();
    let repo = place.path().join("repo");
    let lines = lay(&repo, modules);
    let cache = Cache::open(&place.path().join("cache"), 1 << 30).unwrap();
    let row = |label: String| {
        let model = Arc::new(Counting(Scripted::new(ANSWER).unwrap(), Mutex::default()));
        let proposal = run(place.path(), &repo, (&cache, &label), Arc::clone(&model) as Arc<dyn Model>);
        let prompts = model.1.lock().unwrap().clone();
        let own_ms = proposal.usage.seconds.own * 1000.0;
        Row { label, lines, own_ms, peak: peak_megabytes(), prompts, result: proposal.result.word() }
    };
    [name.to_owned(), name.replace("cold", "warm")].map(row).into()
}

fn run(
    place: &Path,
    repo: &Path,
    (cache, label): (&Cache, &str),
    model: Arc<dyn Model>,
) -> unbreak::proposal::Proposal {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let git = Git::new("/usr/bin/git".into(), place.join("git")).unwrap();
    let host = Host {
        helper: PathBuf::from(env!("CARGO_BIN_EXE_unbreak")),
        env: std::env::vars().collect(),
        home: std::env::var("HOME").unwrap_or_default().into(),
        scratch: place.join("scratch"),
        tier: None,
    };
    let bundle = Bundle::create(&place.join(label.replace([' ', ','], "-"))).unwrap();
    let request = Request {
        repo: repo.to_owned(),
        run: Some(["/usr/bin/python3", "tests/test_cart.py"].map(str::to_owned).to_vec()),
        zero: true,
        ladder: Ladder::new(vec![(Tier::Light, model)]),
        ..Request::default()
    };
    runtime.block_on(async {
        let journal = Journal::create(&bundle.journal(), || 0).unwrap();
        let desk = Desk {
            git: &git,
            host: &host,
            scratch: &place.join("scratch"),
            cache: Some(cache),
            bundle: &bundle,
            journal: &journal,
            redactor: &Redactor::default(),
            progress: &|_| {},
        };
        fix(&request, &desk).await.unwrap().proposal
    })
}

/// Writes the project: `modules` files of 500 lines beside the wrong one.
fn lay(repo: &Path, modules: usize) -> usize {
    let write = |path: &str, text: &str| {
        let file = repo.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        text.lines().count()
    };
    let mut lines = write("shop/cart.py", WRONG) + write("tests/test_cart.py", TEST);
    // What the test needs to find the package without an installation.
    lines += write(
        "tests/shop/__init__.py",
        "import pathlib\n__path__ = [str(pathlib.Path(__file__).parents[2] / 'shop')]\n",
    );
    lines += write(".github/unbreak.yml", "version: 1\nsetup: []\n");
    for module in 0..modules {
        let mut text = String::new();
        for function in 0..100 {
            let _ = writeln!(
                text,
                "def step_{module}_{function}(value, other):\n    kept = value + other\n    for item in range(kept):\n        kept -= item\n    return kept"
            );
        }
        lines += write(&format!("shop/part_{module}.py"), &text);
    }
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid"];
        let status = std::process::Command::new("git").args(identity).args(words).current_dir(repo).status().unwrap();
        assert!(status.success());
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    lines
}

/// The most resident memory that this process had.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}
