import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import { invalid } from '../kernel/errors.js';

/**
 * The key of one createInvoice: its argument, or the header where the request holds exactly one
 * createInvoice that the header can mean.
 *
 * @throws AppError VALIDATION_ERROR where there is neither, or both and they differ.
 */
export function idempotencyKeyOf(
  argument: string | null | undefined,
  header: string | undefined,
  info: GraphQLResolveInfo,
): string {
  if (header !== undefined && countCreates(info.operation.selectionSet, info) === 1) {
    if (argument != null && argument !== header) {
      throw invalid('idempotencyKey', 'differs from the Idempotency-Key header');
    }
    return header;
  }
  if (argument == null) {
    throw invalid(
      'idempotencyKey',
      'is required, as an argument or, in a request with one createInvoice, as the Idempotency-Key header',
    );
  }
  return argument;
}

function countCreates({ selections }: SelectionSetNode, info: GraphQLResolveInfo): number {
  return selections.reduce((count, selection) => {
    if (selection.kind === 'Field') return count + (selection.name.value === 'createInvoice' ? 1 : 0);
    const set =
      selection.kind === 'InlineFragment'
        ? selection.selectionSet
        : info.fragments[selection.name.value]?.selectionSet;
    return count + (set ? countCreates(set, info) : 0);
  }, 0);
}
