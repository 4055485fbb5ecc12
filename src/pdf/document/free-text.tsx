import { Text } from '@react-pdf/renderer';
import type { Style } from '@react-pdf/types';
import type { ReactElement } from 'react';
import { makeBreakWord } from './break-word.js';
import { lettersIn } from './count-text-lines.js';
import { printableText } from './printable-text.js';
import { textDirection } from './text-direction.js';

interface FreeTextProps {
  children: string | null;
  style?: Style | Style[];
  /** Points of the box the text stands in, and of its letters: they tell which words need a break. */
  width: number;
  fontSize: number;
}

/**
 * A text that came with the order or the settings: any language, any length, perhaps none. Newlines
 * are honoured, long words break inside the box without a hyphen, and nothing is printed for no text.
 */
export function FreeText({ children, style, width, fontSize }: FreeTextProps): ReactElement | null {
  const text = printableText(children ?? '');
  if (text === '') return null;
  return (
    <Text
      style={[style ?? {}, { direction: textDirection(text), textAlign: alignOf(style) }].flat()}
      hyphenationCallback={makeBreakWord(lettersIn(width, fontSize))}
    >
      {text}
    </Text>
  );
}

/** React-PDF would move right-to-left text to the right edge, away from its label and its column. */
function alignOf(style: Style | Style[] | undefined): NonNullable<Style['textAlign']> {
  return [style ?? {}].flat().findLast((each) => each.textAlign !== undefined)?.textAlign ?? 'left';
}
