import { Text, View } from '@react-pdf/renderer';
import type { ReactElement } from 'react';
import type { Formats } from './formats.js';
import { FreeText } from './free-text.js';
import type { InvoiceDocument } from './invoice-document.js';
import type { Labels } from './labels.js';
import { FONT_SIZE, styles, TOTALS_WIDTH } from './styles.js';

interface TotalsBlockProps {
  document: InvoiceDocument;
  labels: Labels;
  formats: Formats;
}

/** The sums, kept whole: a page break never parts them. */
export function TotalsBlock({ document, labels, formats }: TotalsBlockProps): ReactElement {
  const rows: [label: string, value: string][] = [
    [labels.subtotal, formats.amount(document.subtotal)],
    [labels.discount, formats.deduction(document.discount)],
    [labels.tax, formats.amount(document.tax)],
  ];
  return (
    <View style={styles.totals} wrap={false}>
      {rows.map(([label, value]) => (
        <View key={label} style={styles.totalsRow}>
          <Text style={styles.quiet}>{label}</Text>
          <FreeText width={TOTALS_WIDTH} fontSize={FONT_SIZE.body}>
            {value}
          </FreeText>
        </View>
      ))}
      <View style={styles.grandTotal}>
        <Text>{labels.total}</Text>
        <FreeText width={TOTALS_WIDTH} fontSize={FONT_SIZE.total}>
          {formats.money(document.total)}
        </FreeText>
      </View>
    </View>
  );
}
