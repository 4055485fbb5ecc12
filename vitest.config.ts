import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As Node resolves them: graphql has two builds, and two of them in one process do not know each other.
  resolve: { alias: { graphql: fileURLToPath(import.meta.resolve('graphql')) } },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/helpers/global-setup.ts'],
    // Whatever is set outside: a shell with NODE_ENV=production would run React's and our production paths.
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    // Each test file talks to PostgreSQL, which needs its share of two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000, // starting PostgreSQL on a busy machine
  },
});
