//! The table of keys: each with its form, its default and what it means. The file format is this table.

use super::shape::{Key, Leaf, Shape};

const fn key(name: &'static str, shape: Shape, default: &'static str, doc: &'static str) -> Key {
    Key { name, shape, required: false, default, doc }
}

const fn needed(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: true, default: "", doc }
}

/// A cap that can be lowered.
const fn at_most(most: u64) -> Shape {
    Shape::Leaf(Leaf::Whole { least: 1, most })
}

const TEXT: Shape = Shape::Leaf(Leaf::Text);
const PATHS: Shape = Shape::List(&Shape::PathRule { may_exclude: false });
const SEEN: Shape = Shape::List(&Shape::PathRule { may_exclude: true });
const TEXTS: Shape = Shape::List(&TEXT);
const RUN: Shape = Shape::Words;
const ENV: Shape = Shape::Map(&Shape::Leaf(Leaf::Plain));
const DIRECTORY: Shape = Shape::Leaf(Leaf::Directory);
const DURATION: Shape = Shape::Leaf(Leaf::Duration);
const NETWORK: Shape = Shape::Either(&[
    Shape::Word(&["deny", "loopback"]),
    Shape::Record(&[needed("allow", Shape::List(&Shape::Leaf(Leaf::Host)), "The only hosts that can be reached.")]),
]);

/// Keys of a command.
const COMMAND: Shape = Shape::Record(&[
    needed(
        "run",
        RUN,
        "A command line, split into words by POSIX rules and read by no shell; or the list of its words.",
    ),
    key("cwd", DIRECTORY, ".", "The directory that it runs in."),
    key("env", ENV, "{}", "Variables set for it, over the allow-listed ones. Never a secret."),
    key("timeout", DURATION, "10m", "How long it may run."),
    key("network", NETWORK, "", "What it may reach; the policy's `network` when absent."),
]);
const COMMANDS: Shape = Shape::Map(&COMMAND);

/// Keys of one step of the set-up.
const SETUP_STEP: Shape = Shape::Record(&[
    needed("run", RUN, "What fetches dependencies."),
    key("cwd", DIRECTORY, ".", "The directory that it runs in."),
    key("env", ENV, "{}", "Variables set for it. Never a secret."),
    key("timeout", DURATION, "10m", "How long it may run."),
    key("network", NETWORK, "{allow: [registries]}", "What it may reach."),
    key(
        "cache",
        Shape::List(&Shape::Leaf(Leaf::CacheDirectory)),
        "[]",
        "Directories kept between runs with the same lockfiles; `~` is the private home.",
    ),
]);
const SETUP: Shape = Shape::OneOrMany(&SETUP_STEP);

const PROJECT: Shape = Shape::Record(&[
    needed("path", DIRECTORY, "The directory of the project."),
    key("setup", SETUP, "", "Its set-up; the policy's `setup` when absent."),
    key("commands", COMMANDS, "{}", "Its commands, over the policy's of the same names."),
    key("owners", TEXTS, "[]", "Who is asked to review."),
]);

const MODEL: Shape = Shape::Record(&[
    needed("provider", TEXT, "Whose interface it speaks."),
    needed("name", TEXT, "What the provider calls it."),
    key("base_url", Shape::Leaf(Leaf::Url), "", "Where it is; the provider's own address when absent."),
    key("max_output", Shape::Leaf(Leaf::Count), "", "Most tokens of one answer; the provider's limit when absent."),
    key("effort", Shape::Word(&["low", "medium", "high"]), "", "How hard it thinks, where it can be told."),
]);

const MODELS: Shape = Shape::Record(&[
    key("light", MODEL, "", "The model that is asked first. Without one, no model is asked."),
    key("strong", MODEL, "", "The model that is asked when the light one did not do."),
    key("may_see", SEEN, "[\"**\"]", "What a model may be shown. `!` excludes, whatever the order."),
    key("routes", Shape::List(&Shape::Any), "[]", "Which kind of failure goes to which model."),
]);

const SECRET: Shape = Shape::Record(&[
    needed("host", Shape::Leaf(Leaf::Host), "The only host that gets it."),
    key("header", TEXT, "authorization", "The header that carries it."),
    key("methods", TEXTS, "[GET]", "The methods of requests that carry it."),
]);

const LEVEL: Shape = Shape::Word(&["failing-tests", "affected-tests", "whole-suite", "ci"]);

const VERIFY: Shape = Shape::Either(&[
    LEVEL,
    Shape::Record(&[
        key("level", LEVEL, "whole-suite", "The least evidence that a fix must have."),
        key(
            "repeats",
            Shape::Leaf(Leaf::Whole { least: 1, most: 100 }),
            "3",
            "How often the failing checks must pass.",
        ),
    ]),
]);

