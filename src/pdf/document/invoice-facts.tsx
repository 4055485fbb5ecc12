import { Text, View } from '@react-pdf/renderer';
import type { ReactElement } from 'react';
import type { Buyer } from '../../invoices/index.js';
import type { Formats } from './formats.js';
import { FreeText } from './free-text.js';
import type { InvoiceDocument } from './invoice-document.js';
import type { Labels } from './labels.js';
import { taxLine } from './letterhead.js';
import { bodyWidth, FONT_SIZE, styles } from './styles.js';

interface InvoiceFactsProps {
  document: InvoiceDocument;
  labels: Labels;
  formats: Formats;
}

/** Whom the invoice is for, beside its number, date, order and currency. */
export function InvoiceFacts({ document, labels, formats }: InvoiceFactsProps): ReactElement {
  const body = bodyWidth(document.pageSize);
  const { customer } = document;
  const facts: [label: string, value: string][] = [
    [labels.invoiceNumber, document.invoiceNumber],
    [labels.issueDate, formats.date(document.issueDate)],
    [labels.orderId, document.orderId],
    [labels.currency, document.currency],
  ];
  return (
    <View style={styles.facts}>
      <View style={styles.customer}>
        <Text style={styles.caption}>{labels.billedTo}</Text>
        <FreeText style={styles.customerName} width={body * 0.52} fontSize={10}>
          {customer.name}
        </FreeText>
        {[...addressLines(customer.address), taxLine(labels, customer.taxId), customer.email].map(
          (text, index) => (
            <FreeText key={index} width={body * 0.52} fontSize={FONT_SIZE.body}>
              {text}
            </FreeText>
          ),
        )}
      </View>
      <View style={styles.factList}>
        {facts.map(([label, value]) => (
          <View key={label} style={styles.fact}>
            <Text style={styles.factLabel}>{label}</Text>
            <FreeText style={styles.factValue} width={body * 0.42 * 0.58} fontSize={FONT_SIZE.body}>
              {value}
            </FreeText>
          </View>
        ))}
      </View>
    </View>
  );
}

/** Postal code before city and region after it: readable everywhere, until countries get their own order. */
function addressLines(address: Buyer['address']): (string | null)[] {
  const city = [address.postalCode, address.city].filter(Boolean).join(' ');
  const place = [city, address.region].filter(Boolean).join(', ');
  return [address.line1, address.line2, place, address.country];
}
