/** Every word the document adds to the snapshot's own text. One file per language holds them. */
export interface Labels {
  invoice: string;
  invoiceNumber: string;
  issueDate: string;
  orderId: string;
  currency: string;
  billedTo: string;
  taxId: string;
  description: string;
  quantity: string;
  unitPrice: string;
  discount: string;
  tax: string;
  lineTotal: string;
  subtotal: string;
  total: string;
  page(number: number, count: number): string;
}
