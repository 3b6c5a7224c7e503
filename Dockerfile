# The operator as one bundle on a small Node image. Build: docker build -t managed-db-operator:0.1.0 .
# The bundle is the same on every platform, so it is built on the machine's own, and nothing runs under emulation.
FROM --platform=$BUILDPLATFORM node:26.10.0-slim AS build
WORKDIR /app
# The bundle has no package.json of the packages in it. So the SBOM of a release takes in this stage, with its lock file.
ARG BUILDKIT_SBOM_SCAN_STAGE=true
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY docs/reference/openapi.yaml ./docs/reference/
COPY src ./src
# Told by --version and build_info: docker build --build-arg REVISION=$(git rev-parse --short=12 HEAD) .
ARG REVISION=unknown
RUN npm run build -- --revision "$REVISION"

# An exact version. A release has the digest in its provenance; to pin it here, too: docker buildx imagetools inspect node:26.10.0-slim
FROM node:26.10.0-slim
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/dist ./dist
# The release workflow gives all three.
ARG REVISION=unknown
ARG VERSION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="managed-db-operator" \
  org.opencontainers.image.description="A Kubernetes operator for a managed database cloud" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE"
# kubectl exec deploy/managed-db-operator -- managed-db why -A
RUN ln -s /app/dist/managed-db.js /usr/local/bin/managed-db
USER 65532:65532
ENV NODE_ENV=production
EXPOSE 8080
# V8 takes the container's limit for its heap alone, and is killed at it: 60 % leaves room for buffers, code and stacks. A small young
# generation is collected more often and keeps what the process holds near to what it needs. Source maps are beside the bundle, and not loaded:
# NODE_OPTIONS=--enable-source-maps does, for 46 MiB.
ENTRYPOINT ["node", "--max-old-space-size-percentage=60", "--max-semi-space-size=4", "dist/main.js"]
