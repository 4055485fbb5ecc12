import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { readPrismaSchema, type Table } from './prisma-schema.js';

const database = useDatabase();

/** What stands in the migrations alone, since Prisma has no words for it. */
const SQL_ONLY = {
  indexes: {
    // Partial: as small as the backlog, whatever was published before.
    outbox_events_unpublished: "(position) WHERE (status <> 'PUBLISHED'::text)",
    outbox_events_unpublished_by_invoice: "(aggregate_id, position) WHERE (status <> 'PUBLISHED'::text)",
    // Partial: the dead letters that an operator still has to look at.
    dead_letters_open: '(id) WHERE (replayed_at IS NULL)',
    // Nothing but what the foreign key from an invoice to its current revision refers to.
    invoice_pdf_revisions_current: 'unique (invoice_id, revision, object_key)',
  } as Record<string, string>,
  foreignKeys: {
    // A relation of Prisma's would have to be named on both sides, and would make a cycle for every insert.
    invoices_pdf_current_revision:
      '(id, pdf_revision, pdf_object_key) → invoice_pdf_revisions (invoice_id, revision, object_key) ' +
      'on update restrict, on delete restrict',
  } as Record<string, string>,
};

const schema = readPrismaSchema('prisma/schema.prisma');
const tables = Object.keys(schema).sort();
const actual: Record<string, Table> = {};

beforeAll(async () => {
  const { rows } = await database.sql.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')",
  );
  for (const { name } of rows) {
    actual[name] = {
      columns: await columnsOf(name),
      indexes: await indexesOf(name),
      foreignKeys: await foreignKeysOf(name),
    };
  }
});

async function columnsOf(table: string): Promise<Table['columns']> {
  const { rows } = await database.sql.query(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable,
       pg_get_expr(adbin, adrelid) AS default
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  return Object.fromEntries(rows.map(({ name, ...column }) => [name, column]));
}

async function indexesOf(table: string): Promise<Table['indexes']> {
  const { rows } = await database.sql.query(
    `SELECT indexrelid::regclass::text AS name, indisvalid AS valid,
       concat(CASE WHEN indisunique THEN 'unique ' END,
         regexp_replace(pg_get_indexdef(indexrelid), '^.* USING btree ', '')) AS definition
     FROM pg_index WHERE indrelid = $1::regclass`,
    [table],
  );
  expect(rows.every(({ valid }) => valid)).toBe(true);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition.replaceAll('"', '')]));
}

async function foreignKeysOf(table: string): Promise<Table['foreignKeys']> {
  const { rows } = await database.sql.query(
    `SELECT conname AS name, confrelid::regclass::text AS parent, confupdtype AS update, confdeltype AS delete,
       (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
        JOIN pg_attribute ON attrelid = conrelid AND attnum = number) AS columns,
       (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
        JOIN pg_attribute ON attrelid = confrelid AND attnum = number) AS referred
     FROM pg_constraint WHERE contype = 'f' AND conrelid = $1::regclass`,
    [table],
  );
  const actions: Record<string, string> = { r: 'restrict', c: 'cascade', a: 'noaction', n: 'setnull' };
  return Object.fromEntries(
    rows.map((key) => [
      key.name,
      `(${key.columns}) → ${key.parent} (${key.referred}) ` +
        `on update ${actions[key.update]}, on delete ${actions[key.delete]}`,
    ]),
  );
}

function but(names: string[], entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name)));
}

test('the tables are those of the schema, and the one that migrate() keeps', () => {
  expect(Object.keys(actual).sort()).toEqual(['_prisma_migrations', ...tables]);
});

describe.each(tables)('%s', (table) => {
  test('has the columns of its model, with their types, nulls and defaults', () => {
    expect(actual[table]?.columns).toEqual(schema[table]?.columns);
  });

  test('has the keys and indexes of its model, and those that SQL alone can say', () => {
    const indexes = actual[table]?.indexes ?? {};
    expect(but(Object.keys(SQL_ONLY.indexes), indexes)).toEqual(schema[table]?.indexes);
  });

  test('has the foreign keys of its model, and those that SQL alone says', () => {
    const foreignKeys = actual[table]?.foreignKeys ?? {};
    expect(but(Object.keys(SQL_ONLY.foreignKeys), foreignKeys)).toEqual(schema[table]?.foreignKeys);
  });
});

test('what stands in SQL alone is there as it is known here', () => {
  const all = (kind: 'indexes' | 'foreignKeys') =>
    Object.assign({}, ...Object.values(actual).map((table) => table[kind])) as Record<string, string>;
  expect(all('indexes')).toMatchObject(SQL_ONLY.indexes);
  expect(all('foreignKeys')).toMatchObject(SQL_ONLY.foreignKeys);
});
