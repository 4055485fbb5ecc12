import { publicId } from '../kernel/ids.js';

/**
 * invoices/{yyyy}/{mm}/{inv_…}/r{n}.pdf: by month of issue for whoever looks into the bucket, by id since
 * a number is no secret, by attempt so that no rendering ever overwrites another.
 */
export function pdfObjectKey(invoice: { id: string; issueDate: string }, revision: number): string {
  const [year, month] = invoice.issueDate.split('-');
  return `invoices/${year}/${month}/${publicId('inv', invoice.id)}/r${revision}.pdf`;
}

const OBJECT_KEY = /^invoices\/\d{4}\/\d{2}\/inv_[0-9a-z]{26}\/r\d{1,9}\.pdf$/;

/** Whether a key can be one of ours; anything else never reaches a file system. */
export function isPdfObjectKey(key: string): boolean {
  return OBJECT_KEY.test(key);
}
