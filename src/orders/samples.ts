import type { OrderJson } from './parse-order.js';

type Customer = OrderJson['customer'];
type Item = OrderJson['items'][number];

const item = (
  product_id: string,
  description: string,
  [quantity, unit_price, discount, tax, total]: readonly [string, string, string, string, string],
): Item => ({ product_id, description, quantity, unit_price, discount, tax, total });

const person = (
  name: string,
  email: string | null,
  [line1, city, postal_code, country]: readonly [string, string, string, string],
  rest: { tax_id?: string; line2?: string; region?: string } = {},
): Customer => ({
  name,
  email,
  tax_id: rest.tax_id ?? null,
  address: { line1, line2: rest.line2 ?? null, city, region: rest.region ?? null, postal_code, country },
});

const alice = person('Alice Example', 'alice@example.com', ['1 Main St', 'Springfield', '62701', 'US'], {
  region: 'IL',
});

/** Sixty lines, so that an invoice of several pages is at hand. */
const manyLines = Array.from({ length: 60 }, (_, index) =>
  item(
    `PART-${String(index + 1).padStart(3, '0')}`,
    `Replacement part no. ${index + 1}, zinc plated, with screws`,
    ['3', '12.50', '1.50', '6.84', '42.84'],
  ),
);

/** One line and many, currencies of zero to four decimals, several scripts, and one that is not paid. */
export const SAMPLE_ORDERS: readonly OrderJson[] = [
  {
    order_id: 'ORD-123',
    customer_id: 'u_alice',
    status: 'PAID',
    currency: 'USD',
    customer: alice,
    items: [item('SKU-44', 'Desk lamp', ['2', '40.00', '5.00', '6.00', '81.00'])],
    subtotal: '80.00',
    discount: '5.00',
    tax: '6.00',
    total: '81.00',
  },
  {
    order_id: 'ORD-124',
    customer_id: 'u_alice',
    status: 'PAID',
    currency: 'USD',
    customer: alice,
    items: manyLines,
    subtotal: '2250.00',
    discount: '90.00',
    tax: '410.40',
    total: '2570.40',
  },
  {
    order_id: 'ORD-125',
    customer_id: 'u_alice',
    status: 'PENDING',
    currency: 'USD',
    customer: alice,
    items: [item('SKU-45', 'Floor lamp, not yet paid for', ['1', '120.00', '0.00', '9.00', '129.00'])],
    subtotal: '120.00',
    discount: '0.00',
    tax: '9.00',
    total: '129.00',
  },
  {
    order_id: 'ORD-200',
    customer_id: 'u_haruka',
    status: 'PAID',
    currency: 'JPY',
    customer: person('佐藤 はるか', 'haruka@example.jp', ['千代田区丸の内1-1-1', '東京都', '100-0005', 'JP']),
    items: [
      item('本-1', '日本の鉄道（写真集）', ['1', '1500', '100', '140', '1540']),
      item('箱-2', '和紙の封筒、一枚 4.5 円', ['80', '4.5', '0', '35', '395']),
    ],
    subtotal: '1860',
    discount: '100',
    tax: '175',
    total: '1935',
  },
  {
    order_id: 'ORD-201',
    customer_id: 'u_zofia',
    status: 'PAID',
    currency: 'EUR',
    customer: person(
      'Zofia Żółć-Wiśniewska',
      'zofia@example.pl',
      ['ul. Gęsia 12/3', 'Łódź', '90-001', 'PL'],
      { tax_id: 'PL7272445205' },
    ),
    items: [
      item('TKANINA', 'Tkanina lniana, metr bieżący', ['1.333', '9.99', '0.00', '3.06', '16.38']),
      item('NIC', 'Nić bawełniana po 0,02925 € za metr', ['1000', '0.02925', '0.00', '6.73', '35.98']),
    ],
    subtotal: '42.57',
    discount: '0.00',
    tax: '9.79',
    total: '52.36',
  },
  {
    order_id: 'ORD-202',
    customer_id: 'u_layla',
    status: 'PAID',
    currency: 'KWD',
    customer: person('ليلى الأحمد', 'layla@example.com', ['شارع الخليج العربي 123', 'الكويت', '13001', 'KW']),
    items: [item('عود-7', 'عود شرقي مصنوع يدوياً', ['1', '125.500', '5.250', '0.000', '120.250'])],
    subtotal: '125.500',
    discount: '5.250',
    tax: '0.000',
    total: '120.250',
  },
  {
    order_id: 'ORD-203',
    customer_id: 'u_catalina',
    status: 'PAID',
    currency: 'CLF',
    customer: person('Catalina Núñez', null, ['Av. Providencia 1208', 'Santiago', '7500571', 'CL']),
    items: [
      item('ARR-12', 'Arriendo de oficina, mes de agosto', ['1', '24.5678', '0.0000', '4.6679', '29.2357']),
    ],
    subtotal: '24.5678',
    discount: '0.0000',
    tax: '4.6679',
    total: '29.2357',
  },
  {
    order_id: 'ORD-204',
    customer_id: 'u_alice',
    status: 'PAID',
    currency: 'USD',
    customer: alice,
    items: [item('GIFT', 'Sticker, with our compliments', ['1', '0.00', '0.00', '0.00', '0.00'])],
    subtotal: '0.00',
    discount: '0.00',
    tax: '0.00',
    total: '0.00',
  },
];
