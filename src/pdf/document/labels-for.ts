import type { Labels } from './labels.js';
import { labelsEn } from './labels-en.js';

/** To add a language: write labels-xx.ts and name it here by its ISO 639 code. */
const LABELS: Readonly<Record<string, Labels>> = {
  en: labelsEn,
};

/** The labels in the language of a BCP 47 tag; English where that language has none yet. */
export function labelsFor(locale: string): Labels {
  return LABELS[new Intl.Locale(locale).language] ?? labelsEn;
}
