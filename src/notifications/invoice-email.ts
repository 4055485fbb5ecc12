import { publicId } from '../kernel/ids.js';
import type { Mail } from './mailer.js';
import type { Addressed } from './request-notification.js';

/**
 * The mail that announces a finished PDF. It carries no file and no signed URL, only the way to the
 * storefront, which asks again who is there.
 */
export function invoiceEmail(
  invoice: Addressed,
  { eventId, storefrontUrl }: { eventId: string; storefrontUrl: string },
): Mail {
  const { customer, seller } = invoice;
  const number = invoice.invoiceNumber;
  const total = `${invoice.currency} ${invoice.total}`;
  const link = `${storefrontUrl}/invoices/${publicId('inv', invoice.id)}`;
  return {
    messageId: `<${eventId}@folio>`,
    to: { name: customer.name, address: customer.email },
    subject: `Invoice ${number}`,
    text: [
      `Hello ${customer.name},`,
      '',
      `your invoice ${number} over ${total} for order ${invoice.orderId} is ready:`,
      '',
      link,
      '',
      seller.name,
    ].join('\n'),
    html: [
      `<p>Hello ${escapeHtml(customer.name)},</p>`,
      `<p>your invoice <strong>${number}</strong> over ${total} for order ${escapeHtml(invoice.orderId)} is ready:</p>`,
      `<p><a href="${escapeHtml(link)}">View invoice ${number}</a></p>`,
      `<p>${escapeHtml(seller.name)}</p>`,
    ].join('\n'),
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
