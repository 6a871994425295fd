//! How bad a finding is, in the words and numbers of its tool.

use serde_json::Value;

use crate::artifact::Severity;

/// What the numbers of a tool mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Scale {
    /// It has only words.
    #[default]
    Words,
    /// 2 is an error, 1 a warning.
    Eslint,
    /// 1 to 4, an error first.
    Lsp,
    /// 0 to 3, an error first.
    Spectral,
    /// 1 to 5, the worst first.
    Priority,
    /// 10, 5 and 0.
    Phan,
    /// 0 to 5, the worst last.
    Veracode,
    /// 1 is critical, 5 a warning.
    Kube,
    /// 0 to 10, the worst last.
    Cvss,
}

impl Scale {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "eslint" => Self::Eslint,
            "lsp" => Self::Lsp,
            "spectral" => Self::Spectral,
            "priority" => Self::Priority,
            "phan" => Self::Phan,
            "veracode" => Self::Veracode,
            "kube" => Self::Kube,
            "cvss" => Self::Cvss,
            _ => return None,
        })
    }

    /// What a value means; nothing where it says nothing.
    pub(super) fn read(self, value: &Value) -> Option<Severity> {
        match value {
            Value::Number(number) => self.number(number.as_f64()?),
            Value::String(text) => match text.trim().parse::<f64>() {
                Ok(number) if self != Self::Words => self.number(number),
                _ => word(text),
            },
            _ => None,
        }
    }

    fn number(self, number: f64) -> Option<Severity> {
        // The smallest (or largest) number that is still an error, and a warning.
        let (error, warning, rising) = match self {
            Self::Words => return None,
            Self::Eslint => (2.0, 1.0, true),
            Self::Lsp => (1.0, 2.0, false),
            Self::Spectral => (0.0, 1.0, false),
            Self::Priority => (1.0, 4.0, false),
            Self::Phan => (10.0, 5.0, true),
            Self::Veracode => (4.0, 3.0, true),
            Self::Kube => (1.0, 5.0, false),
            Self::Cvss => (7.0, 4.0, true),
        };
        let reaches = |limit: f64| if rising { number >= limit } else { number <= limit };
        Some(if reaches(error) {
            Severity::Error
        } else if reaches(warning) {
            Severity::Warning
        } else {
            Severity::Note
        })
    }
}

/// The words of all tools: those of compilers, of trackers and of vulnerability scanners.
pub(super) fn word(text: &str) -> Option<Severity> {
    let word = text.trim().to_ascii_lowercase();
    Some(match word.as_str() {
        "" | "unknown" | "undefined" | "unspecified" | "null" | "none" => return None,
        "error" | "errors" | "fatal" | "critical" | "crit" | "high" | "blocker" | "failure" | "fail" | "failed"
        | "severe" | "serious" | "very_high" | "veryhigh" | "urgent" | "defcon1" | "breaking" | "e" | "f" | "err"
        | "important" | "statuserror" | "statusinvalid" | "warning_high" | "emergency" | "alert" => Severity::Error,
        "info" | "information" | "informational" | "hint" | "note" | "notice" | "style" | "suggestion" | "trace"
        | "debug" | "negligible" | "non_breaking" | "equivalent" | "help" | "optimization" | "i" | "r_info"
        | "advice" | "ignore" | "off" => Severity::Note,
        _ => Severity::Warning,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_mean_what_the_tool_says() {
        let read = |scale: Scale, value: Value| scale.read(&value);
        assert_eq!(read(Scale::Eslint, json!(2)), Some(Severity::Error));
        assert_eq!(read(Scale::Eslint, json!(1)), Some(Severity::Warning));
        assert_eq!(read(Scale::Spectral, json!(0)), Some(Severity::Error));
        assert_eq!(read(Scale::Lsp, json!("4")), Some(Severity::Note));
        assert_eq!(read(Scale::Cvss, json!("9.8")), Some(Severity::Error));
        assert_eq!(read(Scale::Words, json!(3)), None);
        assert_eq!(read(Scale::Words, json!("MODERATE")), Some(Severity::Warning));
        assert_eq!(read(Scale::Words, json!(["x"])), None);
    }
}