/// The whole file.
pub(super) const POLICY: &[Key] = &[
    key("$schema", TEXT, "", "For editors."),
    key("version", Shape::Leaf(Leaf::One), "1", "The version of this format."),
    key(
        "stage",
        Shape::Word(&["read-only", "patch", "pull-request", "batch"]),
        "pull-request",
        "How far the bot may go: explain only; write a bundle; open pull requests; sweep.",
    ),
    key("workspace", Shape::Word(&["isolated_copy"]), "isolated_copy", "Where work happens; there is one way."),
    key(
        "allowed_write_paths",
        PATHS,
        "",
        "What may be written. When absent: every tracked file, and new files in directories that hold tracked ones.",
    ),
    key("denied_paths", PATHS, "[]", "Neither written nor shown to a model; added to the built-in ones."),
    key(
        "allowed_commands",
        Shape::List(&Shape::CommandRule),
        "",
        "Names of commands, or exactly their words. When absent: every command of `commands`.",
    ),
    key("commands", COMMANDS, "", "Names and what they run. When absent: those of the detected project kinds."),
    key("setup", SETUP, "", "What fetches dependencies, before any edit and without secrets. When absent: detected."),
    key("projects", Shape::List(&PROJECT), "[]", "The projects of a monorepo; the nearest wins."),
    key("network", NETWORK, "deny", "What repository code may reach."),
    key(
        "secrets",
        Shape::Either(&[Shape::Word(&["proxy_inject"]), Shape::Map(&SECRET)]),
        "proxy_inject",
        "Secrets are added to requests by a proxy and never enter the sandbox. Names only, never values.",
    ),
    key(
        "auto_merge",
        Shape::Leaf(Leaf::OnlyFalse("`auto_merge` cannot be true: a person merges, always; the bot has no way to")),
        "false",
        "The only accepted value.",
    ),
    key(
        "approvals",
        Shape::Record(&[
            key("protected_paths", PATHS, "[]", "Written only once a person agreed; added to the built-in ones."),
            key("who", Shape::Word(&["write", "maintain", "admin"]), "write", "The permission that an approver needs."),
        ]),
        "",
        "What needs a person.",
    ),
    key("models", MODELS, "", "Which models may be asked, and what they may see."),
    key(
        "budget",
        Shape::Record(&[
            key("usd", Shape::Leaf(Leaf::Money), "1.00", "Money for models in one run, in US dollars."),
            key("tokens", Shape::Leaf(Leaf::Count), "300k", "Tokens in one run, in and out."),
            key("rounds", Shape::Leaf(Leaf::Whole { least: 0, most: 1000 }), "5", "Model rounds in one run."),
            key("minutes", Shape::Leaf(Leaf::Whole { least: 1, most: 1440 }), "20", "Wall time of one run."),
            key("prs_per_day", Shape::Leaf(Leaf::Whole { least: 0, most: 1000 }), "5", "Pull requests opened a day."),
        ]),
        "",
        "Caps on a run.",
    ),
    key(
        "limits",
        Shape::Record(&[
            key("files", Shape::Leaf(Leaf::Whole { least: 1, most: 100_000 }), "10", "Files that a patch may touch."),
            key("lines", Shape::Leaf(Leaf::Whole { least: 1, most: 10_000_000 }), "400", "Lines added plus removed."),
        ]),
        "",
        "Caps on a patch.",
    ),
    key(
        "artifacts",
        Shape::Record(&[
            key("failed_tests", at_most(20_000), "20000", "Failed tests of one artifact that are listed."),
            key("other_tests", at_most(100_000), "100000", "Tests of one artifact that did not fail and are listed."),
            key("diagnostics", at_most(50_000), "50000", "Diagnostics of one artifact that are listed."),
            key("details_mib", at_most(48), "48", "Stacks and excerpts of one artifact that are kept, in MiB."),
            key("members", at_most(2_000), "2000", "Members of an archive that are looked at."),
            key("member_mib", at_most(256), "256", "What one member may inflate to, in MiB."),
            key("archive_mib", at_most(512), "512", "What all members of an archive may inflate to, in MiB."),
        ]),
        "",
        "Caps on what is read of an artifact. What is beyond one is counted or named, never dropped in silence.",
    ),
    key("deliver", Shape::Word(&["pull-request", "suggestions", "bundle"]), "pull-request", "What a fix arrives as."),
    key("verify", VERIFY, "whole-suite", "What proves a fix."),
    key(
        "sandbox",
        Shape::Record(&[
            key(
                "require",
                Shape::List(&Shape::Word(super::WALLS)),
                "[]",
                "Walls that must stand, or the run refuses. The built-in floor always must.",
            ),
            key("container", TEXT, "", "An image whose toolchain repository code runs with."),
        ]),
        "",
        "The walls around repository code.",
    ),
    key(
        "pull_request",
        Shape::Record(&[
            key("draft", Shape::Leaf(Leaf::Flag), "false", "Opened as a draft."),
            key("labels", TEXTS, "[]", "Labels that it gets."),
            key("reviewers", TEXTS, "[]", "Who is asked to review."),
            key("title", TEXT, "", "Its title; a built-in one when absent."),
        ]),
        "",
        "How pull requests look.",
    ),
];
