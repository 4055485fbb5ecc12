const FIRST_STRONG = /[\p{L}]/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The base direction of a text by its first letter, as browsers do it for dir="auto". */
export function textDirection(text: string): 'ltr' | 'rtl' {
  const letter = FIRST_STRONG.exec(text)?.[0];
  return letter !== undefined && RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}
