import { Text, View } from '@react-pdf/renderer';
import type { ReactElement } from 'react';
import type { InvoiceLine } from '../../invoices/index.js';
import { countTextLines } from './count-text-lines.js';
import type { Formats } from './formats.js';
import { FreeText } from './free-text.js';
import type { InvoiceDocument } from './invoice-document.js';
import type { Labels } from './labels.js';
import { type LineColumns, lineColumns, lineNumbers, type NumberColumn } from './line-columns.js';
import { bodyWidth, FONT_SIZE, styles } from './styles.js';
import { TotalsBlock } from './totals-block.js';

/** Lines of text: a row of more, with the head and the totals, may not fit on one page, and may be split. */
const MOST_LINES_UNBROKEN = 50;
interface LineTableProps {
  document: InvoiceDocument;
  labels: Labels;
  formats: Formats;
}

/**
 * The lines, under a head that stands on every page that has lines, and the totals, which share a page
 * with the last line.
 */
export function LineTable({ document, labels, formats }: LineTableProps): ReactElement {
  const numbers = document.lines.map((line) => lineNumbers(line, formats));
  const columns = lineColumns(numbers, labels, bodyWidth(document.pageSize));
  const rows = document.lines.map((line, index) => (
    <LineRow key={index} line={line} numbers={numbers[index]} columns={columns} />
  ));
  const totals = <TotalsBlock document={document} labels={labels} formats={formats} />;
  // The end of a split line may fill a page to its foot: the totals then come alone, and without a head.
  const together = !document.lines.slice(-1).some((line) => mayBeSplit(line, columns));
  return (
    <>
      <View>
        <HeadRow columns={columns} labels={labels} />
        <View style={styles.rows}>
          {together ? rows.slice(0, -1) : rows}
          {together && (
            <View wrap={false}>
              {rows.at(-1)}
              {totals}
            </View>
          )}
        </View>
      </View>
      {!together && totals}
    </>
  );
}

function HeadRow({ columns, labels }: { columns: LineColumns; labels: Labels }): ReactElement {
  return (
    // Presence ahead, of any size, forbids a break right below: no page ends with a head and no line.
    // A gap between the head and the lines would undo that.
    <View style={styles.headRow} fixed minPresenceAhead={1}>
      <Text style={styles.textCell}>{labels.description}</Text>
      {columns.numbers.map(({ key, label, width }) => (
        <Text key={key} style={[styles.numberCell, { width }]}>
          {label}
        </Text>
      ))}
    </View>
  );
}

interface LineRowProps {
  line: InvoiceLine;
  numbers: Record<NumberColumn, string> | undefined;
  columns: LineColumns;
}

function LineRow({ line, numbers, columns }: LineRowProps): ReactElement {
  const { textWidth } = columns;
  return (
    <View style={styles.lineRow} wrap={mayBeSplit(line, columns)}>
      <View style={styles.textCell}>
        <FreeText width={textWidth} fontSize={FONT_SIZE.cell}>
          {line.description}
        </FreeText>
        <FreeText style={styles.productId} width={textWidth} fontSize={FONT_SIZE.small}>
          {line.productId}
        </FreeText>
      </View>
      {columns.numbers.map(({ key, width }) => (
        <FreeText
          key={key}
          style={[styles.numberCell, { width }, key === 'total' ? styles.lineTotal : {}]}
          // Digits are narrower than letters: only a column that had to be squeezed breaks its numbers.
          width={width * 1.3}
          fontSize={FONT_SIZE.cell}
        >
          {numbers?.[key] ?? null}
        </FreeText>
      ))}
    </View>
  );
}

function mayBeSplit(line: InvoiceLine, { textWidth }: LineColumns): boolean {
  const lines =
    countTextLines(line.description, textWidth, FONT_SIZE.cell) +
    countTextLines(line.productId, textWidth, FONT_SIZE.small);
  return lines > MOST_LINES_UNBROKEN;
}
