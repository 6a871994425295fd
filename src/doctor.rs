//! What can be enforced on this machine, what is missing, and which tools are there.

use serde::Serialize;

use crate::sandbox::{Host, Sandbox, Walls};

/// Tools that projects need, in the order that they are listed.
const TOOLS: [&str; 6] = ["git", "cargo", "rustc", "python3", "node", "npm"];

/// What `doctor` found.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Report {
    /// Always 1; keys are only added within a version.
    pub version: u32,
    /// Whether repository code can run here at all.
    pub stands: bool,
    /// The walls, when they stand.
    pub walls: Option<Walls>,
    /// Why none stand.
    pub reason: Option<String>,
    /// The ways to more.
    pub hints: Vec<String>,
    /// Each tool with the first place on the search path that holds it.
    pub tools: Vec<Tool>,
}

/// One tool.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Where it lies; `null` when it is nowhere.
    pub path: Option<String>,
}

/// Tries the walls and looks for the tools.
pub async fn examine(host: Host) -> Report {
    let tools = tools(&host);
    match Sandbox::open(host).await {
        Ok(sandbox) => {
            let walls = sandbox.walls().clone();
            let hints = if walls.tier == 1 { Vec::new() } else { vec![MORE.to_owned()] };
            Report { version: 1, stands: true, walls: Some(walls), reason: None, hints, tools }
        }
        Err(missing) => {
            let (reason, hints) = (Some(missing.reason), missing.hints);
            Report { version: 1, stands: false, walls: None, reason, hints, tools }
        }
    }
}

const MORE: &str = "tier 1 (loopback for tests, lists of allowed hosts) needs namespaces: outside of a container, or in one \
                    with `--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined`";

fn tools(host: &Host) -> Vec<Tool> {
    let path = host.env.get("PATH").map_or("", String::as_str);
    let find = |name: &str| {
        let places = path.split(':').filter(|part| part.starts_with('/')).map(|part| format!("{part}/{name}"));
        places.into_iter().find(|place| std::path::Path::new(place).is_file())
    };
    TOOLS.iter().map(|name| Tool { name: (*name).to_owned(), path: find(name) }).collect()
}

impl Report {
    /// The report for a reader.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        if let Some(walls) = &self.walls {
            lines.push(format!("Walls stand: tier {}.", walls.tier));
            lines.extend(walls.walls.iter().map(|(name, made_of)| format!("  {name:<11} {made_of}")));
            lines.extend(walls.missing.iter().map(|missing| format!("  missing     {missing}")));
        } else {
            lines.push("No walls stand: repository code will not be run.".to_owned());
            lines.extend(self.reason.iter().map(|reason| format!("  reason      {reason}")));
        }
        lines.extend(self.hints.iter().map(|hint| format!("  hint        {hint}")));
        lines.push("Tools:".to_owned());
        for tool in &self.tools {
            lines.push(format!("  {:<11} {}", tool.name, tool.path.as_deref().unwrap_or("not found")));
        }
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_walls_is_told_so_with_the_way_out() {
        let report = Report {
            version: 1,
            stands: false,
            walls: None,
            reason: Some("tier 2: Landlock is absent".to_owned()),
            hints: vec!["run on Linux 6.2".to_owned()],
            tools: vec![Tool { name: "git".to_owned(), path: None }],
        };
        insta::assert_snapshot!(report.text(), @r"
        No walls stand: repository code will not be run.
          reason      tier 2: Landlock is absent
          hint        run on Linux 6.2
        Tools:
          git         not found
        ");
    }
}
