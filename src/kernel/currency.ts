import { code as findCurrency } from 'currency-codes';

/** Listed by ISO 4217 without a minor unit: metals, accounting units, test codes. Nobody pays in them. */
const WITHOUT_MINOR_UNIT = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '));

/** Amendments of ISO 4217 that are younger than the package's list (June 2024). */
const AMENDMENTS: Readonly<Record<string, number>> = { XCG: 2 };

/**
 * Decimals of a currency by ISO 4217 (JPY 0, USD 2, KWD 3, CLF 4), or undefined for anything that is
 * not the code of a currency one can be charged in. Intl is no source for this: it follows common
 * usage, and gives HUF, IQD and PKR no decimals at all.
 */
export function minorUnitOf(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || WITHOUT_MINOR_UNIT.has(currency)) return undefined;
  return AMENDMENTS[currency] ?? findCurrency(currency)?.digits;
}
