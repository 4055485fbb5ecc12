import { expect, test } from 'vitest';
import { writeDeadLetter } from '../../src/outbox/dead-letter-rows.js';
import { RenderFailed } from '../../src/pdf/renderer.js';
import { useApi } from '../helpers/api.js';
import { useDatabase } from '../helpers/database.js';
import { eventOf } from '../helpers/events.js';
import { codeOf } from '../helpers/graphql-client.js';
import { issueInvoice } from '../helpers/issued-invoice.js';
import { A_PDF, makePdfWork } from '../helpers/pdf-work.js';

const database = useDatabase();
const api = useApi(() => ({ DATABASE_URL: database.url }));
const admin = api.as('admin', 'u_admin');
const service = api.as('service', 'checkout');

let fails = true;
const { generatePdf } = makePdfWork(() => database.db, {
  retryDelaysSeconds: [],
  render: async () => {
    if (fails) throw new RenderFailed('poisoned');
    return A_PDF;
  },
});

const LIST = `{ deadLetters { edges { node {
  id queue code message attempts failedAt invoice { id pdfStatus pdfErrorCode } } } } }`;

async function openLetters() {
  const { data } = await admin(LIST);
  return data?.deadLetters.edges.map(({ node }: { node: unknown }) => node);
}

const replay = (id: string) =>
  admin('mutation ($id: ID!) { replayDeadLetter(input: { id: $id }) { invoice { pdfStatus } } }', {
    variables: { id },
  });

async function jobsOf(invoiceId: string): Promise<number> {
  const { rows } = await database.sql.query(
    `SELECT count(*)::integer AS jobs FROM pgboss.job WHERE data->>'invoice_id' = $1`,
    [invoiceId],
  );
  return rows[0].jobs;
}

test('a dead letter is listed, replayed, comes back when it fails again, and ends in GENERATED', async () => {
  const invoiceId = await issueInvoice(database.db);
  const created = await eventOf(database.sql, invoiceId, 'InvoiceCreated');
  await generatePdf(created);

  const [letter, ...others] = await openLetters();
  expect(others).toEqual([]);
  expect(letter).toMatchObject({
    id: expect.stringMatching(/^dl_[0-9a-z]{26}$/),
    queue: 'pdf',
    code: 'RENDER_FAILED',
    attempts: 1,
    invoice: { pdfStatus: 'FAILED', pdfErrorCode: 'RENDER_FAILED' },
  });

  expect((await replay(letter.id)).data?.replayDeadLetter.invoice.pdfStatus).toBe('FAILED');
  expect(await openLetters()).toEqual([]);
  expect(await jobsOf(invoiceId)).toBe(1);
  expect(codeOf(await replay(letter.id))).toBe('DEAD_LETTER_NOT_FOUND');

  await generatePdf(created);
  const [again] = await openLetters();
  expect(again.id).not.toBe(letter.id);
  expect(again.attempts).toBe(1);

  fails = false;
  await replay(again.id);
  await generatePdf(created);
  fails = true;
  expect(await openLetters()).toEqual([]);
  const { data } = await admin(
    `{ invoice(id: "${again.invoice.id}") { pdfStatus timeline { event code } } }`,
  );
  expect(data?.invoice.pdfStatus).toBe('GENERATED');
  expect(data?.invoice.timeline.map(({ event }: { event: string }) => event)).toEqual([
    'InvoiceCreated',
    'InvoicePDFGenerationFailed',
    'DeadLetterReplayed',
    'InvoicePDFGenerationFailed',
    'DeadLetterReplayed',
    'InvoicePDFGenerated',
  ]);
});

test('many are replayed by queue and code, up to a limit', async () => {
  for (let count = 1; count <= 3; count += 1) {
    const invoiceId = await issueInvoice(database.db);
    await generatePdf(await eventOf(database.sql, invoiceId, 'InvoiceCreated'));
  }
  const replayMany = async (input: string) =>
    (await admin(`mutation { replayDeadLetters(input: ${input}) { replayed } }`)).data?.replayDeadLetters
      .replayed;
  expect(await replayMany('{ code: "STORAGE_ERROR" }')).toBe(0);
  expect(await replayMany('{ queue: "notification" }')).toBe(0);
  expect(await replayMany('{ queue: "pdf", code: "RENDER_FAILED", limit: 2 }')).toBe(2);
  expect(await openLetters()).toHaveLength(1);
  expect(await replayMany('{}')).toBe(1);
  expect(await openLetters()).toEqual([]);
});

