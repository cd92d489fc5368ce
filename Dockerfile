# An image that contains only the program. goreleaser builds it from its own
# binaries (TARGETPLATFORM/sweep). To build it by hand for one platform:
#   CGO_ENABLED=0 go build -o linux/amd64/sweep ./cmd/sweep
#   mkdir -p dist-files && packaging/notices > dist-files/NOTICES
#   docker build --build-arg TARGETPLATFORM=linux/amd64 -t sweep .
FROM scratch
ARG TARGETPLATFORM
COPY ${TARGETPLATFORM}/sweep /usr/bin/sweep
COPY LICENSE dist-files/NOTICES /usr/share/doc/sweep/
# Sweep writes "out" into the working directory: mount a directory here, and
# give --user "$(id -u):$(id -g)" if it is yours alone.
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/bin/sweep"]
