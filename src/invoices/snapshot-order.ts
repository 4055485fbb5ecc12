import { minorUnitOf } from '../kernel/currency.js';
import { AppError, invalid } from '../kernel/errors.js';
import {
  type Decimal,
  decimalsOf,
  formatMoney,
  formatQuantity,
  integerDigitsOf,
  parseDecimal,
  roundHalfAwayFromZero,
  ZERO,
} from '../kernel/money.js';
import { checkText } from '../kernel/text.js';
import type { Order, OrderItem, Unverified } from '../orders/order-source.js';
import type { Buyer, InvoiceLine, Totals } from './invoice.js';

/** What an invoice freezes of its order. */
export interface OrderSnapshot extends Totals {
  orderId: string;
  customerId: string;
  currency: string;
  minorUnit: number;
  customer: Buyer;
  lines: InvoiceLine[];
}

const MOST_LINES = 5_000;

/** What numeric(19,4) and numeric(19,6) hold before and after the point. */
const AMOUNT_DIGITS = 15;
const PRICE_DIGITS = 13;
const PRICE_DECIMALS = 6;

/**
 * Verifies every value and equation of a paid order and copies it. Nothing is repaired: what the order
 * says is what the customer was charged, or it is refused.
 *
 * @throws AppError VALIDATION_ERROR or TOTALS_MISMATCH with `field`, the path in the order's own JSON.
 */
export function snapshotOrder(order: Order): OrderSnapshot {
  const minorUnit = minorUnitOf(order.currency);
  if (minorUnit === undefined) throw invalid('currency', 'must be an ISO 4217 code with a minor unit');
  checkText('customer_id', order.customerId, { shortest: 1 });
  const customer = snapshotBuyer(order.customer);
  if (order.items.length < 1 || order.items.length > MOST_LINES) {
    throw invalid('items', `must hold 1 to ${MOST_LINES} lines`);
  }
  const totals = readTotals(order, minorUnit);
  const lines = order.items.map((item, index) => readLine(item, `items[${index}]`, minorUnit));
  lines.forEach((line, index) => {
    checkLine(line, `items[${index}]`);
  });
  checkTotals(totals, lines);
  return {
    orderId: order.orderId,
    customerId: order.customerId,
    currency: order.currency,
    minorUnit,
    customer,
    lines: lines.map(({ text, ...amounts }) => ({
      ...text,
      quantity: formatQuantity(amounts.quantity),
      unitPrice: formatMoney(amounts.unitPrice, minorUnit),
      discount: formatMoney(amounts.discount, minorUnit),
      tax: formatMoney(amounts.tax, minorUnit),
      total: formatMoney(amounts.total, minorUnit),
    })),
    subtotal: formatMoney(totals.subtotal, minorUnit),
    discount: formatMoney(totals.discount, minorUnit),
    tax: formatMoney(totals.tax, minorUnit),
    total: formatMoney(totals.total, minorUnit),
  };
}

function snapshotBuyer(customer: Order['customer']): Buyer {
  const { address } = customer;
  checkText('customer.name', customer.name);
  checkText('customer.email', customer.email);
  checkText('customer.tax_id', customer.taxId);
  checkText('customer.address.line1', address.line1);
  checkText('customer.address.line2', address.line2);
  checkText('customer.address.city', address.city);
  checkText('customer.address.region', address.region);
  checkText('customer.address.postal_code', address.postalCode);
  checkText('customer.address.country', address.country);
  return { ...customer, address: { ...address } };
}

interface ReadLine extends ReadAmounts {
  text: { productId: string; description: string };
  quantity: Decimal;
  unitPrice: Decimal;
  product: Decimal;
}

interface ReadAmounts {
  discount: Decimal;
  tax: Decimal;
  total: Decimal;
}

function readLine(item: OrderItem, path: string, minorUnit: number): ReadLine {
  checkText(`${path}.product_id`, item.productId);
  checkText(`${path}.description`, item.description, { shortest: 1, longest: 1_000, newlines: true });
  const quantity = readPrecise(`${path}.quantity`, item.quantity);
  if (quantity.eq(ZERO)) throw invalid(`${path}.quantity`, 'must be greater than 0');
  const unitPrice = readPrecise(`${path}.unit_price`, item.unitPrice);
  const discount = readAmount(`${path}.discount`, item.discount, minorUnit);
  const tax = readAmount(`${path}.tax`, item.tax, minorUnit);
  const total = readAmount(`${path}.total`, item.total, minorUnit);
  const product = roundHalfAwayFromZero(quantity.times(unitPrice), minorUnit);
  if (discount.gt(product)) throw invalid(`${path}.discount`, 'must not be greater than the line itself');
  return {
    text: { productId: item.productId, description: item.description },
    quantity,
    unitPrice,
    product,
    discount,
    tax,
    total,
  };
}

function checkLine({ product, discount, tax, total }: ReadLine, path: string): void {
  if (!total.eq(product.minus(discount).plus(tax))) throw mismatch(`${path}.total`);
}

interface ReadTotals extends ReadAmounts {
  subtotal: Decimal;
}

function readTotals(order: Order, minorUnit: number): ReadTotals {
  return {
    subtotal: readAmount('subtotal', order.subtotal, minorUnit),
    discount: readAmount('discount', order.discount, minorUnit),
    tax: readAmount('tax', order.tax, minorUnit),
    total: readAmount('total', order.total, minorUnit),
  };
}

function checkTotals(totals: ReadTotals, lines: ReadLine[]): void {
  const sum = (pick: (line: ReadLine) => Decimal) =>
    lines.reduce((total, line) => total.plus(pick(line)), ZERO);
  if (!totals.subtotal.eq(sum((line) => line.product))) throw mismatch('subtotal');
  if (!totals.discount.eq(sum((line) => line.discount))) throw mismatch('discount');
  if (!totals.tax.eq(sum((line) => line.tax))) throw mismatch('tax');
  if (!totals.total.eq(sum((line) => line.total))) throw mismatch('total');
}

/** A whole multiple of the currency's minor unit; zeros after the last decimal are harmless. */
function readAmount(field: string, value: Unverified, minorUnit: number): Decimal {
  const amount = readDecimal(field, value);
  if (decimalsOf(amount) > minorUnit) {
    throw invalid(field, `must have at most ${minorUnit} decimals in this currency`);
  }
  if (integerDigitsOf(amount) > AMOUNT_DIGITS) {
    throw invalid(field, `must have at most ${AMOUNT_DIGITS} digits before the point`);
  }
  return amount;
}

function readPrecise(field: string, value: Unverified): Decimal {
  const amount = readDecimal(field, value);
  if (decimalsOf(amount) > PRICE_DECIMALS) {
    throw invalid(field, `must have at most ${PRICE_DECIMALS} decimals`);
  }
  if (integerDigitsOf(amount) > PRICE_DIGITS) {
    throw invalid(field, `must have at most ${PRICE_DIGITS} digits before the point`);
  }
  return amount;
}

function readDecimal(field: string, value: Unverified): Decimal {
  const decimal = typeof value === 'string' ? parseDecimal(value) : undefined;
  if (!decimal) throw invalid(field, 'must be a decimal string in plain notation, like "81.00"');
  return decimal;
}

function mismatch(field: string): AppError {
  return new AppError('TOTALS_MISMATCH', `${field}: does not add up`, { field });
}
