import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { columnsOf, refusalOf, refusalsByColumn, restricted, unlawful } from './by-hand.js';

const database = useDatabase();
const FROZEN = restricted('outbox_events_frozen');

/** What the forwarder writes of its own work. */
const LIVING = ['status', 'retry_count', 'next_attempt_at', 'last_error', 'published_at'];

const STATES = {
  PENDING: "status = 'PENDING'",
  FAILED: "status = 'FAILED', retry_count = 10, last_error = 'x'",
  PUBLISHED: "status = 'PUBLISHED', published_at = now()",
};
type State = keyof typeof STATES;

let id: string;
let invoiceId: string;
beforeAll(async () => {
  invoiceId = await issueInvoice(database.db);
});

beforeEach(async () => {
  const { rows } = await database.sql.query(
    `INSERT INTO outbox_events (id, event_type, aggregate_type, aggregate_id, payload, created_at)
     VALUES (gen_random_uuid(), 'InvoiceCreated', 'invoice', $1, '{"type": "InvoiceCreated"}', now()) RETURNING id`,
    [invoiceId],
  );
  id = rows[0].id;
});

const set = (changes: string) =>
  refusalOf(database.sql, `UPDATE outbox_events SET ${changes} WHERE id = '${id}'`);

describe.each(Object.keys(STATES) as State[])('a %s event', (state) => {
  beforeEach(async () => {
    expect(await set(STATES[state])).toBe('accepted');
  });

  test.each([
    ['an ordinary session', false],
    ['a session in replica mode', true],
  ])('says what it said, in every column, to %s', async (_, replica) => {
    const where = `id = '${id}'`;
    const refusals = await refusalsByColumn(database.sql, 'outbox_events', {
      where,
      living: LIVING,
      replica,
    });
    const columns = (await columnsOf(database.sql, 'outbox_events')).map(({ name }) => name);
    const frozen = columns.filter((name) => !LIVING.includes(name));
    expect(refusals).toEqual(Object.fromEntries(frozen.map((column) => [column, FROZEN])));
  });

  test('does not change its payload beside its status', async () => {
    expect(await set(`payload = '{}', ${STATES.PUBLISHED}`)).toEqual(FROZEN);
  });

  test.each([false, true])('is deleted only once it is PUBLISHED (replica mode: %s)', async (replica) => {
    const deletion = `DELETE FROM outbox_events WHERE id = '${id}'`;
    const expected = state === 'PUBLISHED' ? 'accepted' : FROZEN;
    expect(await refusalOf(database.sql, deletion, { replica })).toEqual(expected);
  });
});

describe('the status', () => {
  test.each([
    ['PENDING', 'PUBLISHED', true],
    ['PENDING', 'FAILED', true],
    ['FAILED', 'PENDING', true],
    ['FAILED', 'PUBLISHED', true],
    ['PUBLISHED', 'PENDING', false],
    ['PUBLISHED', 'FAILED', false],
  ] as [State, State, boolean][])('%s → %s: %s', async (from, to, allowed) => {
    await set(STATES[from]);
    const move = to === 'PUBLISHED' ? STATES[to] : `${STATES[to]}, published_at = NULL`;
    expect(await set(move)).toEqual(allowed ? 'accepted' : FROZEN);
  });

  test.each([
    ['PUBLISHED without a moment', "status = 'PUBLISHED'", 'outbox_events_published_has_time'],
    ['PENDING with a moment', 'published_at = now()', 'outbox_events_published_has_time'],
    ['a status that there is not', "status = 'SENT'", 'outbox_events_status'],
  ])('is not %s', async (_, changes, constraint) => {
    expect(await set(changes)).toEqual(unlawful(constraint));
  });
});
