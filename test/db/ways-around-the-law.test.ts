import { beforeEach, describe, expect, test } from 'vitest';
import { makeDb } from '../../src/db/client.js';
import { toAppError } from '../../src/db/database-errors.js';
import { getInvoice } from '../../src/invoices/index.js';
import { makeIssueInvoices } from '../../src/invoices/issue-invoices.js';
import { useDatabase } from '../helpers/database.js';
import { aDraft, anOrderOfLines, issueInvoice, keepTestSeller } from '../helpers/issued-invoice.js';
import { refusalOf, restricted, unlawful } from './by-hand.js';
import { insertCopy, insertInvoiceAlone, insertLine, takeNumber } from './copied-invoice.js';

const database = useDatabase();
let id: string;
beforeEach(async () => {
  id = await issueInvoice(database.db);
});
const by = (sql: string, replica = false) => refusalOf(database.sql, sql, { replica });

test('NaN is no amount', async () => {
  const nan = { quantity: 'NaN', unit_price: 'NaN', discount: 'NaN', tax: 'NaN', total: 'NaN' };
  const { quantity, unit_price, ...sums } = nan;
  const refusal = await refusalOf(database.sql, (tx) =>
    insertCopy(tx, id, { invoice: { ...sums, subtotal: 'NaN' }, lines: [nan] }),
  );
  expect(refusal).toMatchObject({ code: '23514' });
});

test('there is no number 00000000', async () => {
  const year = (await database.sql.query('SELECT extract(year FROM now()) AS y')).rows[0].y;
  const refusal = await refusalOf(database.sql, (tx) =>
    insertCopy(tx, id, { invoice: { invoice_number: `INV-${year}-00000000` } }),
  );
  expect(refusal).toMatchObject({ code: '23514' });
});

test('a higher number has no earlier moment, by hand neither', async () => {
  const refusal = await refusalOf(database.sql, (tx) =>
    insertCopy(tx, id, {
      invoice: {
        finalized_at: `${new Date().getUTCFullYear()}-01-01T00:00:00Z`,
        issue_date: `${new Date().getUTCFullYear()}-01-01`,
      },
    }),
  );
  expect(refusal).not.toBe('accepted');
});

describe('a temporary table does not stand in for the real one', () => {
  test('lines', async () => {
    const refusal = await refusalOf(database.sql, async (tx) => {
      await tx.query('CREATE TEMP TABLE invoice_items (LIKE public.invoice_items) ON COMMIT DROP');
      const copy = await insertInvoiceAlone(tx, id, { ...(await takeNumber(tx, id)) });
      await tx.query(
        'INSERT INTO pg_temp.invoice_items SELECT * FROM public.invoice_items WHERE invoice_id = $1',
        [id],
      );
      await tx.query('UPDATE pg_temp.invoice_items SET invoice_id = $1', [copy]);
    });
    expect(refusal).toEqual(unlawful('invoices_sums_match_lines', 'COMMIT'));
  });
  test('invoices, for a gap', async () => {
    const refusal = await refusalOf(database.sql, async (tx) => {
      const n = (await takeNumber(tx, id)).invoice_number;
      await tx.query(
        `CREATE TEMP TABLE invoices ON COMMIT DROP AS SELECT * FROM public.invoices WHERE id = '${id}'`,
      );
      await tx.query('UPDATE pg_temp.invoices SET invoice_number = $1', [n]);
    });
    expect(refusal).toEqual(unlawful('invoice_number_counters_without_gaps', 'COMMIT'));
  });
  test('invoices, for a line more', async () => {
    const refusal = await refusalOf(database.sql, async (tx) => {
      await tx.query('CREATE TEMP TABLE invoices ON COMMIT DROP AS SELECT * FROM public.invoices LIMIT 0');
      await tx.query(
        `INSERT INTO public.invoice_items SELECT copy.* FROM public.invoice_items AS original,
         LATERAL jsonb_populate_record(original, '{"id": 99999999, "line_number": 2}') AS copy WHERE original.invoice_id = $1`,
        [id],
      );
    });
    expect(refusal).toEqual(restricted('invoice_items_within_line_count'));
  });
  test('an operator of a schema in front', async () => {
    const refusal = await refusalOf(database.sql, async (tx) => {
      await tx.query(`CREATE SCHEMA evil;
        CREATE FUNCTION evil.nothing(jsonb, text[]) RETURNS jsonb LANGUAGE sql AS $$ SELECT '{}'::jsonb $$;
        CREATE OPERATOR evil.- (LEFTARG = jsonb, RIGHTARG = text[], FUNCTION = evil.nothing);
        SET LOCAL search_path = evil, pg_catalog, public`);
      await tx.query(`UPDATE invoices SET customer_name = 'Somebody Else' WHERE id = '${id}'`);
    });
    expect(refusal).toEqual(restricted('invoices_frozen'));
  });
});

