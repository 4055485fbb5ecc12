/** Turns the snapshot's strings into what a reader of the frozen locale expects to see. */
export interface Formats {
  /** "1234.5" → "1,234.5" with exactly the decimals it came with, and never fewer than the currency has. */
  amount(decimal: string): string;
  /** The amount as a deduction; zero stays zero and gets no minus sign. */
  deduction(decimal: string): string;
  /** The amount with the currency's sign, for the one figure that has to be paid. */
  money(decimal: string): string;
  /** A quantity with the decimals it came with. */
  quantity(decimal: string): string;
  /** YYYY-MM-DD → a long date. */
  date(calendarDate: string): string;
}

/**
 * Amounts stay strings from end to end: Intl formats a decimal string digit by digit, while a JS number
 * has lost the last cent of 999999999999999.99 before it is formatted.
 *
 * @throws RangeError for a locale or a currency code that Intl does not know.
 */
export function makeFormats(locale: string, currency: string, minorUnit: number): Formats {
  const made = new Map<string, Intl.NumberFormat>();
  const number = (
    decimal: string,
    leastDecimals: number,
    style: 'decimal' | 'currency' = 'decimal',
  ): string => {
    const decimals = Math.max(leastDecimals, decimalsOf(decimal));
    // To make a format takes far longer than to use it, and an invoice has thousands of numbers.
    const key = `${style} ${decimals}`;
    const format =
      made.get(key) ??
      new Intl.NumberFormat(locale, {
        style,
        currency,
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
      });
    made.set(key, format);
    return format.format(decimal as Intl.StringNumericLiteral);
  };
  const amount = (decimal: string): string => number(decimal, minorUnit);
  return {
    amount,
    deduction: (decimal) => amount(isZero(decimal) ? decimal : `-${decimal}`),
    money: (decimal) => number(decimal, minorUnit, 'currency'),
    quantity: (decimal) => number(decimal, 0),
    date: (calendarDate) => longDate(locale, calendarDate),
  };
}

function decimalsOf(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0;
}

function isZero(decimal: string): boolean {
  return !/[1-9]/.test(decimal);
}

function longDate(locale: string, calendarDate: string): string {
  // The date is already the seller's calendar date, so it must not move with any time zone; and it is
  // Gregorian by contract, while th-TH or fa-IR would otherwise count years of another calendar.
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' }).format(
    new Date(`${calendarDate}T00:00:00Z`),
  );
}
