import { defineConfig } from 'prisma/config';

// The CLI fetches its schema engine from outside the npm registry even for `generate`, which never runs
// it: any existing file will do. `prisma migrate` needs the real one, named here or left to be fetched.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

const url = process.env.DATABASE_URL;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url ? { datasource: { url } } : {}),
});
