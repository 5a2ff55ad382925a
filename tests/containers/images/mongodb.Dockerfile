# A stand-in for the image of MongoDB where no registry can be reached: the embedded engine, which is MongoDB's without its
# server, behind the users and the replica set of packages/testing/mongod, with MongoDB's own shell from npm. It is started as the
# official image is.
#
#     docker build -f tests/containers/images/mongodb.Dockerfile -t gatehouse/mongodb-standin:local .
ARG NODE_IMAGE=node:26-trixie-slim
FROM ${NODE_IMAGE}
RUN npm install --global --omit=optional --no-audit --no-fund mongosh@2.12.0
RUN useradd --system --uid 999 mongodb
WORKDIR /standin
COPY packages/engine/package.json packages/engine/host.mjs ./
RUN npm install --no-audit --no-fund --no-package-lock
COPY packages/testing/mongod ./mongod
COPY tests/containers/images/mongodb.mjs ./
COPY tests/containers/images/mongod tests/containers/images/docker-entrypoint.sh /usr/local/bin/
LABEL dev.gatehouse.stands-in-for=mongodb
VOLUME /data/db
EXPOSE 27017
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["mongod"]
