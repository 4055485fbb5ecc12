import { z } from 'zod';
import { unavailable } from '../kernel/errors.js';
import type { Order } from './order-source.js';

const unverified = z.union([z.string(), z.number()]);

/** The shape of section 2 of the contract. Unknown fields are dropped; values are not judged here. */
const orderShape = z.object({
  order_id: z.string(),
  customer_id: z.string(),
  status: z.string(),
  currency: z.string(),
  customer: z.object({
    name: z.string(),
    email: z.string().nullable(),
    tax_id: z.string().nullable(),
    address: z.object({
      line1: z.string(),
      line2: z.string().nullable(),
      city: z.string(),
      region: z.string().nullable(),
      postal_code: z.string().nullable(),
      country: z.string(),
    }),
  }),
  items: z.array(
    z.object({
      product_id: z.string(),
      description: z.string(),
      quantity: unverified,
      unit_price: unverified,
      discount: unverified,
      tax: unverified,
      total: unverified,
    }),
  ),
  subtotal: unverified,
  discount: unverified,
  tax: unverified,
  total: unverified,
});

/** An order in the Order Service's own notation. */
export type OrderJson = z.input<typeof orderShape>;

/**
 * Reads what the Order Service answered for `orderId`.
 *
 * @throws AppError DEPENDENCY_UNAVAILABLE for another shape than agreed, or for another order.
 */
export function parseOrder(answer: unknown, orderId: string): Order {
  const parsed = orderShape.safeParse(answer);
  if (!parsed.success) throw unavailable('The Order Service', parsed.error);
  const order = parsed.data;
  if (order.order_id !== orderId) {
    throw unavailable('The Order Service', new Error('It answered with another order than asked for'));
  }
  const { customer } = order;
  const { postal_code, ...address } = customer.address;
  return {
    orderId: order.order_id,
    customerId: order.customer_id,
    status: order.status,
    currency: order.currency,
    customer: {
      name: customer.name,
      email: customer.email,
      taxId: customer.tax_id,
      address: { ...address, postalCode: postal_code },
    },
    items: order.items.map(({ product_id, unit_price, ...item }) => ({
      ...item,
      productId: product_id,
      unitPrice: unit_price,
    })),
    subtotal: order.subtotal,
    discount: order.discount,
    tax: order.tax,
    total: order.total,
  };
}
