//! The language in which the table of keys is written: what a value may look like.
//!
//! One table (`keys`) is read by the checker (`check`), by the JSON schema (`schema`) and by the documentation, so
//! they cannot drift apart.

/// What a value may look like.
#[derive(Debug)]
pub(super) enum Shape {
    /// One scalar.
    Leaf(Leaf),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any number of values.
    List(&'static Shape),
    /// One value, or a list of them.
    OneOrMany(&'static Shape),
    /// Names of the writer's own, each with a value.
    Map(&'static Shape),
    /// Keys that we know.
    Record(&'static [Key]),
    /// The first of these that has the form of the value: scalar, list or mapping.
    Either(&'static [Shape]),
    /// A rule for paths: a pattern, or a mapping of it with examples. `may_exclude` lets it start with `!`.
    PathRule { may_exclude: bool },
    /// A command: a line that is split into words, or the list of its words.
    Words,
    /// A rule for commands: a name or words, or a mapping of it with examples.
    CommandRule,
    /// Not looked into.
    Any,
}

/// What a scalar may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Text that is not empty.
    Text,
    /// Text, a number or a boolean, taken as it is written.
    Plain,
    /// A boolean.
    Flag,
    /// `false`, and nothing else; says why.
    OnlyFalse(&'static str),
    /// The number that this version of the file format has.
    One,
    /// A whole number up to a limit.
    Whole { least: u64, most: u64 },
    /// A whole number, also as `300k` or `1m`.
    Count,
    /// An amount: a plain number, not negative.
    Money,
    /// `30s`, `10m`, `2h`.
    Duration,
    /// A command line, split into words without a shell.
    CommandLine,
    /// A directory of the repository; `.` is its root.
    Directory,
    /// A directory below the repository or, with `~/`, below the private home.
    CacheDirectory,
    /// `name:port`, `*.name:port` or `registries`.
    Host,
    /// A web address without credentials.
    Url,
}

/// One key of a record.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) required: bool,
    /// What holds when it is absent, as it would be written; empty where its absence means nothing at all.
    pub(super) default: &'static str,
    pub(super) doc: &'static str,
}

impl Shape {
    /// What is expected, for a message.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Leaf(leaf) => leaf.described().to_owned(),
            Self::Word(words) => one_of(words),
            Self::List(_) => "a list".to_owned(),
            Self::OneOrMany(shape) => format!("{} or a list", shape.described()),
            Self::Map(_) | Self::Record(_) => "a mapping".to_owned(),
            Self::Either(shapes) => shapes.iter().map(Self::described).collect::<Vec<_>>().join(", or "),
            Self::PathRule { .. } => "a pattern, or a mapping with `path`".to_owned(),
            Self::CommandRule => "a command, or a mapping with `pattern`".to_owned(),
            Self::Words => "a command line, or a list of words".to_owned(),
            Self::Any => "anything".to_owned(),
        }
    }
}

impl Leaf {
    pub(super) fn described(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Plain => "text, a number or a boolean",
            Self::Flag => "true or false",
            Self::OnlyFalse(_) => "false",
            Self::One => "the number 1",
            Self::Whole { .. } => "a whole number",
            Self::Count => "a whole number such as 300000, 300k or 1m",
            Self::Money => "an amount such as 1.00",
            Self::Duration => "a duration such as 30s, 10m or 2h",
            Self::CommandLine => "a command line",
            Self::Directory => "a directory of the repository",
            Self::CacheDirectory => "a directory, relative or below `~/`",
            Self::Host => "`name:port`, `*.name:port` or `registries`",
            Self::Url => "a web address",
        }
    }
}

/// A choice of words, for a message.
pub(super) fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    format!("one of {}", quoted.join(", "))
}
