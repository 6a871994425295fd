//! The problem matchers of a repository: what its own CI already teaches about its tools.

use crate::artifact::{Matchers, Problem};
use crate::source::Source;

/// Larger files are no matchers.
const SIZE_LIMIT: u64 = 256 << 10;
/// More files than this are not read.
const FILES_LIMIT: usize = 50;
/// Where they lie by convention.
const FOLDER: &str = ".github/";

/// The common matchers and those below `.github/` of a tree, and what of the latter cannot be used.
#[must_use]
pub fn matchers_of(tree: &dyn Source) -> (Matchers, Vec<Problem>) {
    let listed = tree.files().iter().filter(|entry| {
        let path = entry.path.as_str();
        path.starts_with(FOLDER) && path.to_ascii_lowercase().ends_with(".json") && entry.size <= SIZE_LIMIT
    });
    let mut files: Vec<(String, String)> = listed
        .filter_map(|entry| Some((entry.path.to_string(), tree.text(&entry.path)?)))
        .filter(|(_, text)| text.contains("problemMatcher"))
        .take(FILES_LIMIT + 1)
        .collect();
    let more = if files.len() > FILES_LIMIT { files.pop() } else { None };
    let (matchers, mut problems) = Matchers::of(&files);
    problems.extend(more.map(|(path, _)| {
        let message =
            format!("{path}: more than {FILES_LIMIT} files have problem matchers; this and what follows is not read");
        Problem { line: None, message }
    }));
    (matchers, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::{Content, Limits, Raw};
    use crate::ids::RepoPath;
    use crate::source::Memory;

    #[test]
    fn ten_lines_of_json_teach_a_tool() {
        let json = r#"{"problemMatcher": [{"owner": "my-lint", "severity": "warning", "pattern": [
            {"regexp": "^<<(.+)\\|(\\d+)>> (\\w+) (.+)$", "file": 1, "line": 2, "code": 3, "message": 4}]},
            {"owner": "looks-ahead", "pattern": [{"regexp": "^(?=x", "message": 0}]}]}"#;
        let tree = Memory::new([(RepoPath::new(".github/matchers/my.json").unwrap(), json)]);
        let (matchers, problems) = matchers_of(&tree);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("my.json") && problems[0].message.contains("looks-ahead"), "{problems:?}");
        let content = Content::Held(b"start\n<<src/a.x|7>> W1 too wide\n".to_vec());
        let raw = Raw { name: "out.txt".to_owned(), content, baseline: None };
        let found = &raw.open(&matchers, Limits::default())[0].diagnostics[0];
        let at = found.location.as_ref().unwrap();
        assert_eq!((found.tool.as_str(), at.path.as_str(), at.line), ("my-lint", "src/a.x", Some(7)));
        assert_eq!((found.rule.as_deref(), found.message.as_str()), (Some("W1"), "too wide"));
    }

    #[test]
    fn files_that_are_not_read_are_a_problem() {
        let json = r#"{"problemMatcher": []}"#;
        let files = (10..70).map(|number| (RepoPath::new(&format!(".github/m{number}.json")).unwrap(), json));
        let (_, problems) = matchers_of(&Memory::new(files));
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.starts_with(".github/m60.json: more than 50 files"), "{problems:?}");
    }
}
