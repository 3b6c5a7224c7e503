# The operator as one bundle on a small Node image. Build: docker build -t managed-db-operator:0.1.0 .
FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
# Told by --version and build_info: docker build --build-arg REVISION=$(git rev-parse --short=12 HEAD) .
ARG REVISION=unknown
RUN npm run build -- --revision "$REVISION"

FROM node:26-slim
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/dist ./dist
USER 65532:65532
ENV NODE_ENV=production
EXPOSE 8080
ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]
