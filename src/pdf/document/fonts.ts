import { createRequire } from 'node:module';
import { Font } from '@react-pdf/renderer';

/** Weights of the document. Scripts without a bold of their own fall back to their regular. */
export const REGULAR = 400;
export const BOLD = 600;

const LATIN = 'Noto Sans';
const HEBREW = 'Noto Sans Hebrew';
const ARABIC = 'IBM Plex Sans Arabic';
const THAI = 'Noto Sans Thai';
const CHINESE = 'Noto Sans SC';
const JAPANESE = 'Noto Sans JP';
const KOREAN = 'Noto Sans KR';

const FILES: Readonly<Record<string, Record<number, string>>> = {
  // Greek, Cyrillic, Vietnamese, Devanagari and the currency signs stand in the same files.
  [LATIN]: {
    [REGULAR]: 'noto-sans/400Regular/NotoSans_400Regular.ttf',
    [BOLD]: 'noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
  },
  [HEBREW]: { [REGULAR]: 'noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf' },
  // Not Noto's Arabic: that draws dots as marks of their own, and React-PDF, which turns shaped runs
  // round, puts such marks on the wrong letters.
  [ARABIC]: {
    [REGULAR]: 'ibm-plex-sans-arabic/400Regular/IBMPlexSansArabic_400Regular.ttf',
    [BOLD]: 'ibm-plex-sans-arabic/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf',
  },
  [THAI]: { [REGULAR]: 'noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf' },
  [CHINESE]: { [REGULAR]: 'noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf' },
  [JAPANESE]: { [REGULAR]: 'noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf' },
  [KOREAN]: { [REGULAR]: 'noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf' },
};

const FONTS = Object.entries(FILES).flatMap(([fontFamily, files]) =>
  Object.entries(files).map(([weight, file]) => ({ fontFamily, fontWeight: Number(weight), file })),
);

const require = createRequire(import.meta.url);
for (const { fontFamily: family, fontWeight, file } of FONTS) {
  Font.register({ family, src: require.resolve(`@expo-google-fonts/${file}`), fontWeight });
}
// React-PDF hyphenates English by default, in every language and inside SKUs.
Font.registerHyphenationCallback((word) => [word]);

/**
 * The families to try, in order, for each run of text. Han characters are drawn differently in China
 * and Japan and share their code points, so the document's locale decides who is asked first.
 */
export function fontFamilies(locale: string): string[] {
  const { language } = new Intl.Locale(locale);
  if (language === 'ja') return [LATIN, HEBREW, ARABIC, THAI, JAPANESE, CHINESE, KOREAN];
  if (language === 'ko') return [LATIN, HEBREW, ARABIC, THAI, KOREAN, CHINESE, JAPANESE];
  return [LATIN, HEBREW, ARABIC, THAI, CHINESE, JAPANESE, KOREAN];
}

/**
 * Makes the fonts ready for one document: reads the files the first time, and makes fontkit forget
 * which glyphs earlier documents used. It caches a glyph together with the characters it was first
 * shaped from, so what a thread rendered before would show in the bytes and in copied text.
 */
export async function prepareFonts(): Promise<void> {
  for (const font of FONTS) {
    await Font.load(font);
    const loaded = Font.getFont(font).data;
    if (loaded !== null) Object.assign(loaded, { _glyphs: {} });
  }
}

/** Whether one of the fonts draws this character. To be asked only after `prepareFonts`. */
export function hasGlyph(codePoint: number): boolean {
  return FONTS.some((font) => Font.getFont(font).data?.hasGlyphForCodePoint(codePoint) ?? false);
}
