import { defineConfig } from 'vitest/config';

export default defineConfig({
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
