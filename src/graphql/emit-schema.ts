import { readFileSync, writeFileSync } from 'node:fs';
import { printSchema } from 'graphql';
import { makeSchema, type SchemaDeps } from './schema.js';

// Run as a program: writes the schema that the resolvers declare to schema.graphql, or with --check says
// whether the committed one is that. Nothing is resolved, so there is nothing behind the resolvers.
const FILE = 'schema.graphql';
const HEADER =
  '# Emitted from src/graphql by `npm run fix:schema`; checked to be current by `npm run check:schema`.\n\n';

const nothingBehind = {} as SchemaDeps;
const emitted = `${HEADER}${printSchema(await makeSchema(nothingBehind))}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, emitted);
} else if (readFileSync(FILE, 'utf8') !== emitted) {
  console.error(`${FILE} is not what the resolvers declare`);
  process.exitCode = 1;
}
