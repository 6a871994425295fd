//! The words of a cargo command that hold for another one on the same packages.

/// Flags without a value that choose packages, features or targets.
const FLAGS: &[&str] = &[
    "--locked",
    "--offline",
    "--frozen",
    "--workspace",
    "--all",
    "--all-features",
    "--no-default-features",
    "--release",
    "--all-targets",
    "--tests",
    "--lib",
    "--bins",
    "--examples",
    "--benches",
];

/// Flags with a value that do so.
const VALUES: &[&str] = &[
    "-p",
    "--package",
    "--features",
    "-F",
    "--manifest-path",
    "--target",
    "--exclude",
    "--bin",
    "--test",
    "--example",
    "--bench",
    "--profile",
    "--config",
];

/// A cargo command's choice of toolchain, packages and features, and what stands behind its `--`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct CargoWords {
    program: Vec<String>,
    choice: Vec<String>,
    trailing: Vec<String>,
}

impl CargoWords {
    /// Reads a command; one that is not cargo's chooses nothing.
    pub(super) fn of(argv: &[String]) -> Self {
        let is_cargo = argv.first().is_some_and(|word| word == "cargo" || word.ends_with("/cargo"));
        if !is_cargo {
            return Self { program: vec!["cargo".to_owned()], ..Self::default() };
        }
        let toolchain = argv.get(1).filter(|word| word.starts_with('+'));
        let program = argv.iter().take(1).chain(toolchain).cloned().collect();
        let split = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
        let mut words = Self { program, choice: Vec::new(), trailing: argv[split..].iter().skip(1).cloned().collect() };
        let mut rest = argv[..split].iter();
        while let Some(word) = rest.next() {
            let name = word.split('=').next().unwrap_or(word);
            if FLAGS.contains(&word.as_str()) || (word.contains('=') && VALUES.contains(&name)) {
                words.choice.push(word.clone());
            } else if VALUES.contains(&word.as_str()) {
                words.choice.push(word.clone());
                words.choice.extend(rest.next().cloned());
            }
        }
        words
    }

    /// `cargo SUBCOMMAND` on the same choice, with machine-readable messages.
    pub(super) fn with(&self, subcommand: &str) -> Vec<String> {
        let mut argv = self.program.clone();
        argv.extend([subcommand.to_owned(), "--message-format=json".to_owned()]);
        argv.extend(self.choice.iter().cloned());
        if !self.choice.iter().any(|word| ["--all-targets", "--tests", "--lib", "--bins"].contains(&word.as_str())) {
            argv.push("--all-targets".to_owned());
        }
        argv
    }

    /// The same, with what stood behind `--`: lint levels.
    pub(super) fn with_trailing(&self, subcommand: &str) -> Vec<String> {
        let mut argv = self.with(subcommand);
        if !self.trailing.is_empty() {
            argv.push("--".to_owned());
            argv.extend(self.trailing.iter().cloned());
        }
        argv
    }

    /// `cargo` with its toolchain.
    pub(super) fn program(&self) -> &[String] {
        &self.program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> CargoWords {
        CargoWords::of(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn packages_features_and_toolchain_are_kept() {
        assert_eq!(
            words("cargo +nightly test --locked -p a --features=x -q -- --nocapture").with("check").join(" "),
            "cargo +nightly check --message-format=json --locked -p a --features=x --all-targets"
        );
    }

    #[test]
    fn lint_levels_are_kept_where_asked_for() {
        assert_eq!(
            words("cargo clippy --all-targets -- -D warnings").with_trailing("clippy").join(" "),
            "cargo clippy --message-format=json --all-targets -- -D warnings"
        );
    }

    #[test]
    fn a_script_chooses_nothing() {
        assert_eq!(words("make test").with("check").join(" "), "cargo check --message-format=json --all-targets");
    }
}
