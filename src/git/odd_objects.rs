//! How strictly objects from outside are checked.
//!
//! Git's own checks refuse the histories of well-known projects: tools of the past wrote dates, names and modes
//! otherwise than git does. What harms nobody who reads such a commit is let pass. All else is an error, also where git
//! only warns otherwise: names that lead a path out of its tree are among that.

const HARMLESS: &[&str] = &[
    "badDate",
    "badDateOverflow",
    "badEmail",
    "badName",
    "badTimezone",
    "missingEmail",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "multipleAuthors",
    "nulInCommit",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
];

/// As configuration of a fetch.
pub(super) fn for_fetch() -> Vec<String> {
    // Always a pack: objects that are unpacked one by one cost a file each.
    let fixed = ["fetch.fsckObjects=true", "fetch.unpackLimit=1"].map(str::to_owned);
    fixed.into_iter().chain(HARMLESS.iter().map(|what| format!("fetch.fsck.{what}=ignore"))).collect()
}

/// As an option of `git index-pack`.
pub(super) fn for_index_pack() -> String {
    let harmless: Vec<String> = HARMLESS.iter().map(|what| format!("{what}=ignore")).collect();
    format!("--strict={}", harmless.join(","))
}
