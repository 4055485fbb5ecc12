import { Document, Page } from '@react-pdf/renderer';
import type { ReactElement } from 'react';
import { fontFamilies } from './fonts.js';
import { makeFormats } from './formats.js';
import type { InvoiceDocument } from './invoice-document.js';
import { InvoiceFacts } from './invoice-facts.js';
import { labelsFor } from './labels-for.js';
import { Letterhead } from './letterhead.js';
import { LineTable } from './line-table.js';
import { makePageFrame } from './page-frame.js';
import { styles } from './styles.js';

/**
 * The whole invoice as React-PDF elements. A plain function, not a component, because React-PDF's
 * entry wants the Document element itself.
 */
export function invoicePages(document: InvoiceDocument): ReactElement<React.ComponentProps<typeof Document>> {
  const labels = labelsFor(document.locale);
  const formats = makeFormats(document.locale, document.currency, document.minorUnit);
  const parts = { document, labels, formats };
  return (
    <Document
      title={`${labels.invoice} ${document.invoiceNumber}`}
      author={document.seller.name}
      language={document.locale}
      // Given, because "now" would go into the file and its id: equal snapshots must give equal bytes.
      creationDate={new Date(document.finalizedAt)}
      creator="Folio"
      producer="Folio"
    >
      <Page
        size={document.pageSize}
        style={[styles.page, { fontFamily: fontFamilies(document.locale) }]}
        // A layout also switches to React-PDF's newer pagination, which measures the body once. The older
        // one lays out all that is left again at each page break: 1,000 lines cost it the square.
        layout={makePageFrame(document.invoiceNumber, labels)}
      >
        <Letterhead document={document} labels={labels} />
        <InvoiceFacts {...parts} />
        <LineTable {...parts} />
      </Page>
    </Document>
  );
}
