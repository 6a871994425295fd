//! Symlinks, submodules and changed modes.

use super::{Rule, finding};
use crate::change::Mode;
use crate::evidence::{Finding, Weight};
use crate::gate::view::View;

pub(super) static RULE: Rule = Rule {
    name: "file-mode",
    about: "A symlink, a submodule or a changed file mode",
    why: "Blocks: a symlink leads out of the tree, a submodule brings in foreign code, a mode changes what is executed.",
    check,
};

fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &view.files {
        let before = file.change.before.as_ref().map(|file| file.mode);
        let after = file.change.after.as_ref().map(|file| file.mode);
        let message = match (before, after) {
            (_, Some(Mode::Symlink)) => "a symlink is added or changed",
            (_, Some(Mode::Submodule)) | (Some(Mode::Submodule), _) => "a submodule is added, moved or removed",
            (Some(Mode::Symlink), Some(_)) => "a symlink becomes a file",
            (Some(before), Some(after)) if before != after => "the file's mode changes",
            (None, Some(Mode::Executable)) => "an executable file is added",
            _ => continue,
        };
        findings.push(finding(&RULE, file, None, message.to_owned(), Weight::Block));
    }
    findings
}

#[cfg(test)]
mod tests {
    use crate::change::{File, FileChange, Mode};
    use crate::evidence::Finding;
    use crate::ids::RepoPath;
    use crate::policy::PatchLimits;

    fn judge(before: Option<Mode>, after: Option<Mode>) -> Vec<Finding> {
        let file = |mode: Option<Mode>| mode.map(|mode| File { bytes: b"a\n".to_vec(), mode });
        let change = FileChange { path: RepoPath::new("a").unwrap(), before: file(before), after: file(after) };
        crate::gate::judge(&[change], PatchLimits::default(), None)
    }

    #[test]
    fn links_submodules_and_modes_block() {
        for (before, after) in [
            (None, Some(Mode::Symlink)),
            (Some(Mode::Regular), Some(Mode::Symlink)),
            (None, Some(Mode::Submodule)),
            (Some(Mode::Submodule), None),
            (Some(Mode::Regular), Some(Mode::Executable)),
            (Some(Mode::Executable), Some(Mode::Regular)),
            (None, Some(Mode::Executable)),
        ] {
            assert_eq!(judge(before, after).len(), 1, "{before:?} {after:?}");
        }
    }

    #[test]
    fn plain_files_pass() {
        assert!(judge(None, Some(Mode::Regular)).is_empty());
        assert!(judge(Some(Mode::Regular), None).is_empty());
        assert!(judge(Some(Mode::Executable), Some(Mode::Executable)).is_empty());
    }
}
