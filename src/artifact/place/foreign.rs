//! Which paths belong to a language, its packages or its runner rather than to a project.

/// Folders of installed code, anywhere in a path.
const INSIDE: &[&str] = &[
    // JavaScript
    "/node_modules/",
    "/.yarn/",
    "/.pnpm/",
    "/deno.land/",
    "/jsr.io/",
    "/webpack/bootstrap",
    "/webpack/runtime/",
    // Python
    "/site-packages/",
    "/dist-packages/",
    "/lib/python2",
    "/lib/python3",
    "/lib64/python3",
    "/_pytest/",
    // Rust
    "/rustc/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/cargo/registry/",
    "/rustlib/",
    // Go
    "/go/pkg/mod/",
    "/usr/local/go/src/",
    "/libexec/src/",
    "/sdk/go1.",
    "_testmain.go",
    // Ruby, PHP, Go
    "/vendor/",
    "/gems/",
    "/lib/ruby/",
    "/composer/",
    // .NET
    "/.nuget/",
    "/_/src/",
    "/src/libraries/System.",
    // JVM
    "/.m2/",
    "/.gradle/",
    // C, C++, Swift
    "/usr/include/",
    "/usr/lib/",
    "/usr/local/lib/",
    "/usr/share/",
    "/compiler-rt/lib/",
    "/libsanitizer/",
    "/sysdeps/",
    "/nptl/",
    "/Xcode.app/",
    "/swift-corelibs-",
    // Others
    "/hostedtoolcache/",
    "/.pub-cache/",
    "/.julia/",
    "/share/julia/",
    "/.opam/",
    "/perl5/",
    "/.local/share/",
];

/// What the paths of languages and packages begin with.
const FRONT: &[&str] = &[
    "node:",
    "internal/",
    "ext:",
    "bun:",
    "<",
    "(",
    "[",
    "node_modules/",
    "webpack/bootstrap",
    "https://deno.land/",
    "https://jsr.io/",
    "rustc/",
    "library/std/src/",
    "library/core/src/",
    "library/alloc/src/",
    "library/test/src/",
    "site-packages/",
    "vendor/",
    "runtime/",
    "/usr/lib",
    "/lib/",
    "../sysdeps/",
    "./sysdeps/",
    "./nptl/",
    "./stdlib/abort.c",
    "./assert/",
    "../nptl/",
    "dart:",
    "package:flutter/",
    "package:flutter_test/",
    "package:test_api/",
    "package:test/",
    "package:matcher/",
    "package:stack_trace/",
    "package:async/",
    "package:stream_channel/",
    "libraries/base/",
    "libraries/ghc-",
    "stdlib.ml",
    "external/",
];

/// Packages of the JVM that are no project's own, unless the project is the framework itself.
const PACKAGES: &[&str] = &[
    "java/",
    "javax/",
    "jakarta/",
    "jdk/",
    "sun/",
    "com/sun/",
    "kotlin/",
    "kotlinx/",
    "scala/",
    "groovy/",
    "clojure/",
    "org/codehaus/groovy/",
    "org/apache/groovy/",
    "org/junit/",
    "junit/",
    "org/testng/",
    "org/mockito/",
    "org/hamcrest/",
    "org/assertj/",
    "org/opentest4j/",
    "org/gradle/",
    "org/apache/maven/",
    "org/apache/tools/ant/",
    "org/scalatest/",
    "org/scalactic/",
    "org/specs2/",
    "munit/",
    "sbt/",
    "org/spockframework/",
    "org/springframework/",
    "org/hibernate/",
    "net/bytebuddy/",
    "io/kotest/",
    "io/mockk/",
    "reactor/",
    "android/",
    "androidx/",
    "com/android/",
    "com/google/common/",
    "com/fasterxml/jackson/",
    "worksheet/",
];

/// Whether a path belongs to a language, its packages or its runner rather than to a project.
pub fn is_foreign(path: &str) -> bool {
    is_installed(path) || PACKAGES.iter().any(|package| path.starts_with(package))
}

/// The same without the packages of frameworks, which can be the project's own: its tree tells.
pub fn is_installed(path: &str) -> bool {
    let path = path.replace('\\', "/");
    // The dependencies of an Elixir project are fetched into it.
    let fetched = path.strip_prefix("deps/").is_some_and(|rest| rest.contains("/lib/") || rest.contains("/src/"))
        && ["ex", "erl"].iter().any(|end| super::has_extension(&path, end));
    fetched
        || INSIDE.iter().any(|part| path.contains(part))
        || FRONT.iter().any(|part| path.starts_with(part)) && !is_project_front(&path)
}

/// `runtime/` is Go's only for Go's files, and `internal/` is Node's, not Go's.
fn is_project_front(path: &str) -> bool {
    let ends = |extension| super::has_extension(path, extension);
    (path.starts_with("runtime/") && !ends("go")) || (path.starts_with("internal/") && ends("go"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_code_is_foreign_and_the_projects_is_not() {
        for path in [
            "node:internal/modules/cjs/loader",
            "/r/node_modules/x/y.js",
            "webpack:///./node_modules/react-dom/x.js",
            r"C:\hostedtoolcache\windows\Python\3.11\x64\lib\json\x.py",
            "/opt/venv/lib/python3.11/site-packages/x.py",
            "<frozen importlib._bootstrap>",
            "/rustc/abc/library/core/src/panicking.rs",
            "/root/go/pkg/mod/github.com/x/y@v1.0.0/z.go",
            "/usr/local/go/src/testing/testing.go",
            "/app/vendor/phpunit/phpunit/src/X.php",
            "vendor/bundle/ruby/3.2.0/gems/x/y.rb",
            "java/lang/Thread.java",
            "org/junit/Assert.java",
            "/_/src/libraries/System.Private.CoreLib/src/X.cs",
            "../sysdeps/unix/sysv/linux/raise.c",
            "dart:async/zone.dart",
            "package:flutter/src/widgets/framework.dart",
            "(elixir 1.15.7) lib/enum.ex",
            "deps/ecto/lib/ecto/repo.ex",
            "<Base>/error.jl",
        ] {
            assert!(is_foreign(path), "{path}");
        }
        for path in [
            "src/a.rs",
            "/home/runner/work/r/r/lib/x.rb",
            "lib/x.ex",
            "org/x/Foo.java",
            "runtime/a.ts",
            "internal/a/b.go",
            "/usr/src/app/a.js",
            "library/x.py",
            "deps/redis.c",
        ] {
            assert!(!is_foreign(path), "{path}");
        }
        assert!(!is_installed("org/junit/Assert.java"));
    }
}
