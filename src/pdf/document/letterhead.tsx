import { Buffer } from 'node:buffer';
import { Image, Text, View } from '@react-pdf/renderer';
import type { ReactElement } from 'react';
import { FreeText } from './free-text.js';
import type { InvoiceDocument } from './invoice-document.js';
import type { Labels } from './labels.js';
import { bodyWidth, FONT_SIZE, styles } from './styles.js';

/** The head of the first page: who sends this, and what it is. */
export function Letterhead({
  document,
  labels,
}: {
  document: InvoiceDocument;
  labels: Labels;
}): ReactElement {
  const { seller } = document;
  const width = bodyWidth(document.pageSize) * 0.58;
  return (
    <View style={styles.letterhead}>
      <View style={styles.seller}>
        {/* As bytes: React-PDF would follow any path or URL it is given as a source. */}
        {seller.logo && <Image style={styles.logo} src={Buffer.from(seller.logo.bytes)} cache={false} />}
        <FreeText style={styles.sellerName} width={width} fontSize={11}>
          {seller.name}
        </FreeText>
        {[seller.address, taxLine(labels, seller.taxId), seller.email].map((text, index) => (
          <FreeText key={index} style={styles.quiet} width={width} fontSize={FONT_SIZE.body}>
            {text}
          </FreeText>
        ))}
      </View>
      <View style={styles.title}>
        <Text style={styles.titleWord}>{labels.invoice}</Text>
        <Text style={styles.titleNumber}>{document.invoiceNumber}</Text>
      </View>
    </View>
  );
}

/** The tax id behind its label, or nothing at all. */
export function taxLine(labels: Labels, taxId: string | null): string | null {
  return taxId?.trim() ? `${labels.taxId}: ${taxId}` : null;
}
