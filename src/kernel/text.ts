import { invalid } from './errors.js';

interface TextRule {
  shortest?: number;
  longest?: number;
  newlines?: boolean;
}

/**
 * Texts of an order are kept as they are, in any script. Refused are only a length outside the rule
 * (counted in code points, as PostgreSQL counts), control characters, and halves of surrogate pairs,
 * which no encoding can carry.
 *
 * @throws AppError VALIDATION_ERROR with `field`.
 */
export function checkText(field: string, text: string | null, rule: TextRule = {}): void {
  if (text === null) return;
  const { shortest = 0, longest = 300, newlines = false } = rule;
  // A cheap bound first: code points are never more than code units, nor fewer than half of them.
  const length = text.length > 2 * longest ? text.length : [...text].length;
  if (length < shortest || length > longest) {
    throw invalid(field, `must have ${shortest} to ${longest} characters`);
  }
  if (!text.isWellFormed()) throw invalid(field, 'must be well-formed Unicode');
  const controls = newlines ? /[^\P{Cc}\n]/u : /\p{Cc}/u;
  if (controls.test(text)) throw invalid(field, 'must not contain control characters');
}
