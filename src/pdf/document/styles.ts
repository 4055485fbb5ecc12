import { StyleSheet } from '@react-pdf/renderer';
import { BOLD, REGULAR } from './fonts.js';
import type { PageSize } from './invoice-document.js';

/** Points between the paper's edge and the text, left and right. */
const MARGIN = 48;

const PAGE_WIDTH: Readonly<Record<PageSize, number>> = { A4: 595.28, LETTER: 612 };

/** Points of width that the body has on a page. */
export function bodyWidth(pageSize: PageSize): number {
  return PAGE_WIDTH[pageSize] - 2 * MARGIN;
}

const INK = '#1c2127';
/** 6.6:1 on white, so that it also survives a grey office printer. */
const QUIET = '#5a626c';
const HAIRLINE = '#d9dde2';

/** Points; every style that a width is computed from names its size here. */
export const FONT_SIZE = { body: 9, cell: 8.5, small: 7.5, total: 11 } as const;

/** Points. */
export const TOTALS_WIDTH = 250;

/**
 * Both off, because one glyph then stands for one character. Where they merge or split characters,
 * React-PDF drops the last letters of Thai words and copied text reads "off\u1ECBce" after a Vietnamese name.
 */
const FONT_FEATURES = { liga: 0, ccmp: 0 };

export const styles = StyleSheet.create({
  page: {
    paddingTop: 46,
    paddingBottom: 30,
    paddingHorizontal: MARGIN,
    color: INK,
    fontSize: FONT_SIZE.body,
    fontWeight: REGULAR,
    fontFeatureSettings: FONT_FEATURES,
    lineHeight: 1.4,
  },
  letterhead: { flexDirection: 'row', justifyContent: 'space-between', marginBottom: 28 },
  seller: { width: '58%' },
  logo: { height: 38, width: 170, objectFit: 'contain', objectPosition: '0 50%', marginBottom: 10 },
  sellerName: { fontSize: 11, fontWeight: BOLD, marginBottom: 3 },
  quiet: { color: QUIET },
  title: { width: '38%', alignItems: 'flex-end' },
  titleWord: { fontSize: 20, lineHeight: 1.2, fontWeight: BOLD },
  titleNumber: { marginTop: 3, fontSize: 10, color: QUIET, textAlign: 'right' },

  facts: { flexDirection: 'row', justifyContent: 'space-between', marginBottom: 24 },
  customer: { width: '52%' },
  customerName: { fontWeight: BOLD, fontSize: 10, marginBottom: 2 },
  caption: { fontSize: FONT_SIZE.small, color: QUIET, marginBottom: 1 },
  factList: { width: '42%' },
  fact: { flexDirection: 'row', marginBottom: 3 },
  factLabel: { width: '42%', color: QUIET },
  factValue: { width: '58%', textAlign: 'right' },

  headRow: {
    flexDirection: 'row',
    paddingBottom: 5,
    borderBottomWidth: 0.9,
    borderBottomColor: INK,
    fontSize: FONT_SIZE.small,
    fontWeight: BOLD,
    lineHeight: 1.3,
    alignItems: 'flex-end',
  },
  /**
   * The gap is not for the eye. React-PDF takes children that overlap by 0.001 pt for side by side and
   * puts them all on one page; far down a long table its 32-bit positions are off by more than that.
   */
  rows: { rowGap: 0.1 },
  lineRow: {
    flexDirection: 'row',
    // Stretched cells would be as tall as the row, and a number cannot be split where a tall row is.
    alignItems: 'flex-start',
    paddingVertical: 5,
    lineHeight: 1.3,
    borderBottomWidth: 0.5,
    borderBottomColor: HAIRLINE,
    fontSize: FONT_SIZE.cell,
  },
  textCell: { flexGrow: 1, flexShrink: 1, flexBasis: 0 },
  numberCell: { textAlign: 'right', flexShrink: 0 },
  lineTotal: { fontWeight: BOLD },
  productId: { fontSize: FONT_SIZE.small, color: QUIET, marginTop: 1 },

  totals: { alignSelf: 'flex-end', width: TOTALS_WIDTH, marginTop: 14 },
  totalsRow: { flexDirection: 'row', justifyContent: 'space-between', paddingVertical: 3 },
  grandTotal: {
    flexDirection: 'row',
    justifyContent: 'space-between',
    alignItems: 'baseline',
    marginTop: 5,
    paddingTop: 8,
    borderTopWidth: 0.9,
    borderTopColor: INK,
    fontSize: FONT_SIZE.total,
    fontWeight: BOLD,
  },

  body: { flexGrow: 1 },
  footer: {
    marginTop: 14,
    flexDirection: 'row',
    justifyContent: 'space-between',
    paddingTop: 7,
    borderTopWidth: 0.5,
    borderTopColor: HAIRLINE,
    fontSize: FONT_SIZE.small,
    lineHeight: 1.3,
    color: QUIET,
  },
});
