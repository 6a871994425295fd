//! Go: `func TestX(t *testing.T)`, benchmarks, fuzz targets and examples.

use super::{Function, block_end, line_start};
use crate::gate::pattern::patterns;

patterns! {
    FUNCTION = r"(?m)^func\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)\s*(\([^)]*\))?";
    TEST = r"^(?:Test|Fuzz|Benchmark|Example)(?:[A-Z0-9_]|$)";
}

pub(super) fn functions(code: &str) -> Vec<Function> {
    FUNCTION
        .captures_iter(code)
        .filter_map(|found| {
            let name = found.get(1)?;
            let takes = found.get(2).map_or("", |parameters| parameters.as_str());
            let test =
                TEST.is_match(name.as_str()) && (takes.contains("testing.") || name.as_str().starts_with("Example"));
            let span = line_start(code, name.start())..block_end(code, name.end(), b'{', b'}');
            Some(Function { name: name.as_str().into(), symbol: name.as_str().into(), span, test })
        })
        .collect()
}
