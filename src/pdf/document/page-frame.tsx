import { Text, View } from '@react-pdf/renderer';
import type { ReactElement, ReactNode } from 'react';
import type { Labels } from './labels.js';
import { styles } from './styles.js';

interface PageFrameProps {
  children?: ReactNode;
  pageNumber?: number;
  totalPages?: number;
}

/**
 * The frame that React-PDF draws around the body of every page. What stands in it has its space
 * reserved, so the body cannot run under the footer; the number is there to put loose sheets together.
 */
export function makePageFrame(
  invoiceNumber: string,
  labels: Labels,
): (props: PageFrameProps) => ReactElement {
  // Both are known only in the last of the rounds in which React-PDF calls this.
  return ({ children, pageNumber = 1, totalPages = pageNumber }) => (
    <>
      <View style={styles.body}>{children}</View>
      <View style={styles.footer}>
        <Text>{invoiceNumber}</Text>
        <Text>{labels.page(pageNumber, totalPages)}</Text>
      </View>
    </>
  );
}
