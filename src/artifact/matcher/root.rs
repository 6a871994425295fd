//! Where a file is that a tool names relative to its project.

/// `file` from the directory of the file `from`, as GitHub's runner resolves it; as text, without a look at any disk.
/// What is absolute stays as it is.
pub(super) fn rooted(file: &str, from: &str) -> String {
    let windows = from.contains('\\') || drive(from).is_some();
    let separator = |c: char| c == '/' || windows && c == '\\';
    let Some(end) = from.rfind(separator).filter(|_| !file.is_empty() && !is_absolute(file)) else {
        return file.to_owned();
    };
    let directory = &from[..=end];
    let root = drive(directory).map_or(0, str::len);
    let root = root + directory[root..].len() - directory[root..].trim_start_matches(separator).len();
    let (root, directory) = directory.split_at(root);
    let mut names: Vec<&str> = Vec::new();
    for name in directory.split(separator).chain(file.split(['/', '\\'])) {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => drop(names.pop()),
            // Nothing is above a root.
            ".." if !root.is_empty() => {}
            name => names.push(name),
        }
    }
    format!("{root}{}", names.join(if windows { "\\" } else { "/" }))
}

/// `C:` of a path of Windows.
fn drive(path: &str) -> Option<&str> {
    path.get(..2).filter(|drive| drive.as_bytes()[0].is_ascii_alphabetic() && drive.ends_with(':'))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || drive(path).is_some() || path.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_rooted_where_its_project_is() {
        assert_eq!(rooted("a.cs", "src/lib/x.csproj"), "src/lib/a.cs");
        assert_eq!(rooted(r"Helpers\My.cs", "/r/src/x.csproj::TargetFramework=net8.0"), "/r/src/Helpers/My.cs");
        assert_eq!(rooted(r"..\My.cs", r"C:\r\src\x.csproj"), r"C:\r\My.cs");
        assert_eq!(rooted("../../../../a.c", "/r/src/x"), "/a.c");
        assert_eq!(rooted("../../a.c", "src/./x"), "../a.c");
        assert_eq!(rooted("a.c", "Makefile"), "a.c");
        assert_eq!(rooted("", "src/x"), "");
    }

    #[test]
    fn what_is_absolute_stays() {
        for file in ["/a.c", r"C:\a.c", r"\\host\a.c", "file:///a.c"] {
            assert_eq!(rooted(file, "src/x"), file);
        }
    }
}
