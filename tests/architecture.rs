//! Proves that the house stands as ARCHITECTURE.md says: data flows down the layers that `src/lib.rs` lists.
//!
//! Every file is parsed with syn. Every path that names a module of this crate (through `crate::`, `super::`,
//! `self::`, a `use` group or a re-export) is an edge from the module that holds the file to the module named.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

const MAX_FILE_LINES: usize = 400;
const MAX_FUNCTION_LINES: usize = 80;
const MAX_PARAMETERS: usize = 5;
const BANNED_NAMES: &[&str] = &["util", "utils", "common", "helpers", "misc", "types", "imp"];

#[test]
fn every_edge_points_to_a_lower_layer() {
    let layers = Layers::read(&read("src/lib.rs"));
    let complaints = edges_of_tree().into_iter().filter_map(|edge| layers.complaint(&edge)).collect::<Vec<_>>();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_module_of_the_crate_is_listed_under_a_layer() {
    let layers = Layers::read(&read("src/lib.rs"));
    for file in source_files() {
        let module = module_of(&file);
        assert!(
            SHELL_FILES.contains(&module.as_str()) || layers.rank.contains_key(&module),
            "{} belongs to no module that src/lib.rs lists",
            file.display()
        );
    }
}

#[test]
fn a_planted_violation_is_found() {
    let layers = Layers::read(
        "// layer 0: words\npub mod low;\npub mod peer;\n// layer 1: domain\npub mod high; // [friend]\npub mod friend;\n",
    );
    let planted = [
        ("low", "use crate::high::Thing;", true),
        ("low", "fn f() { crate::high::go(); }", true),
        ("low", "pub use super::high;", true),
        ("low", "use crate::{peer::A, high::B};", true),
        ("low", "use crate::peer::A;", true),
        ("low", "fn f(x: crate::high::Thing) {}", true),
        ("low", "fn f() { println!(\"{}\", crate::high::NAME); }", true),
        ("high", "use crate::low::Thing;", false),
        ("high", "use crate::friend::Thing;", false),
        ("friend", "use crate::high::Thing;", true),
        ("high", "mod inner { use super::super::friend; }", false),
        ("high", "use crate::high::inner::Thing;", false),
    ];
    for (module, source, wrong) in planted {
        let file = syn::parse_file(source).unwrap();
        let edges = edges_of(&file, &[module.to_owned()], Path::new("planted.rs"));
        let complaints: Vec<_> = edges.iter().filter_map(|edge| layers.complaint(edge)).collect();
        assert_eq!(!complaints.is_empty(), wrong, "{module}: {source}: {complaints:?}");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for path in source_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//!"), "{} does not begin with `//!`", path.display());
    }
}

#[test]
fn no_module_has_a_name_that_absorbs_everything() {
    for path in source_files() {
        for part in path.iter().map(|part| part.to_string_lossy().replace(".rs", "")) {
            assert!(!BANNED_NAMES.contains(&part.as_str()), "{}", path.display());
        }
    }
}

#[test]
fn files_and_functions_stay_short() {
    let mut complaints = String::new();
    let (mut files, mut functions) = (Vec::new(), Vec::new());
    for path in source_files().into_iter().filter(|path| !is_test_file(path)) {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = syn::parse_file(&text).unwrap();
        let lines = lines_without_tests(&text, &file);
        files.push(lines);
        if lines > MAX_FILE_LINES {
            let _ = writeln!(complaints, "{}: {lines} lines (at most {MAX_FILE_LINES})", path.display());
        }
        let mut seen = Functions::default();
        seen.visit_file(&file);
        for (name, line, length, parameters) in seen.0 {
            functions.push(length);
            if length > MAX_FUNCTION_LINES || parameters > MAX_PARAMETERS {
                let _ = writeln!(
                    complaints,
                    "{}:{line}: `{name}`: {length} lines, {parameters} parameters",
                    path.display()
                );
            }
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    println!("files: median {}, p90 {}", percentile(&mut files, 50), percentile(&mut files, 90));
    println!("functions: median {}, p90 {}", percentile(&mut functions, 50), percentile(&mut functions, 90));
    assert!(percentile(&mut functions, 90) <= 30, "the 90th percentile of function lengths is over 30 lines");
}

#[test]
fn outside_things_are_named_by_their_own_module_alone() {
    let owners: &[(&str, &[&str])] = &[
        ("git2", &["git"]),
        ("octocrab", &["github"]),
        ("landlock", &["sandbox"]),
        ("seccompiler", &["sandbox"]),
        ("reqwest", &["llm", "github"]),
        ("clap", &["cli"]),
        ("tree_sitter", &["syntax"]),
        (
            "tokio",
            &[
                "git", "sandbox", "proxy", "llm", "github", "verify", "fixers", "repair", "fix", "explain", "demo",
                "doctor", "action", "cli", "main",
            ],
        ),
    ];
    for path in source_files() {
        let file = syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let mut roots = Roots::default();
        roots.visit_file(&file);
        let module = module_of(&path);
        for (name, allowed) in owners {
            assert!(
                !roots.0.contains(*name) || allowed.contains(&module.as_str()),
                "{} names {name}, which belongs to {allowed:?}",
                path.display()
            );
        }
    }
}

/// `lib.rs` and `main.rs` are no modules.
const SHELL_FILES: &[&str] = &["lib", "main"];

/// The ranks and brackets of `src/lib.rs`.
struct Layers {
    rank: BTreeMap<String, usize>,
    brackets: BTreeMap<String, BTreeSet<String>>,
}

impl Layers {
    fn read(text: &str) -> Self {
        let (mut rank, mut brackets, mut layer) = (BTreeMap::new(), BTreeMap::new(), None);
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("// layer ") {
                layer = rest.split(':').next().and_then(|digits| digits.parse::<usize>().ok());
            }
            let Some((_, declared)) = line.split_once("mod ") else { continue };
            if !line.starts_with("pub mod ") && !line.starts_with("mod ") {
                continue;
            }
            let Some((name, note)) = declared.split_once(';') else { continue };
            rank.insert(name.to_owned(), layer.unwrap_or_else(|| panic!("`{name}` stands before the first layer")));
            let named = note.split(['[', ']']).nth(1).unwrap_or("");
            let named = named.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
            brackets.insert(name.to_owned(), named.collect());
        }
        Self { rank, brackets }
    }

    fn complaint(&self, edge: &Edge) -> Option<String> {
        let (from, to) = (self.rank.get(&edge.from)?, self.rank.get(&edge.to)?);
        let allowed = edge.from == edge.to || to < from || self.brackets[&edge.from].contains(&edge.to);
        (!allowed).then(|| {
            format!("{}:{}: {} (layer {from}) uses {} (layer {to})", edge.file.display(), edge.line, edge.from, edge.to)
        })
    }
}

#[derive(Debug)]
struct Edge {
    from: String,
    to: String,
    file: PathBuf,
    line: usize,
}

fn edges_of_tree() -> Vec<Edge> {
    let shell = |path: &PathBuf| SHELL_FILES.contains(&module_of(path).as_str());
    let files = source_files().into_iter().filter(|path| !shell(path));
    files
        .flat_map(|path| {
            let file = syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap();
            edges_of(&file, &module_path(&path), &path)
        })
        .collect()
}

fn edges_of(file: &syn::File, module: &[String], path: &Path) -> Vec<Edge> {
    let mut finder = Edges { module: module.to_vec(), path, found: Vec::new() };
    finder.visit_file(file);
    finder.found
}

/// Finds the paths that name modules of this crate.
struct Edges<'a> {
    module: Vec<String>,
    path: &'a Path,
    found: Vec<Edge>,
}

impl Edges<'_> {
    fn note(&mut self, segments: &[String], span: Span) {
        let Some(first) = segments.first() else { return };
        let mut at: Vec<String> = match first.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return,
        };
        for segment in segments {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => drop(at.pop()),
                name => at.push(name.to_owned()),
            }
        }
        let (Some(from), Some(to)) = (self.module.first(), at.first()) else { return };
        self.found.push(Edge {
            from: from.clone(),
            to: to.clone(),
            file: self.path.to_owned(),
            line: span.start().line,
        });
    }

    fn note_use(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.note_use(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.note(&with(&name.ident), name.span()),
            syn::UseTree::Rename(rename) => self.note(&with(&rename.ident), rename.span()),
            syn::UseTree::Glob(glob) => self.note(prefix, glob.span()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.note_use(prefix, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Edges<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.note_use(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.note(&segments, path.span());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        // Macro arguments are tokens: every `crate::name` and `super::name` in them is taken for a path.
        let tokens = item.tokens.to_string().replace(' ', "");
        for (start, _) in tokens.match_indices("crate::").chain(tokens.match_indices("super::")) {
            let path = tokens[start..].split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next();
            let segments: Vec<String> = path.unwrap_or("").split("::").map(str::to_owned).collect();
            self.note(&segments, item.span());
        }
        visit::visit_macro(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_test_only(&item.attrs) {
            return;
        }
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }
}

/// The first segments of all paths.
#[derive(Default)]
struct Roots(BTreeSet<String>);

impl<'ast> Visit<'ast> for Roots {
    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        self.0.insert(path.ident.to_string());
    }
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.0.insert(path.segments[0].ident.to_string());
        }
        visit::visit_path(self, path);
    }
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test_only(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

/// Name, first line, number of lines and of parameters of each function.
#[derive(Default)]
struct Functions(Vec<(String, usize, usize, usize)>);

impl Functions {
    fn note(&mut self, signature: &syn::Signature, whole: Span) {
        let (first, last) = (signature.span().start().line, whole.end().line);
        self.0.push((signature.ident.to_string(), first, last + 1 - first, signature.inputs.len()));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.note(&item.sig, item.span());
        visit::visit_item_fn(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.note(&item.sig, item.span());
        visit::visit_impl_item_fn(self, item);
    }
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test_only(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn lines_without_tests(text: &str, file: &syn::File) -> usize {
    let tests = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(item) if is_test_only(&item.attrs) => Some(item.span()),
        _ => None,
    });
    let in_tests: usize = tests.map(|span| span.end().line + 1 - span.start().line).sum();
    text.lines().count() - in_tests
}

fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

fn is_test_file(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "tests") || path.iter().any(|part| part == "tests")
}

fn module_of(path: &Path) -> String {
    module_path(path).into_iter().next().unwrap_or_default()
}

/// `src/a/b.rs` → `[a, b]`, `src/a/mod.rs` → `[a]`, `src/lib.rs` → `[lib]`.
fn module_path(path: &Path) -> Vec<String> {
    let inside = path.strip_prefix(root().join("src")).unwrap().with_extension("");
    let mut parts: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.len() > 1 && parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

fn source_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root().join("src")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn percentile(values: &mut [usize], percent: usize) -> usize {
    values.sort_unstable();
    values.get((values.len() * percent / 100).min(values.len().saturating_sub(1))).copied().unwrap_or(0)
}