describe('in replica mode', () => {
  test('lines of other places', async () => {
    const two = await issueInvoice(database.db, anOrderOfLines(2));
    let copy = '';
    const refusal = await refusalOf(
      database.sql,
      async (tx) => {
        copy = '00000000-0000-7000-8000-0000000000aa';
        await insertLine(tx, two, { invoice_id: copy, line_number: 7 });
        await insertLine(tx, two, { invoice_id: copy, line_number: 8 });
        await insertInvoiceAlone(tx, two, { id: copy, ...(await takeNumber(tx, two)) });
      },
      { replica: true },
    );
    expect(refusal).not.toBe('accepted');
  });
});

describe('notifications', () => {
  test.each(['DELETE FROM notifications', 'TRUNCATE notifications'])('%s', async (s) => {
    await database.sql.query(
      `INSERT INTO notifications (id, invoice_id, event_id, created_at) VALUES (gen_random_uuid(), $1, gen_random_uuid(), now())`,
      [id],
    );
    expect(await by(s)).not.toBe('accepted');
  });
});

test.each(['pdf_failures = -5', 'pdf_takeovers = -1'])('%s', async (c) => {
  expect(await by(`UPDATE invoices SET ${c} WHERE id = '${id}'`)).not.toBe('accepted');
});

test('times are read right from a server that stands in another zone', async () => {
  const url = new URL(database.url);
  await database.sql.query(`ALTER DATABASE ${url.pathname.slice(1)} SET timezone = 'Asia/Tokyo'`);
  const db = makeDb({ url: database.url, poolSize: 1, applicationName: 'tokyo' });
  try {
    const { rows } = await database.sql.query('SELECT finalized_at FROM invoices WHERE id = $1', [id]);
    expect((await getInvoice(db, id)).finalizedAt.getTime()).toBe(rows[0].finalized_at.getTime());
  } finally {
    await db.$disconnect();
  }
});

test.each(['NULL', "'2999-01-01'", "'infinity'"])(
  'the moment of a counter is not set to %s',
  async (moment) => {
    expect(await by(`UPDATE invoice_number_counters SET last_finalized_at = ${moment}`)).not.toBe('accepted');
  },
);
test('a counter does not begin with a moment', async () => {
  expect(
    await by("INSERT INTO invoice_number_counters (year, last_finalized_at) VALUES (2030, '2999-01-01')"),
  ).not.toBe('accepted');
});

test('a session that ends at COMMIT is an unavailable database', async () => {
  await database.sql.query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER zz_die AFTER INSERT ON invoices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()`);
  const error = await makeIssueInvoices(database)([aDraft(await keepTestSeller(database.db))]).catch(
    (e: unknown) => e,
  );
  await database.sql.query('DROP TRIGGER zz_die ON invoices');
  expect(toAppError(error)?.code).toBe('DEPENDENCY_UNAVAILABLE');
});
