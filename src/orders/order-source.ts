/**
 * A paid order as the Order Service tells it, in its own shape and not yet believed: whether its values
 * keep the rules of the books is for `snapshotOrder` to say.
 */
export interface Order {
  orderId: string;
  customerId: string;
  status: string;
  /** ISO 4217 code, if the order is right. */
  currency: string;
  customer: OrderCustomer;
  items: OrderItem[];
  subtotal: Unverified;
  discount: Unverified;
  tax: Unverified;
  total: Unverified;
}

export interface OrderCustomer {
  name: string;
  email: string | null;
  taxId: string | null;
  address: {
    line1: string;
    line2: string | null;
    city: string;
    region: string | null;
    postalCode: string | null;
    country: string;
  };
}

export interface OrderItem {
  productId: string;
  description: string;
  quantity: Unverified;
  unitPrice: Unverified;
  discount: Unverified;
  tax: Unverified;
  total: Unverified;
}

/** A decimal string where the order is right. A JSON number is a value at fault, not a shape at fault. */
export type Unverified = string | number;

export interface OrderSource {
  /**
   * The order by its id. `patience` may end the wait sooner than the source's own limit.
   *
   * @throws AppError ORDER_NOT_FOUND where the source knows no such order, DEPENDENCY_UNAVAILABLE where
   * it did not answer in time, or not with this order in the agreed shape.
   */
  fetchOrder(orderId: string, patience?: AbortSignal): Promise<Order>;
}

const ORDER_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/** Order ids become parts of URLs and of queries: the rule leaves nothing in them that either could read. */
export const isOrderId = (id: string): boolean => ORDER_ID.test(id);
