import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { line, lines, type Piece, read, sample, textOf } from '../helpers/invoice-pdf.js';

const HEAD = 'Description Qty Unit price Discount Tax Total';

describe('how it falls into pages', () => {
  test('40 lines: a head on each page, page i of n, no line lost or doubled', async () => {
    const { pages } = await read(sample({ lines: lines(40) }));
    expect(pages.length).toBeGreaterThan(1);
    expectWhole(pages, 40);
  });

  test('newlines are honoured and a line of 45 stays on one page', async () => {
    const tall = Array.from({ length: 45 }, (_, row) => `Row ${row + 1}.`).join('\n');
    const document = sample({ lines: lines(3) });
    document.lines[0] = line(1, { description: tall });
    const { pages } = await read(document);
    expectWhole(pages, 3);
    const home = pages.find((page) => page.some(({ str }) => str === 'Row 1.'));
    expect(home?.filter(({ str }) => /^Row \d+\.$/.test(str)).map(({ str }) => str)).toEqual(
      tall.split('\n'),
    );
  });

  test('a line taller than any page is continued, with nothing lost', async () => {
    const tall = Array.from({ length: 150 }, (_, row) => `Row ${row + 1}.`).join('\n');
    const document = sample({ lines: lines(2), pageSize: 'LETTER' });
    document.lines[0] = line(1, { description: tall });
    const { pages } = await read(document);
    expectWhole(pages, 2);
    const rows = pages.flat().filter(({ str }) => /^Row \d+\.$/.test(str));
    expect(rows.map(({ str }) => str)).toEqual(tall.split('\n'));
  });

  test('any mixture of short and tall lines', { timeout: 120_000 }, async () => {
    const height = fc.oneof(
      { weight: 4, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 45 }) },
    );
    const property = fc.asyncProperty(
      fc.array(height, { minLength: 1, maxLength: 45 }),
      fc.constantFrom('A4' as const, 'LETTER' as const),
      async (heights, pageSize) => {
        const mixed = lines(heights.length).map((line, index) => ({
          ...line,
          description: Array.from({ length: heights[index] ?? 1 }, () => 'Text').join('\n'),
        }));
        expectWhole((await read(sample({ lines: mixed, pageSize }))).pages, heights.length);
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });
});

/** Each line once and whole, in order; a head wherever there are lines; the sums once; nothing under the footer. */
function expectWhole(pages: Piece[][], lineCount: number): void {
  const ids = pages.map((page) => page.filter(({ str }) => str.startsWith('SKU-')).map(({ str }) => str));
  expect(ids.flat()).toEqual(lines(lineCount).map(({ productId }) => productId));
  pages.forEach((page, index) => {
    const text = textOf(page);
    expect(text).toContain(`Page ${index + 1} of ${pages.length}`);
    const numbers = page.filter(({ str }) => /^43\.\d+$/.test(str)).length;
    const rows = page.filter(({ str }) => /^(Item|Text|Row|SKU)\b/.test(str)).length;
    expect(text.split(HEAD).length - 1, `heads on page ${index + 1}`).toBe(numbers + rows > 0 ? 1 : 0);
    const footer = page.find(({ str }) => str.startsWith('Page '));
    const body = page.filter(({ str }) => !str.startsWith('Page ') && !str.startsWith('INV-'));
    for (const piece of body) expect(piece.bottom).toBeGreaterThan((footer?.bottom ?? 0) + 10);
  });
  const whole = textOf(pages.flat());
  expect(whole.split('Subtotal')).toHaveLength(2);
  const last = textOf(pages.at(-1) ?? []);
  for (const sum of ['Subtotal', 'Discount -1.00', 'Total $159.97']) expect(last).toContain(sum);
}
