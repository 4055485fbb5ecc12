import { GraphQLScalarType } from 'graphql';

/** Amounts leave as the use cases wrote them: exact strings that no client turns into a float unasked. */
export const DecimalScalar = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'An exact decimal in plain notation, as a string: "81.00", "1935", "0.02925".',
  serialize: (value) => String(value),
});
