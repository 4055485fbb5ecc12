import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { columnsOf, refusalOf, refusalsByColumn, restricted, unlawful } from './by-hand.js';

const database = useDatabase();
const REFUSED = restricted('notifications_status_moves');

/** What a delivery writes of its own work. */
const LIVING = [
  'status',
  'error_code',
  'attempt',
  'failures',
  'takeovers',
  'unanswered',
  'lease_until',
  'retry_at',
  'sent_at',
];

const WELL_FORMED = {
  PENDING:
    "status = 'PENDING', error_code = NULL, sent_at = NULL, attempt = attempt + 1, lease_until = now()",
  SENT: "status = 'SENT', error_code = NULL, sent_at = now(), lease_until = NULL",
  FAILED: `status = 'FAILED', error_code = 'SMTP_ERROR', sent_at = NULL, lease_until = NULL,
    failures = failures + 1`,
};
type Status = keyof typeof WELL_FORMED;
const STATUSES = Object.keys(WELL_FORMED) as Status[];

/** PENDING → PENDING is a claim or a take-over, FAILED → FAILED a change beside the status. */
const MOVES: Record<Status, Status[]> = {
  PENDING: ['PENDING', 'SENT', 'FAILED'],
  SENT: [],
  FAILED: ['PENDING', 'FAILED'],
};

let id: string;
let invoiceId: string;
beforeAll(async () => {
  invoiceId = await issueInvoice(database.db);
});
beforeEach(async () => {
  const { rows } = await database.sql.query(
    `INSERT INTO notifications (id, invoice_id, event_id, attempt, created_at)
     VALUES (gen_random_uuid(), $1, gen_random_uuid(), 1, now()) RETURNING id`,
    [invoiceId],
  );
  id = rows[0].id;
});

const set = (changes: string, replica = false) =>
  refusalOf(database.sql, `UPDATE notifications SET ${changes} WHERE id = '${id}'`, { replica });

describe.each(STATUSES)('a %s notification', (from) => {
  beforeEach(async () => {
    if (from !== 'PENDING') expect(await set(WELL_FORMED[from])).toBe('accepted');
  });

  test.each(STATUSES.map((to) => [to, MOVES[from].includes(to)] as const))(
    '→ %s: %s',
    async (to, allowed) => {
      expect(await set(WELL_FORMED[to], true)).toEqual(allowed ? 'accepted' : REFUSED);
      if (!allowed) expect(await set(WELL_FORMED[to])).toEqual(REFUSED);
    },
  );

  test.each([false, true])('stays the one of its event (replica mode: %s)', async (replica) => {
    const where = `id = '${id}'`;
    const refusals = await refusalsByColumn(database.sql, 'notifications', {
      where,
      living: LIVING,
      replica,
    });
    const columns = (await columnsOf(database.sql, 'notifications')).map(({ name }) => name);
    const frozen = columns.filter((name) => !LIVING.includes(name));
    expect(refusals).toEqual(Object.fromEntries(frozen.map((column) => [column, REFUSED])));
  });

  test('does not lower its attempt', async () => {
    expect(await set('attempt = attempt - 1')).toEqual(REFUSED);
  });
});

test.each([
  ['another moment', "sent_at = sent_at + interval '1 s'"],
  ['an attempt more', 'attempt = attempt + 1'],
  ['a lease', 'lease_until = now()'],
  ['nothing', 'status = status'],
])('SENT is said for ever: not even %s is written', async (_, changes) => {
  await set(WELL_FORMED.SENT);
  expect(await set(changes)).toEqual(REFUSED);
});

test.each([
  ['SENT without a moment', "status = 'SENT'", 'notifications_sent_has_time'],
  ['PENDING with a moment', 'sent_at = now()', 'notifications_sent_has_time'],
  ['FAILED without a code', "status = 'FAILED'", 'notifications_failed_has_code'],
  ['PENDING with a code', "error_code = 'SMTP_ERROR'", 'notifications_failed_has_code'],
  ['PENDING with a retry due', 'retry_at = now()', 'notifications_retry_is_of_failed'],
  ['a status that there is not', "status = 'READ'", 'notifications_status'],
])('a notification does not become %s', async (_, changes, constraint) => {
  expect(await set(changes)).toEqual(unlawful(constraint));
});
