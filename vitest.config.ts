import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Whatever is set outside, and for the global setup and its children too: a shell with
// NODE_ENV=production would test other paths of React and of ours.
process.env.NODE_ENV = 'test';
// A host in no zone that anything here is meant for. Set TZ to run in another one.
process.env.TZ ??= 'Asia/Kathmandu';

export default defineConfig({
  // As Node resolves them: graphql has two builds, and two of them in one process do not know each other.
  resolve: { alias: { graphql: fileURLToPath(import.meta.resolve('graphql')) } },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/helpers/global-setup.ts'],
    pool: 'forks',
    // Each test file talks to PostgreSQL, which needs its share of two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000, // starting PostgreSQL on a busy machine
  },
});
