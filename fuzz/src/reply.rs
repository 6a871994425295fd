//! What a model answers and what people write on the forge.

use std::sync::LazyLock;

use serde_json::{Value, json};
use unbreak::change::{Edit, resolve};
use unbreak::ids::RepoPath;
use unbreak::llm::{Request, ToolSpec, plain};
use unbreak::policy::PatchLimits;
use unbreak::report::{State, harmless, inline, inline_code};
use unbreak::secret::{Redactor, Secret};
use unbreak::source::{Memory, Source as _};
use unbreak::{gate, text};

use super::parts;

/// A file of the tree, and behind a NUL byte an answer in plain text: its calls are read, its edits made and judged.
pub fn reply(bytes: &[u8]) {
    let [file, answer] = parts(bytes);
    let tree = Memory::new([(path("a.py"), file), (path("src/a.rs"), file)]);
    let answer = String::from_utf8_lossy(answer).into_owned();
    let calls = plain::parse(&answer, &REQUEST, false);
    assert!(plain::parse(&answer, &REQUEST, true).len() <= calls.len() && calls.len() <= answer.lines().count());
    let mut edits = Vec::new();
    for call in &calls {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        edits.extend(edit(&call.name, &arguments));
    }
    make(&edits, &tree);
    shown(&answer);
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn edit(tool: &str, arguments: &Value) -> Option<Edit> {
    let text = |name: &str| arguments[name].as_str().map(str::to_owned);
    let path = RepoPath::new(arguments["path"].as_str()?).ok()?;
    match tool {
        "edit" => Some(Edit::Replace { path, old: text("old")?, new: text("new")? }),
        "create_file" => Some(Edit::Create { path, content: text("content")? }),
        _ => None,
    }
}

/// All edits fit or none is made; what is made starts from what is there.
fn make(edits: &[Edit], tree: &Memory) {
    match resolve(edits, tree) {
        Ok(changes) => {
            for change in &changes {
                assert!(change.before != change.after, "{change:?}");
                assert_eq!(
                    change.before.as_ref().map(|file| &file.bytes[..]),
                    tree.read(&change.path).as_deref(),
                    "{change:?}"
                );
            }
            let limits = PatchLimits::default();
            let found = gate::judge(&changes, limits, Some(tree));
            assert_eq!(found, gate::judge(&changes, limits, Some(tree)));
        }
        Err(error) => {
            assert!((1..=edits.len()).contains(&error.number) && error.to_string().len() < 4 << 10, "{error}");
        }
    }
}

/// Foreign text can say anything, and do nothing where it is shown.
fn shown(foreign: &str) {
    let line = harmless(foreign, 72);
    assert!(line.chars().count() <= 72 && !line.contains(['\n', '\r', '[', ']', '`']), "{line:?}");
    let safe = inline(foreign);
    assert!(!safe.contains(['\n', '<', '>', '@']), "{safe:?}");
    assert!(!inline_code(foreign).contains('\n'));
    assert!(!text::inert(foreign).lines().any(|line| line.trim_start().starts_with("::")), "{foreign:?}");
    if let Some(state) = State::read(foreign) {
        assert_eq!(State::read(&state.tail()), Some(state));
    }
    let masked = REDACTOR.scrub(foreign);
    assert!(!masked.contains(SECRET), "{masked:?}");
    assert_eq!(REDACTOR.scrub(&masked), masked);
    assert_eq!(REDACTOR.find(&masked), []);
}

const SECRET: &str = "hunter2hunter2";

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new([("PASSWORD", &Secret::new(SECRET.to_owned()))]));

static REQUEST: LazyLock<Request> = LazyLock::new(|| {
    let tool = |name: &str, arguments: &[&str]| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({ "properties": arguments
            .iter()
            .map(|name| ((*name).to_owned(), json!({ "type": if *name == "start" { "integer" } else { "string" } })))
            .collect::<serde_json::Map<_, _>>() }),
    };
    let tools = vec![
        tool("edit", &["path", "old", "new"]),
        tool("create_file", &["path", "content"]),
        tool("read_file", &["path", "start"]),
    ];
    Request { messages: Vec::new(), tools, max_output: 1 }
});
