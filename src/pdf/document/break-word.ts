/**
 * React-PDF breaks lines between the parts that a hyphenation callback returns, and prints a hyphen
 * there. An empty part is different: it counts as a space of no width, so the line may break at it and
 * nothing is added to the text. Every break inside a word is made of these.
 */
const BREAK_HERE = '';

/** Where a long word breaks best: after the punctuation of SKUs, URLs and e-mail addresses. */
const AFTER_PUNCTUATION = /(?<=[-/_.,:;@&?=+#|)\]}\\])/u;

/** Scripts written without spaces; their lines break inside what looks like one long word. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Characters that may not begin a line, and those that may not end one. */
const NOT_FIRST = /^[\p{Pe}\p{Pf}\p{M}、。，．・：；？！ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ%,.:;?!]/u;
const NOT_LAST = /[\p{Ps}\p{Pi}]$/u;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const words = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * A hyphenation callback that never hyphenates: words of up to `room` characters stay whole, longer
 * ones may break after punctuation and, where that is not enough, between any two characters.
 */
export function makeBreakWord(room: number): (word: string) => string[] {
  return (word) => {
    if (word.trim() === '') return [word];
    // Leading, because a change of font inside a word starts a new callback, and React-PDF would allow
    // a hyphenated break between the two calls.
    return piecesOf(word, room).flatMap((piece) => [BREAK_HERE, piece]);
  };
}

function piecesOf(word: string, room: number): string[] {
  if (WITHOUT_SPACES.test(word))
    return joinForbidden(segments(words, word).flatMap((part) => shorten(part, room)));
  if (word.length <= room) return [word];
  return word.split(AFTER_PUNCTUATION).flatMap((part) => shorten(part, room));
}

function shorten(part: string, room: number): string[] {
  // Ideographs are twice as wide as letters, so they get half the room.
  const most = /\p{Script=Latin}/u.test(part) ? room : room / 2;
  return part.length <= most ? [part] : segments(graphemes, part);
}

function segments(segmenter: Intl.Segmenter, text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function joinForbidden(pieces: string[]): string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    const previous = joined.at(-1);
    if (previous !== undefined && (NOT_FIRST.test(piece) || NOT_LAST.test(previous))) {
      joined[joined.length - 1] = previous + piece;
    } else {
      joined.push(piece);
    }
  }
  return joined;
}
