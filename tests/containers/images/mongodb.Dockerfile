# A stand-in for the image of MongoDB where no registry can be reached: the embedded engine's process behind a TCP port. It is
# MongoDB's engine without its server: no authentication, no replica set, no transactions.
#
#     docker build -f tests/containers/images/mongodb.Dockerfile -t gatehouse/mongodb-standin:local .
ARG NODE_IMAGE=node:26-trixie-slim
FROM ${NODE_IMAGE}
WORKDIR /engine
COPY packages/engine/package.json packages/engine/host.mjs ./
RUN npm install --omit=dev --no-audit --no-fund --no-package-lock
COPY tests/containers/images/mongodb.mjs ./
LABEL dev.gatehouse.stands-in-for=mongodb
EXPOSE 27017
ENTRYPOINT ["node", "mongodb.mjs"]
