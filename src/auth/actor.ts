import { AppError } from '../kernel/errors.js';

export const ROLES = ['customer', 'service', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value);

/** Who asks: the subject and role of a verified token. */
export interface Actor {
  id: string;
  role: Role;
}

/** What a policy needs to know of an invoice or an order: whose it is. */
export interface Owned {
  customerId: string;
}

const owns = (actor: Actor, thing: Owned): boolean =>
  actor.role === 'customer' && actor.id === thing.customerId;

// One sentence each. They are asked after the thing was loaded, never by way of a filter that a caller
// supplies.

export const canCreateInvoiceFor = (actor: Actor, order: Owned): boolean =>
  actor.role !== 'customer' || owns(actor, order);

export const canReadInvoice = (actor: Actor, invoice: Owned): boolean =>
  actor.role !== 'customer' || owns(actor, invoice);

export const canListInvoicesOf = (actor: Actor, customer: Owned): boolean =>
  actor.role !== 'customer' || owns(actor, customer);

export const canSearchInvoices = (actor: Actor): boolean => actor.role !== 'customer';

export const canOpenAnyRevision = (actor: Actor): boolean => actor.role === 'admin';

export const canOperate = (actor: Actor): boolean => actor.role === 'admin';

/** The one answer to every refusal by role or owner. */
export function unauthorized(): AppError {
  return new AppError(
    'UNAUTHORIZED_INVOICE_ACCESS',
    'This token gives no access to this invoice or operation',
  );
}
