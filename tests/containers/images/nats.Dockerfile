# A stand-in for the image of NATS where no registry can be reached: Debian's own nats-server.
#
#     docker build -f tests/containers/images/nats.Dockerfile -t gatehouse/nats-standin:local .
ARG RUNTIME_IMAGE=debian:trixie-slim@sha256:a29215f6a35e51e22adffa17f89e9d2ef06214e64a2bad10d765c46aea49f11f
FROM ${RUNTIME_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends nats-server \
  && rm -rf /var/lib/apt/lists/*
EXPOSE 4222
ENTRYPOINT ["nats-server"]
