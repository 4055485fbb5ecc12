import { readFileSync } from 'node:fs';

/** What a Prisma schema says of the database, in the words of PostgreSQL's catalogue. */
export interface Table {
  columns: Record<string, { type: string; nullable: boolean; default: string | null }>;
  /** By name: the columns, and whether it is unique; primary keys too. */
  indexes: Record<string, string>;
  /** By name: `columns → table (columns)` and what a change of the parent does. */
  foreignKeys: Record<string, string>;
}

const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Json: 'jsonb',
  Bytes: 'bytea',
};
const NATIVE_TYPES: Record<string, (size: string) => string> = {
  Uuid: () => 'uuid',
  SmallInt: () => 'smallint',
  Date: () => 'date',
  Timestamptz: (size) => `timestamp(${size}) with time zone`,
  Decimal: (size) => `numeric(${size.replace(' ', '')})`,
};

interface Model {
  table: string;
  lines: string[];
  /** Names of columns by those of fields. */
  columns: Map<string, string>;
}

/** Of a schema as plain as ours: whatever the patterns here do not know is an error, never passed over. */
export function readPrismaSchema(path: string): Record<string, Table> {
  const text = readFileSync(path, 'utf8');
  const models = new Map<string, Model>();
  for (const [, name = '', body = ''] of text.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)) {
    const lines = body.split('\n').map((line) => line.trim());
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name;
    models.set(name, {
      table,
      lines: lines.filter((line) => line && !line.startsWith('//')),
      columns: new Map(),
    });
  }
  for (const model of models.values()) {
    for (const line of model.lines) {
      const [, field, type = ''] = /^(\w+)\s+(\w+)/.exec(line) ?? [];
      if (field && !models.has(type)) model.columns.set(field, /@map\("(\w+)"\)/.exec(line)?.[1] ?? field);
    }
  }
  return Object.fromEntries([...models.values()].map((model) => [model.table, toTable(model, models)]));
}

function toTable(model: Model, models: Map<string, Model>): Table {
  const table: Table = { columns: {}, indexes: {}, foreignKeys: {} };
  const columnsOf = (list: string, of = model) =>
    list.split(',').map((field) => known(of.columns.get(field.trim()), `${of.table}: ${field}`));
  const addIndex = (kind: 'pkey' | 'key' | 'idx', columns: string[]) => {
    const name = kind === 'pkey' ? `${model.table}_pkey` : `${model.table}_${columns.join('_')}_${kind}`;
    table.indexes[name] = `${kind === 'idx' ? '' : 'unique '}(${columns.join(', ')})`;
  };

  for (const line of model.lines) {
    if (/^@@map\("\w+"\)$/.test(line)) continue;
    const [, block, fields] = /^@@(id|unique|index)\(\[([\w, ]+)\]\)$/.exec(line) ?? [];
    if (block && fields) {
      addIndex(({ id: 'pkey', unique: 'key', index: 'idx' } as const)[block as 'id'], columnsOf(fields));
      continue;
    }
    const match = /^(\w+)\s+(\w+)(\?|\[\])?(?:\s+(@.*))?$/.exec(line);
    const [, field = '', type = '', mark, attributes = ''] = known(match ?? undefined, line);
    const parent = models.get(type);
    if (parent) {
      if (mark !== '[]') addForeignKey(table, model, parent, attributes, columnsOf);
      continue;
    }
    const column = known(model.columns.get(field), field);
    table.columns[column] = readColumn(model.table, column, type, mark === '?', attributes);
    if (/@id\b/.test(attributes)) addIndex('pkey', [column]);
    if (/@unique\b/.test(attributes)) addIndex('key', [column]);
  }
  return table;
}

function readColumn(table: string, column: string, type: string, nullable: boolean, attributes: string) {
  const unknown = attributes
    .replace(/@(id|unique|map|default)(\((\w+\(\)|[^()]*)\))?/g, '')
    .replace(/@db\.\w+(\([\d, ]+\))?/, '');
  if (unknown.trim()) throw new Error(`${table}.${column}: what is ${unknown}?`);
  const [, native = '', size = ''] = /@db\.(\w+)(?:\(([\d, ]+)\))?/.exec(attributes) ?? [];
  const [, value = null] = /@default\((\w+\(\)|[^()]*)\)/.exec(attributes) ?? [];
  return {
    type: known(native ? NATIVE_TYPES[native]?.(size) : TYPES[type], `${table}.${column}: ${type} ${native}`),
    nullable,
    default: readDefault(table, column, value),
  };
}

function readDefault(table: string, column: string, value: string | null): string | null {
  if (value === null) return null;
  if (value === 'now()') return 'CURRENT_TIMESTAMP';
  if (value === 'autoincrement()') return `nextval('${table}_${column}_seq'::regclass)`;
  return value.startsWith('"') ? `'${value.slice(1, -1)}'::text` : value;
}

function addForeignKey(
  table: Table,
  model: Model,
  parent: Model,
  attributes: string,
  columnsOf: (list: string, of?: Model) => string[],
): void {
  const match = /^@relation\(fields: \[([\w, ]+)\], references: \[([\w, ]+)\]/.exec(attributes);
  const [, fields = '', references = ''] = known(match ?? undefined, attributes);
  const columns = columnsOf(fields);
  // Prisma's own defaults for a relation that is required.
  const onDelete = /onDelete: (\w+)/.exec(attributes)?.[1] ?? 'Restrict';
  const onUpdate = /onUpdate: (\w+)/.exec(attributes)?.[1] ?? 'Cascade';
  table.foreignKeys[`${model.table}_${columns.join('_')}_fkey`] =
    `(${columns.join(', ')}) → ${parent.table} (${columnsOf(references, parent).join(', ')}) ` +
    `on update ${onUpdate.toLowerCase()}, on delete ${onDelete.toLowerCase()}`;
}

function known<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`Not understood of the Prisma schema: ${what}`);
  return value;
}
