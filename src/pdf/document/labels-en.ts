import type { Labels } from './labels.js';

export const labelsEn: Labels = {
  invoice: 'Invoice',
  invoiceNumber: 'Invoice number',
  issueDate: 'Issue date',
  orderId: 'Order',
  currency: 'Currency',
  billedTo: 'Billed to',
  taxId: 'Tax ID',
  description: 'Description',
  quantity: 'Qty',
  unitPrice: 'Unit price',
  discount: 'Discount',
  tax: 'Tax',
  lineTotal: 'Total',
  subtotal: 'Subtotal',
  total: 'Total',
  page: (number, count) => `Page ${number} of ${count}`,
};
