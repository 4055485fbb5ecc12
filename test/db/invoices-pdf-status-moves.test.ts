import { beforeEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { refusalOf, restricted, unlawful } from './by-hand.js';

const database = useDatabase();
const STATUSES = ['PENDING', 'PROCESSING', 'GENERATED', 'FAILED'] as const;
type Status = (typeof STATUSES)[number];
const REFUSED = restricted('invoices_pdf_status_moves');

/** Where each status may go; the status itself stands for a change beside it, as of the lease. */
const FINALIZED_MOVES: Record<Status, Status[]> = {
  PENDING: ['PENDING', 'PROCESSING'],
  PROCESSING: ['PROCESSING', 'GENERATED', 'FAILED'],
  GENERATED: ['GENERATED', 'PENDING'],
  FAILED: ['FAILED', 'PROCESSING', 'PENDING'],
};
/** A cancelled invoice is not regenerated; what is under way is finished and rescued. */
const CANCELLED_MOVES: Record<Status, Status[]> = {
  ...FINALIZED_MOVES,
  GENERATED: ['GENERATED'],
  FAILED: ['FAILED', 'PROCESSING'],
};

/** A move as the service makes it, so that only where it comes from can be wrong. */
const WELL_FORMED: Record<Status, string> = {
  PENDING: "pdf_status = 'PENDING', pdf_error_code = NULL, pdf_lease_until = NULL",
  PROCESSING: `pdf_status = 'PROCESSING', pdf_attempt = pdf_attempt + 1, pdf_error_code = NULL,
    pdf_lease_until = now() + interval '1 minute'`,
  GENERATED: `pdf_status = 'GENERATED', pdf_error_code = NULL, pdf_lease_until = NULL,
    pdf_revision = pdf_attempt, pdf_object_key = 'invoices/test/' || id || '/r' || pdf_attempt || '.pdf'`,
  FAILED: "pdf_status = 'FAILED', pdf_error_code = 'RENDER_FAILED', pdf_lease_until = NULL",
};
const WAYS: Record<Status, Status[]> = {
  PENDING: [],
  PROCESSING: ['PROCESSING'],
  GENERATED: ['PROCESSING', 'GENERATED'],
  FAILED: ['PROCESSING', 'FAILED'],
};

let id: string;
beforeEach(async () => {
  id = await issueInvoice(database.db);
  // Files of the attempts that the tests come to, so that no missing one refuses in the trigger's place.
  await database.sql.query(
    `INSERT INTO invoice_pdf_revisions
     SELECT $1::uuid, n, 'invoices/test/' || $1::uuid || '/r' || n || '.pdf', repeat('0', 64), 1, '1', now()
     FROM generate_series(1, 3) AS n`,
    [id],
  );
});

const set = (changes: string, replica = false) =>
  refusalOf(database.sql, `UPDATE invoices SET ${changes} WHERE id = '${id}'`, { replica });

async function bringTo(status: Status, ...further: Status[]): Promise<void> {
  for (const step of [...WAYS[status], ...further]) expect(await set(WELL_FORMED[step])).toBe('accepted');
}

const cancel = () => set("status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'wrong'");

describe.each(STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const)))(
  '%s → %s',
  (from, to) => {
    test.each([
      ['FINALIZED', FINALIZED_MOVES[from].includes(to)],
      ['CANCELLED', CANCELLED_MOVES[from].includes(to)],
    ])('of a %s invoice: %s', async (status, allowed) => {
      await bringTo(from);
      if (status === 'CANCELLED') expect(await cancel()).toBe('accepted');
      expect(await set(WELL_FORMED[to], true)).toEqual(allowed ? 'accepted' : REFUSED);
      if (!allowed) expect(await set(WELL_FORMED[to])).toEqual(REFUSED);
    });
  },
);

test('a regenerate is refused in the very UPDATE that cancels', async () => {
  await bringTo('GENERATED');
  const both = `${WELL_FORMED.PENDING}, status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'wrong'`;
  expect(await set(both)).toEqual(REFUSED);
});

