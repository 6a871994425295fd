# The image of the container action.
#
#   --target slim   the program, git and certificates: for stages that run no repository code, and as a base of your own
#   (default)       slim, with Rust, Python, Node and a C compiler, readable to the uid that repository code runs as
#
# `scripts/image` builds and tries both without a container engine. All bases are Debian bookworm: the binary is linked
# against its C library. Give each by digest where a build has to be repeatable:
#   --build-arg DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim@sha256:…
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim
# The toolchain of rust-toolchain.toml.
ARG RUST_IMAGE=docker.io/library/rust:1.95.0-slim-bookworm
# The current LTS line.
ARG NODE_IMAGE=docker.io/library/node:26-bookworm-slim
# `compiled` here, or `provided`: a file `unbreak` at the top of the build context, linked for bookworm.
ARG BINARY=compiled

FROM ${NODE_IMAGE} AS node

FROM ${RUST_IMAGE} AS rust
# Its image leaves the toolchain writable to everybody; ours is for code that nobody has reviewed.
RUN rustup component add clippy rustfmt && chmod -R go-w,a+rX "$RUSTUP_HOME" "$CARGO_HOME"

FROM rust AS compiled
ARG PROFILE=dist
WORKDIR /src
COPY Cargo.toml Cargo.lock rust-toolchain.toml ./
# Dependencies are a layer of their own: an empty program of the same manifest needs the same. Behind a proxy with a
# certificate of its own, give that as the secret `ca`.
RUN --mount=type=secret,id=ca \
    if [ -s /run/secrets/ca ]; then export CARGO_HTTP_CAINFO=/run/secrets/ca; fi; \
    mkdir src benches && touch src/lib.rs benches/own_time.rs && echo 'fn main() {}' >src/main.rs \
    && cargo build --locked --profile "$PROFILE" --bin unbreak \
    && rm -r src benches
COPY src src
COPY benches benches
COPY fixtures/demo fixtures/demo
# cargo goes by times, and those of the sources can be older than those of the empty program.
RUN find src -name '*.rs' -exec touch {} + \
    && cargo build --locked --offline --profile "$PROFILE" --bin unbreak \
    && install -m 755 "target/$PROFILE/unbreak" /usr/local/bin/unbreak

FROM scratch AS provided
COPY --chmod=755 unbreak /usr/local/bin/unbreak

FROM ${BINARY} AS chosen

# The program alone: `docker build --target binary --output DIR .`
FROM scratch AS binary
COPY --from=chosen /usr/local/bin/unbreak /unbreak

FROM ${DEBIAN_IMAGE} AS slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git zlib1g \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
COPY --from=binary /unbreak /usr/local/bin/unbreak
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="unbreak" \
      org.opencontainers.image.description="Reads why CI failed, fixes it on a branch, proves the fix and opens a pull request." \
      org.opencontainers.image.source="https://github.com/unbreak-ci/unbreak" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# No USER: GitHub mounts the workspace and the files of commands for root, and only root can give repository code a uid
# of its own, which the walls rest on.
ENTRYPOINT ["/usr/local/bin/unbreak"]
CMD ["action"]

FROM slim AS full
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        g++ gcc libatomic1 libc6-dev make pkg-config python3 python3-dev python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log
ENV RUSTUP_HOME=/usr/local/rustup CARGO_HOME=/usr/local/cargo PATH=/usr/local/cargo/bin:$PATH
COPY --from=rust /usr/local/rustup /usr/local/rustup
COPY --from=rust /usr/local/cargo/bin /usr/local/cargo/bin
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
