import type { Order, OrderSource } from '../dist/orders/order-source.js';

/** Paid orders made in process, as many as are asked for: what an order costs elsewhere is not measured. */
export function makeOrders(lines = 3): OrderSource {
  const items = Array.from({ length: lines }, (_, index) => ({
    productId: `SKU-${index + 1}`,
    description: 'Desk lamp, brass, with a switch on the cord',
    quantity: '2',
    unitPrice: '40.00',
    discount: '5.00',
    tax: '6.00',
    total: '81.00',
  }));
  const totals = {
    subtotal: `${80 * lines}.00`,
    discount: `${5 * lines}.00`,
    tax: `${6 * lines}.00`,
    total: `${81 * lines}.00`,
  };
  const fetchOrder = (orderId: string): Promise<Order> =>
    Promise.resolve({
      orderId,
      customerId: `u_${orderId.slice(-2)}`,
      status: 'PAID',
      currency: 'USD',
      customer: {
        name: 'Alice Example',
        email: 'alice@example.com',
        taxId: null,
        address: {
          line1: '1 Main St',
          line2: null,
          city: 'Springfield',
          region: 'IL',
          postalCode: '62701',
          country: 'US',
        },
      },
      items,
      ...totals,
    });
  return { fetchOrder };
}
