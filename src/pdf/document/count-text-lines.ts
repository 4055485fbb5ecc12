import { makeBreakWord } from './break-word.js';

/** Ems: more than nearly all letters take, and what an ideograph takes. */
const LETTER = 0.66;
const IDEOGRAPH = 1;
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** How many letters surely fit into `width` points: longer words need a break. */
export function lettersIn(width: number, fontSize: number): number {
  return Math.max(1, Math.floor(width / (fontSize * LETTER)));
}

/**
 * How many lines a text takes in a box, rather too many than too few. React-PDF tells the true number
 * only after the pages are made, and whether a row may be split has to be said before.
 */
export function countTextLines(text: string, width: number, fontSize: number): number {
  const breakWord = makeBreakWord(lettersIn(width, fontSize));
  let lines = 0;
  for (const paragraph of text.split(/\r\n?|\n/)) {
    lines += 1;
    let free = width;
    for (const piece of paragraph.split(/( +)/).flatMap(breakWord)) {
      const ideographs = piece.match(IDEOGRAPHS)?.length ?? 0;
      const taken = fontSize * (ideographs * IDEOGRAPH + (piece.length - ideographs) * LETTER);
      if (taken > free && piece.trim() !== '') {
        lines += 1;
        free = width;
      }
      free -= taken;
    }
  }
  return lines;
}
