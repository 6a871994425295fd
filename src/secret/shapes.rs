//! The shapes of well-known credentials: found without knowing the value.
//!
//! A shape has a prefix or a frame that nothing else has, so that source code is left alone. One row a shape.

/// One kind of credential.
pub(super) struct Shape {
    /// What it is called in a report.
    pub(super) kind: &'static str,
    /// What it looks like. The group `secret`, if there is one, is the part to mask.
    pub(super) pattern: &'static str,
}

/// All shapes that we know. Private keys come first: they span lines and hold other shapes.
pub(super) const SHAPES: &[Shape] = &[
    Shape {
        kind: "private key",
        // A block whose end was cut off (a truncated log) is masked as far as it reads like one.
        pattern: r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.\-]*?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,.\-]*)",
    },
    Shape { kind: "GitHub token", pattern: r"\b(?:gh[oprsu]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})" },
    Shape { kind: "GitLab token", pattern: r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_\-]{20,}" },
    Shape { kind: "model service key", pattern: r"\bsk-(?:[a-z]+[0-9]*-)*[A-Za-z0-9_\-]{20,}" },
    Shape { kind: "AWS key id", pattern: r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b" },
    Shape { kind: "Google key", pattern: r"\bAIza[A-Za-z0-9_\-]{35}" },
    Shape { kind: "Slack token", pattern: r"\bxox[abeoprs]-[A-Za-z0-9\-]{10,}" },
    Shape { kind: "npm token", pattern: r"\bnpm_[A-Za-z0-9]{36}" },
    Shape { kind: "package index token", pattern: r"\bpypi-[A-Za-z0-9_\-]{32,}" },
    Shape { kind: "Stripe key", pattern: r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}" },
    Shape { kind: "JSON web token", pattern: r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}" },
    Shape {
        kind: "password in a URL",
        pattern: r#"\b[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s/?#@:"'<>]{0,256}:(?P<secret>[^\s/?#@"'<>]{1,256})@"#,
    },
    Shape {
        kind: "authorization header",
        pattern: r"(?i)\bauthorization[\x22']?\s*[:=]\s*[\x22']?(?:basic|bearer|token)\s+(?P<secret>[A-Za-z0-9+/=._~\-]{8,})",
    },
];
