import { hasGlyph } from './fonts.js';

/** Drawn as a question mark in a black diamond: says "a character stood here" in every language. */
const PLACEHOLDER = '\u{FFFD}';

/**
 * Characters with no ink of their own. The joiners U+200C and U+200D stay, since Persian and Hindi
 * spell with them; the rest could only hide text or turn its order round ("gpj.exe").
 */
const INVISIBLE = /(?![\n\u200C\u200D])[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu;

/**
 * The text as the fonts can draw it: newlines and tabs evened out, invisible characters left out,
 * accents joined to their letters, and a placeholder for what no font has, because React-PDF would
 * print some other character in its place.
 */
export function printableText(text: string): string {
  const visible = text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replace(INVISIBLE, '')
    // Only where there is an accent: over the whole text it would also exchange ideographs in names.
    .replace(/\p{L}\p{Mn}+/gu, (letter) => letter.normalize('NFC'));
  let printable = '';
  for (const character of visible) {
    printable += character === '\n' || hasGlyph(character.codePointAt(0) ?? 0) ? character : PLACEHOLDER;
  }
  return printable.trim();
}
