import { beforeAll, describe, expect, test } from 'vitest';
import { keepSeller } from '../../src/invoices/seller.js';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice, keepTestSeller } from '../helpers/issued-invoice.js';
import { columnsOf, refusalOf, refusalsByColumn, restricted, unlawful } from './by-hand.js';

const database = useDatabase();

let id: string;
let plain: string;
beforeAll(async () => {
  await issueInvoice(database.db);
  id = await keepTestSeller(database.db);
  const nothingMore = { taxId: null, email: null, logo: null };
  plain = await keepSeller(database.db, { name: 'Plain', address: 'Street 1', ...nothingMore });
});

describe.each([
  ['an ordinary session', false],
  ['a session in replica mode', true],
])('sellers_frozen, in %s', (_, replica) => {
  test.each([
    ['with a logo', () => id],
    ['without', () => plain],
  ])('every column of a seller %s is refused', async (__, seller) => {
    const where = `id = '${seller()}'`;
    const refusals = await refusalsByColumn(database.sql, 'sellers', { where, replica });
    const columns = (await columnsOf(database.sql, 'sellers')).map(({ name }) => name);
    expect(Object.keys(refusals)).toEqual(expect.arrayContaining(columns));
    for (const refusal of Object.values(refusals)) expect(refusal).toEqual(restricted('sellers_frozen'));
  });

  test('a seller of no invoice is not deleted either', async () => {
    expect(await refusalOf(database.sql, `DELETE FROM sellers WHERE id = '${plain}'`, { replica })).toEqual(
      restricted('sellers_frozen'),
    );
  });
});

test('the same content is kept once, with its first bytes', async () => {
  const before = (await database.sql.query('SELECT * FROM sellers ORDER BY id')).rows;
  expect(await keepTestSeller(database.db)).toBe(id);
  expect((await database.sql.query('SELECT * FROM sellers ORDER BY id')).rows).toEqual(before);
});

test.each([
  ['an id that is no hash', "'short', 'n', 'a', NULL, NULL, NULL, NULL", 'sellers_id_is_sha256'],
  [
    'a logo of no type',
    "repeat('a', 64), 'n', 'a', NULL, NULL, '\\x00', NULL",
    'sellers_logo_has_media_type',
  ],
  [
    'a type of no logo',
    "repeat('a', 64), 'n', 'a', NULL, NULL, NULL, 'image/png'",
    'sellers_logo_has_media_type',
  ],
  [
    'a logo of another type',
    "repeat('a', 64), 'n', 'a', NULL, NULL, '\\x00', 'image/svg+xml'",
    'sellers_logo_has_media_type',
  ],
])('a seller with %s is refused', async (_, values, constraint) => {
  expect(await refusalOf(database.sql, `INSERT INTO sellers VALUES (${values})`)).toEqual(
    unlawful(constraint),
  );
});