test('an event that could not be forwarded is replayed by the forwarder, and not as a job beside it', async () => {
  const invoiceId = await issueInvoice(database.db);
  const created = await eventOf(database.sql, invoiceId, 'InvoiceCreated');
  await database.sql.query(`UPDATE outbox_events SET status = 'FAILED', retry_count = 10 WHERE id = $1`, [
    created.id,
  ]);
  await database.db.$transaction((tx) =>
    writeDeadLetter(tx, {
      queue: 'outbox',
      event: created,
      code: 'NOT_FORWARDED',
      message: 'no',
      attempts: 10,
    }),
  );
  const [letter] = await openLetters();
  expect(letter).toMatchObject({ queue: 'outbox', code: 'NOT_FORWARDED', invoice: { pdfStatus: 'PENDING' } });
  await replay(letter.id);
  expect(await jobsOf(invoiceId)).toBe(0);
  const { rows } = await database.sql.query('SELECT status, retry_count FROM outbox_events WHERE id = $1', [
    created.id,
  ]);
  expect(rows).toEqual([{ status: 'PENDING', retry_count: 0 }]);
});

test('a regenerate after a dead letter runs', async () => {
  const invoiceId = await issueInvoice(database.db);
  await generatePdf(await eventOf(database.sql, invoiceId, 'InvoiceCreated'));
  const [letter] = await openLetters();
  const { data } = await admin(
    `mutation { regenerateInvoicePdf(input: { invoiceId: "${letter.invoice.id}" }) { invoice { pdfStatus pdfErrorCode } } }`,
  );
  expect(data?.regenerateInvoicePdf.invoice).toEqual({ pdfStatus: 'PENDING', pdfErrorCode: null });
  expect(await openLetters()).toEqual([]);
  fails = false;
  await generatePdf(await eventOf(database.sql, invoiceId, 'InvoicePDFRegenerateRequested'));
  fails = true;
  const answer = await admin(`{ invoice(id: "${letter.invoice.id}") { pdfStatus pdfRevision } }`);
  expect(answer.data?.invoice).toEqual({ pdfStatus: 'GENERATED', pdfRevision: 2 });
});

test('the pipeline counts what waits where', async () => {
  await issueInvoice(database.db);
  const { data } = await admin(
    '{ pipeline { outboxPending outboxOldestSeconds pdfPending pdfProcessing pdfFailed deadLetters } }',
  );
  const { rows } = await database.sql.query(`
    SELECT (SELECT count(*)::integer FROM outbox_events WHERE status = 'PENDING') AS "outboxPending",
           (SELECT count(*)::integer FROM invoices WHERE pdf_status = 'PENDING') AS "pdfPending",
           (SELECT count(*)::integer FROM invoices WHERE pdf_status = 'FAILED') AS "pdfFailed",
           (SELECT count(*)::integer FROM dead_letters WHERE replayed_at IS NULL) AS "deadLetters"`);
  expect(data?.pipeline).toMatchObject({ ...rows[0], pdfProcessing: 0 });
  expect(data?.pipeline.outboxOldestSeconds).toBeGreaterThan(0);
});

test.each([
  ['deadLetters', LIST],
  ['pipeline', '{ pipeline { deadLetters } }'],
  ['replayDeadLetter', 'mutation { replayDeadLetter(input: { id: "dl_x" }) { invoice { id } } }'],
  ['replayDeadLetters', 'mutation { replayDeadLetters(input: {}) { replayed } }'],
])('%s is for admins alone', async (_, operation) => {
  expect(codeOf(await service(operation))).toBe('UNAUTHORIZED_INVOICE_ACCESS');
  expect(codeOf(await api.anonymously(operation))).toBe('UNAUTHENTICATED');
});

test.each(['dl_x', 'inv_01m8q8qxkne00s70n0be174zn9', 'dl_01m8q8qxkne00s70n0be174zn9'])(
  'the unknown id %s is DEAD_LETTER_NOT_FOUND',
  async (id) => expect(codeOf(await replay(id))).toBe('DEAD_LETTER_NOT_FOUND'),
);
