# A substitute for the image of MongoDB where no registry is reachable: the embedded engine, which is
# MongoDB's without its server, behind the users and the replica set of dev/mongod, with
# MongoDB's own shell from npm. It starts like the official image.
#
#     docker build -f tests/containers/images/mongodb.Dockerfile -t gatehouse/mongodb-standin:local .
ARG NODE_IMAGE=node:26-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
FROM ${NODE_IMAGE}
RUN npm install --global --omit=optional --no-audit --no-fund mongosh@2.12.0
RUN useradd --system --uid 999 mongodb
WORKDIR /standin
COPY packages/engine/package.json packages/engine/host.mjs ./
# The newer C library is part of this repository and not of a registry. This image needs none.
RUN npm pkg delete 'dependencies.@gatehouse/newer-libc' \
  && npm install --no-audit --no-fund --no-package-lock
COPY dev/mongod ./mongod
COPY tests/containers/images/mongodb.mjs ./
COPY tests/containers/images/mongod tests/containers/images/docker-entrypoint.sh /usr/local/bin/
LABEL dev.gatehouse.stands-in-for=mongodb
VOLUME /data/db
EXPOSE 27017
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["mongod"]
