# mock-apns, one executable that needs glibc alone, built by Swift and run on Debian slim by a user who is not root.
#
#   docker build -t mock-apns .
#   docker run --rm -p 127.0.0.1:2197:2197 -p 127.0.0.1:2198:2198 mock-apns
ARG BUILD_BASE=docker.io/library/swift:6.3-bookworm
ARG RUN_BASE=docker.io/library/debian:bookworm-slim

# What runs comes first, so that an engine that does not know `--start-interval` says so before anything is compiled.
FROM ${RUN_BASE} AS run
RUN useradd --uid 1000 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin mock-apns \
    # Like /tmp, so that the volume can be written by whatever `--user` says; keys are readable by their owner only.
    && install -d -o mock-apns -g mock-apns -m 1777 /certs
COPY .container/entrypoint /usr/local/bin/mock-apns-container
COPY scenarios /scenarios

ARG VERSION=development
ARG REVISION=unknown
LABEL org.opencontainers.image.title="mock-apns" \
      org.opencontainers.image.description="A server that answers like the Apple Push Notification service" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"

# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
# The folder `certs` of every command is /certs, and `scenarios/tour.json` is found as in a clone.
WORKDIR /
VOLUME /certs
# Providers; the admin API.
EXPOSE 2197 2198
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=15s --start-period=60s --start-interval=1s --retries=3 CMD ["mock-apns", "ready"]
ENTRYPOINT ["mock-apns-container"]

FROM ${BUILD_BASE} AS build
RUN apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends libhiredis-dev libnghttp2-dev libpcre2-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies change seldom: they are fetched again only when the manifest does.
COPY Package.swift ./
RUN swift package --scratch-path /made/build resolve
# The manifest names the tests' folders, so they have to be there; they are not built.
COPY Sources Sources
COPY Tests Tests
# The executable brings the scenarios with it.
COPY scenarios scenarios
COPY .ci/static .ci/
# Further options of `swift build`, `-j 2` for one.
ARG BUILD_OPTIONS=
RUN .ci/static /made ${BUILD_OPTIONS}

FROM run
COPY --from=build /made/mock-apns /usr/local/bin/