describe('the attempt', () => {
  test.each([
    ['PENDING', ['PROCESSING', 'FAILED', 'PENDING']],
    ['PROCESSING', ['PROCESSING']],
    ['GENERATED', ['PROCESSING', 'GENERATED']],
    ['FAILED', ['PROCESSING', 'FAILED']],
  ] as [Status, Status[]][])('is not lowered in %s', async (_, way) => {
    await bringTo('PENDING', ...way);
    expect(await set('pdf_attempt = pdf_attempt - 1')).toEqual(REFUSED);
    expect(await set('pdf_attempt = 0')).toEqual(REFUSED);
  });

  test.each(['PENDING', 'FAILED'] as Status[])('is raised by a claim from %s', async (from) => {
    await bringTo(from);
    const claim = "pdf_status = 'PROCESSING', pdf_error_code = NULL, pdf_lease_until = now()";
    expect(await set(claim)).toEqual(REFUSED);
    expect(await set(`${claim}, pdf_attempt = pdf_attempt + 1`)).toBe('accepted');
  });

  test('may stay when a lease is extended, and rise when it is taken over', async () => {
    await bringTo('PROCESSING');
    expect(await set("pdf_lease_until = now() + interval '1 hour'")).toBe('accepted');
    expect(await set('pdf_attempt = 2, pdf_takeovers = 1')).toBe('accepted');
  });
});

describe('the revision', () => {
  const file = (revision: number | string) =>
    `pdf_revision = ${revision}, pdf_object_key = 'invoices/test/' || id || '/r' || ${revision} || '.pdf'`;

  test.each([1, 3])('of a finished attempt 2 is not %d', async (revision) => {
    await bringTo('FAILED', 'PROCESSING');
    const finish = `${WELL_FORMED.GENERATED}, pdf_attempt = 2`.replace(/pdf_revision.*$/s, file(revision));
    expect(await set(finish)).toEqual(REFUSED);
    expect(await set(WELL_FORMED.GENERATED)).toBe('accepted');
  });

  test.each([
    ['PENDING', []],
    ['PENDING', ['PROCESSING', 'GENERATED', 'PENDING']],
    ['PROCESSING', []],
    ['FAILED', []],
    ['GENERATED', []],
  ] as [Status, Status[]][])(
    'in %s, come by %j, is not exchanged, set or taken away',
    async (status, further) => {
      await bringTo(status, ...further);
      expect(await set(file(3))).toEqual(REFUSED);
      const { rows } = await database.sql.query('SELECT pdf_revision FROM invoices WHERE id = $1', [id]);
      if (rows[0].pdf_revision !== null) {
        expect(await set('pdf_revision = NULL, pdf_object_key = NULL')).toEqual(REFUSED);
        expect(await set("pdf_object_key = 'another.pdf'")).toEqual(REFUSED);
      }
    },
  );

  test('stays the former one through a regenerate, until the next is finished', async () => {
    await bringTo('GENERATED', 'PENDING', 'PROCESSING', 'FAILED', 'PROCESSING');
    const { rows } = await database.sql.query('SELECT pdf_revision FROM invoices WHERE id = $1', [id]);
    expect(rows).toEqual([{ pdf_revision: 1 }]);
    expect(await set(WELL_FORMED.GENERATED)).toBe('accepted');
  });
});

describe('a status is what its columns say', () => {
  test.each([
    [
      'PROCESSING without a lease',
      'PROCESSING',
      'pdf_lease_until = NULL',
      'invoices_pdf_processing_has_lease',
    ],
    ['PENDING with a lease', 'PENDING', 'pdf_lease_until = now()', 'invoices_pdf_processing_has_lease'],
    ['GENERATED with a lease', 'GENERATED', 'pdf_lease_until = now()', 'invoices_pdf_processing_has_lease'],
    ['PENDING with a retry due', 'PENDING', 'pdf_retry_at = now()', 'invoices_pdf_retry_is_of_failed'],
    ['PROCESSING with a retry due', 'PROCESSING', 'pdf_retry_at = now()', 'invoices_pdf_retry_is_of_failed'],
    ['GENERATED with a retry due', 'GENERATED', 'pdf_retry_at = now()', 'invoices_pdf_retry_is_of_failed'],
    ['FAILED without a code', 'FAILED', 'pdf_error_code = NULL', 'invoices_pdf_failed_has_code'],
    ['GENERATED with a code', 'GENERATED', "pdf_error_code = 'X'", 'invoices_pdf_failed_has_code'],
  ] as [string, Status, string, string][])('%s is refused', async (_, status, changes, constraint) => {
    await bringTo(status);
    expect(await set(changes)).toEqual(unlawful(constraint));
  });

  test.each(["'DONE'", "'pending'"])('%s is no status', async (status) => {
    expect(await set(`pdf_status = ${status}`)).toEqual(REFUSED);
  });
});
