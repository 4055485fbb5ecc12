import { decimalFromBooks, formatMoney } from '../dist/kernel/money.js';
import type { OrderSource } from '../dist/orders/order-source.js';
import { parseOrder } from '../dist/orders/parse-order.js';
import { SAMPLE_ORDERS } from '../dist/orders/samples.js';

const [sample] = SAMPLE_ORDERS.filter(({ order_id }) => order_id === 'ORD-123');
const order = parseOrder(sample, 'ORD-123');

/**
 * Paid orders made in process from the sample, as many as are asked for and with its line so many times: what
 * an order costs elsewhere is not measured.
 */
export function makeOrders(lines = 3): OrderSource {
  const items = order.items.flatMap((item) => Array.from({ length: lines }, () => item));
  const times = (amount: string | number) => formatMoney(decimalFromBooks(amount).times(lines), 2);
  const totals = {
    subtotal: times(order.subtotal),
    discount: times(order.discount),
    tax: times(order.tax),
    total: times(order.total),
  };
  return {
    fetchOrder: (orderId) =>
      Promise.resolve({ ...order, ...totals, orderId, customerId: `u_${orderId.slice(-2)}`, items }),
  };
}
