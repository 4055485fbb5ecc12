import { AppError } from '../kernel/errors.js';
import type { OrderSource } from './order-source.js';
import { type OrderJson, parseOrder } from './parse-order.js';

/** Orders for development and tests, so that Folio runs with nothing behind it. */
export function makeSampleOrders(orders: readonly OrderJson[]): OrderSource {
  const byId = new Map(orders.map((order) => [order.order_id, order]));
  return {
    async fetchOrder(orderId) {
      const order = byId.get(orderId);
      if (!order) throw new AppError('ORDER_NOT_FOUND', `Order ${orderId} does not exist`);
      return parseOrder(order, orderId);
    },
  };
}
