//! From the tree of a workflow file to jobs and steps. Lenient: what has another form than expected is passed over.

use serde_json::{Map, Value};

use super::{Defaults, Job, Matrix, Service, Step, Workflow, WorkflowError};

/// Reads the whole file.
pub(super) fn workflow(root: &Value) -> Result<Workflow, WorkflowError> {
    let jobs = root.get("jobs").and_then(Value::as_object).ok_or(WorkflowError::NoJobs)?;
    Ok(Workflow {
        name: word(root, "name"),
        env: env(root),
        defaults: defaults(root),
        jobs: jobs.iter().map(|(id, value)| job(id, value)).collect(),
    })
}

fn job(id: &str, value: &Value) -> Job {
    let services = value.get("services").and_then(Value::as_object);
    let steps = value.get("steps").and_then(Value::as_array);
    Job {
        id: id.to_owned(),
        name: word(value, "name"),
        uses: word(value, "uses"),
        runs_on: runs_on(value),
        env: env(value),
        defaults: defaults(value),
        matrix: value.get("strategy").and_then(|strategy| strategy.get("matrix")).map(matrix),
        container: value.get("container").and_then(image),
        services: services.into_iter().flatten().filter_map(|(name, value)| service(name, value)).collect(),
        steps: steps.into_iter().flatten().map(step).collect(),
    }
}

fn step(value: &Value) -> Step {
    Step {
        name: word(value, "name"),
        run: word(value, "run"),
        shell: word(value, "shell"),
        working_directory: word(value, "working-directory"),
        env: env(value),
        uses: word(value, "uses"),
        repository: word(value, "uses")
            .filter(|uses| uses.starts_with("actions/checkout@"))
            .and_then(|_| word(value.get("with")?, "repository")),
    }
}

fn service(name: &str, value: &Value) -> Option<Service> {
    Some(Service { name: name.to_owned(), image: image(value)? })
}

/// `container` and services are an image, or a mapping that names one.
fn image(value: &Value) -> Option<String> {
    scalar(value).or_else(|| word(value, "image")).filter(|image| !image.is_empty())
}

fn runs_on(job: &Value) -> Vec<String> {
    let labels = |value: &Value| match value {
        Value::Array(labels) => labels.iter().filter_map(scalar).collect(),
        other => scalar(other).into_iter().collect(),
    };
    match job.get("runs-on") {
        Some(Value::Object(group)) => group.get("labels").map(labels).unwrap_or_default(),
        Some(value) => labels(value),
        None => Vec::new(),
    }
}

fn defaults(value: &Value) -> Defaults {
    let run = value.get("defaults").and_then(|defaults| defaults.get("run"));
    Defaults {
        shell: run.and_then(|run| word(run, "shell")),
        working_directory: run.and_then(|run| word(run, "working-directory")),
    }
}

fn env(value: &Value) -> Vec<(String, String)> {
    let entries = value.get("env").and_then(Value::as_object);
    let text = |value: &Value| if value.is_null() { Some(String::new()) } else { scalar(value) };
    entries.into_iter().flatten().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}

fn matrix(value: &Value) -> Matrix {
    let Some(entries) = value.as_object() else { return Matrix { open: true, ..Matrix::default() } };
    let mut matrix = Matrix::default();
    for (key, value) in entries {
        match (key.as_str(), value) {
            ("include", Value::Array(cells)) => matrix.include = cells.iter().filter_map(cell).collect(),
            ("exclude", Value::Array(cells)) => matrix.exclude = cells.iter().filter_map(cell).collect(),
            ("include" | "exclude", _) => matrix.open = true,
            (_, Value::Array(values)) => matrix.axes.push((key.clone(), Some(values.clone()))),
            _ => matrix.axes.push((key.clone(), None)),
        }
    }
    matrix
}

fn cell(value: &Value) -> Option<Map<String, Value>> {
    value.as_object().cloned()
}

fn word(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(scalar)
}

/// A scalar as the forge writes it into text: `1.0` is `1`, and `3.10` is `3.1`.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) if number.is_f64() => number.as_f64().map(|number| number.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
