import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { OrderJson } from '../../src/orders/parse-order.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An Order Service over real HTTP, which can be told to answer as badly as real ones do. */
export interface FakeOrderService {
  url: string;
  /** Orders as they are answered; change one and the next request sees the change. */
  orders: Map<string, unknown>;
  /** Paths asked for since the start. */
  requests: string[];
  add(order: OrderJson): OrderJson;
  /** Answers every request like this until `answerOrders` is called. */
  answer(how: Answer): void;
  answerOrders(): void;
}

export function useOrderService(): FakeOrderService {
  const orders = new Map<string, unknown>();
  const answerOrder: Answer = (request, response) => {
    const id = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
    const order = orders.get(id);
    response.statusCode = order ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(order ?? { error: 'no such order' }));
  };
  let current = answerOrder;
  const service: FakeOrderService = {
    url: '',
    orders,
    requests: [],
    add(order) {
      orders.set(order.order_id, order);
      return order;
    },
    answer(how) {
      current = how;
    },
    answerOrders() {
      current = answerOrder;
    },
  };
  const server = createServer((request, response) => {
    service.requests.push(request.url ?? '');
    current(request, response);
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return service;
}
