import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/kernel/errors.js';
import { cursorOf, type PageRequest, pageOf, readPageRequest } from '../../src/kernel/page.js';

const ID = '0193e3a4-7c1e-7d3b-9f00-0123456789ab';

function fieldRefused(request: PageRequest): string | undefined {
  try {
    readPageRequest(request);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
    return error.details.field;
  }
}

describe('a page asked for', () => {
  test('has 50 items where nothing is said, and reads one more', () => {
    for (const request of [{}, { first: null, after: null }, { first: undefined, after: undefined }]) {
      expect(readPageRequest(request)).toEqual({ take: 51, before: undefined });
    }
  });

  test('has 1 to 100 items', () => {
    expect(readPageRequest({ first: 1 }).take).toBe(2);
    expect(readPageRequest({ first: 100 }).take).toBe(101);
    for (const first of [0, -1, 101, 2 ** 31, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(fieldRefused({ first }), String(first)).toBe('first');
    }
  });

  test('comes after the item whose cursor it has', () => {
    expect(readPageRequest({ after: cursorOf(ID) }).before).toBe(ID);
  });
});

describe('a cursor', () => {
  test('tells no id at first sight, and fits into a URL', () => {
    expect(cursorOf(ID)).not.toContain(ID.slice(0, 8));
    expect(cursorOf(ID)).toMatch(/^[\w-]+$/);
  });

  const whole = cursorOf(ID);
  test.each([
    ['empty', ''],
    ['words', 'the first one'],
    ['a bare id', ID],
    ['a public id', 'inv_01jfhta3rye9xx9w000j6hcy5b'],
    ['another text in base64', Buffer.from('not an id').toString('base64url')],
    ['SQL in base64', Buffer.from(`${ID}' OR 1=1`).toString('base64url')],
    ['an id with a line behind it', Buffer.from(`${ID}\n`).toString('base64url')],
    ['an id in capitals', Buffer.from(ID.toUpperCase()).toString('base64url')],
    ['cut at the end', whole.slice(0, -1)],
    ['cut at the beginning', whole.slice(1)],
    ['one character longer', `${whole}A`],
    ['with a sign of no alphabet in it', `${whole.slice(0, 10)}*${whole.slice(10)}`],
    ['with spaces around', ` ${whole} `],
    ['padded', `${whole}==`],
    ['a megabyte', 'A'.repeat(1_000_000)],
    ['not ASCII', 'ż'.repeat(48)],
  ])('that is broken is refused: %s', (_, after) => {
    expect(fieldRefused({ after })).toBe('after');
  });
});

describe('a page given', () => {
  test('holds what was asked for, and knows whether more follows', () => {
    expect(pageOf([3, 2, 1], { first: 2 })).toEqual({ items: [3, 2], hasNextPage: true });
    expect(pageOf([3, 2], { first: 2 })).toEqual({ items: [3, 2], hasNextPage: false });
    expect(pageOf([], { first: 2 })).toEqual({ items: [], hasNextPage: false });
  });

  test('holds 50 where nothing is said', () => {
    const rows = Array.from({ length: 51 }, (_, index) => index);
    for (const request of [{}, { first: null }]) {
      expect(pageOf(rows, request)).toEqual({ items: rows.slice(0, 50), hasNextPage: true });
    }
  });
});
