# An image that contains only the program. goreleaser builds it from its own
# binaries (TARGETPLATFORM/sweep). To build it by hand for one platform:
#   CGO_ENABLED=0 go build -o linux/amd64/sweep ./cmd/sweep
#   docker build --build-arg TARGETPLATFORM=linux/amd64 -t sweep .
FROM scratch
ARG TARGETPLATFORM
COPY ${TARGETPLATFORM}/sweep /usr/bin/sweep
# Sweep writes "out" into the working directory: mount a directory here.
WORKDIR /work
ENTRYPOINT ["/usr/bin/sweep"]
