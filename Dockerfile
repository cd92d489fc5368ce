# An image with nothing but the program. goreleaser builds it from its own
# binaries (TARGETPLATFORM/sweep). By hand, for the machine at hand:
#   CGO_ENABLED=0 go build -o linux/amd64/sweep ./cmd/sweep
#   docker build --build-arg TARGETPLATFORM=linux/amd64 -t sweep .
FROM scratch
ARG TARGETPLATFORM
COPY ${TARGETPLATFORM}/sweep /usr/bin/sweep
# The working directory is where "out" is written: mount one here.
WORKDIR /work
ENTRYPOINT ["/usr/bin/sweep"]
