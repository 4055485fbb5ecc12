import type { InvoiceLine } from '../../invoices/index.js';
import type { Formats } from './formats.js';
import type { Labels } from './labels.js';
import { FONT_SIZE } from './styles.js';

const NUMBER_COLUMNS = ['quantity', 'unitPrice', 'discount', 'tax', 'total'] as const;
export type NumberColumn = (typeof NUMBER_COLUMNS)[number];

export interface LineColumns {
  numbers: readonly { key: NumberColumn; label: string; width: number }[];
  /** Points left for the description. */
  textWidth: number;
}

/** Ems. Digits of Noto Sans have one width; separators and most letters of a label are narrower. */
const DIGIT = 0.58;
const BOLD_LETTER = 0.62;
/** Points between a number and the column before it. */
const GAP = 10;
/** Points that the description keeps even beside amounts of sixteen digits. */
const LEAST_TEXT_WIDTH = 110;

/** What each number column prints for a line. */
export function lineNumbers(line: InvoiceLine, formats: Formats): Record<NumberColumn, string> {
  return {
    quantity: formats.quantity(line.quantity),
    unitPrice: formats.amount(line.unitPrice),
    discount: formats.deduction(line.discount),
    tax: formats.amount(line.tax),
    total: formats.amount(line.total),
  };
}

/**
 * Every number column as wide as its longest number on the whole invoice, the description with the
 * rest: the columns are the same on each page, and no amount is ever broken for a column's sake
 * unless all five are at the limits of what an invoice may hold.
 */
export function lineColumns(
  numbers: readonly Record<NumberColumn, string>[],
  labels: Labels,
  bodyWidth: number,
): LineColumns {
  const label: Record<NumberColumn, string> = {
    quantity: labels.quantity,
    unitPrice: labels.unitPrice,
    discount: labels.discount,
    tax: labels.tax,
    total: labels.lineTotal,
  };
  const wanted = NUMBER_COLUMNS.map((key) => {
    const longest = numbers.reduce((most, row) => Math.max(most, row[key].length), 0);
    return (
      GAP + Math.max(longest * DIGIT * FONT_SIZE.cell, label[key].length * BOLD_LETTER * FONT_SIZE.small)
    );
  });
  const sum = wanted.reduce((total, width) => total + width, 0);
  const squeeze = Math.min(1, (bodyWidth - LEAST_TEXT_WIDTH) / sum);
  return {
    numbers: NUMBER_COLUMNS.map((key, index) => ({
      key,
      label: label[key],
      width: (wanted[index] ?? 0) * squeeze,
    })),
    textWidth: bodyWidth - sum * squeeze,
  };
}
