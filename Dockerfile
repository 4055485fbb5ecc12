FROM node:24-slim AS base
WORKDIR /app

FROM base AS build
# Prisma's install script and its `generate` would otherwise fetch an engine that neither of them runs.
ENV PRISMA_SCHEMA_ENGINE_BINARY=/usr/local/bin/node
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN node scripts/prepare.mjs

FROM base AS packages
COPY package.json package-lock.json ./
# Without the optional ones: they are PostgreSQL's binaries (production has a DATABASE_URL) and the Prisma
# CLI (migrations are applied at start, by the service itself). No package left over needs its install script.
# Ruru answers from its own bundle (dist/bundleCode.js): what that was built from would be another 200 MB.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund \
  && npm cache clean --force \
  && rm -rf node_modules/ruru/static node_modules/monaco-editor node_modules/react-aria

FROM base
# 0.0.0.0: inside a container, loopback would be nobody's. /data takes PDF files (STORAGE=filesystem) and
# mails kept as files (no SMTP_URL); nothing else is written, so the root filesystem may be read-only.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
RUN install -d -o node -g node -m 700 /data
COPY package.json ./
COPY prisma/migrations ./prisma/migrations
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
EXPOSE 4000
# The start period covers migrations; the inner time limit leaves the outer one to Docker.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz', { signal: AbortSignal.timeout(4000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not through npm, which would stand between the stop signal and the service.
CMD ["node", "dist/main.js"]
