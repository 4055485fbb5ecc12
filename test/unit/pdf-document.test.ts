import { describe, expect, test } from 'vitest';
import { renderInvoicePdf } from '../../src/pdf/document/render-invoice-pdf.js';
import { line, lines, read, sample } from '../helpers/invoice-pdf.js';

describe('what the page says', () => {
  test('number, parties, every line and all sums', async () => {
    const { text } = await read(sample({ lines: lines(3) }));
    for (const expected of [
      ['INV-2026-00000042', 'November 30, 2026', 'ord_42', 'USD', 'Page 1 of 1'],
      ['Northwind Paper Co.', '18 Harbour Street', 'Tax ID: US 84-1234567', 'billing@northwind.example'],
      ['Ada Lovelace', '12 St James Square', 'SW1Y 4LB London', 'GB'],
      ['Item 1 SKU-0001 1 40.00 0.00 3.15 43.01', 'Item 3 SKU-0003 1 40.00 0.00 3.15 43.03'],
      ['Subtotal 140.00', 'Discount -1.00', 'Tax 20.97', 'Total $159.97'],
    ].flat()) {
      expect(text).toContain(expected);
    }
  });

  test('empty optional fields leave neither a label nor a gap', async () => {
    const bare = sample();
    bare.seller = { ...bare.seller, taxId: null, email: '' };
    bare.customer = { ...bare.customer, taxId: ' ', email: null };
    bare.customer.address = {
      line1: 'Rue 1',
      line2: '',
      city: 'Paris',
      region: null,
      postalCode: null,
      country: 'FR',
    };
    const { text } = await read(bare);
    expect(text).not.toContain('Tax ID');
    expect(text).not.toMatch(/null|undefined|,\s*,/);
    expect(text).toContain('Rue 1 Paris FR');
  });

  test.each([
    ['JPY', 0, 'ja-JP', '1935', '4.5', ['4.5', '1,935', '¥1,935']],
    ['KWD', 3, 'en-US', '12.500', '12.500', ['12.500', 'KWD 12.500']],
    ['USD', 2, 'en-US', '29.25', '0.02925', ['0.02925', '29.25', '$29.25']],
    ['EUR', 2, 'de-DE', '1000.00', '1000.00', ['1.000,00', '1.000,00 €']],
    ['EUR', 2, 'fr-FR', '1000.00', '1000.00', ['1 000,00', '1 000,00 €']],
    [
      'USD',
      2,
      'en-US',
      '999999999999999.99',
      '9999999999999.9999',
      ['9,999,999,999,999.9999', '$999,999,999,999,999.99'],
    ],
  ])('%s with %i decimals in %s', async (currency, minorUnit, locale, total, unitPrice, printed) => {
    const only = line(1, { unitPrice, total, discount: '0', tax: '0' });
    const { text } = await read(sample({ currency, minorUnit, locale, lines: [only], total }));
    // Intl writes narrow and no-break spaces; which of the fonts' spaces they print as is not the matter.
    const plain = text.replaceAll('\u{FFE5}', '¥');
    for (const amount of printed) expect(plain).toContain(amount);
  });

  test.each([
    'Zażółć gęślą jaźń',
    'Αθήνα',
    'Київ',
    'Nguyễn Thị Ánh, office 123ff456fi987',
    '₹ ₽ ₦ ₺ €',
    '東京都千代田区',
    '서울특별시',
    '<b>not bold</b> & "quotes"',
    'a'.repeat(20),
  ])('%s is copied out as it was put in', async (name) => {
    const document = sample();
    document.customer = { ...document.customer, name };
    document.lines = [line(1, { description: name })];
    const { text } = await read(document);
    expect(text.split(name)).toHaveLength(3);
  });

  test('right-to-left names are read in their own order', async () => {
    const document = sample();
    document.customer = { ...document.customer, name: 'שלום רב' };
    document.lines = [line(1, { description: 'مرحبا بالعالم 123' })];
    const { text } = await read(document);
    for (const word of ['שלום', 'רב', 'مرحبا', 'بالعالم', '123']) expect(text).toContain(word);
  });

  test('a character in no font shows as a placeholder, one that hides or turns text round not at all', async () => {
    const { text } = await read(
      sample({ lines: [line(1, { description: 'A😀B \u202Eoverride\u202C z\u200Bw' })] }),
    );
    expect(text).toContain('A\u{FFFD}B override zw');
  });

  test('what has no space breaks inside its column, with nothing added', async () => {
    const sku = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOPQRSTUVWX';
    const url = 'https://shop.example.com/catalogue/desk/organisers/walnut?variant=large&finish=oiled';
    const wide = { unitPrice: '9999999999999.9999', total: '999999999999999.99' };
    const { pages } = await read(sample({ lines: [line(1, { ...wide, productId: sku, description: url })] }));
    const items = pages.flat();
    const parts = items.filter(({ str }) => str.length > 3 && (sku.includes(str) || url.includes(str)));
    expect(parts.map(({ str }) => str).join('')).toBe(url + sku);
    const nextColumn = Math.min(...items.filter(({ str }) => str === 'Qty').map(({ left }) => left));
    expect(Math.max(...parts.map(({ right }) => right))).toBeLessThan(nextColumn);
  });
});

test('equal snapshots give equal bytes, whatever was rendered in between', async () => {
  const first = await renderInvoicePdf(sample({ lines: lines(15) }));
  const between = sample({ locale: 'ar-EG', currency: 'EGP' });
  between.customer = { ...between.customer, name: 'شركة النيل, Nguyễn Thị' };
  await renderInvoicePdf(between);
  expect(Buffer.from(await renderInvoicePdf(sample({ lines: lines(15) }))).equals(first)).toBe(true);
});
