/** What a person has typed as a number: the number, null for nothing; or why it is none, in a sentence. */
export type TypedNumber = { value: number | null } | { problem: string };

/** Thousands in groups with one separator, as the console shows them and people copy them. */
const GROUPED = /^-?[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:\u00a0\d{3})+|(?:\u202f\d{3})+|(?:'\d{3})+)$/;

/** A comma that is not between thousands, or a point that may be. */
const AMBIGUOUS = /^-?\d+,\d+$|^-?[1-9]\d{0,2}\.\d{3}$/;

/** Reads a number in decimal digits. What a person may have meant otherwise is refused with both readings. */
export function readTypedNumber(typed: string): TypedNumber {
  const text = typed.trim().replace(/^\u2212/, '-');
  if (text === '') return { value: null };
  if (GROUPED.test(text)) return { value: Number(text.replace(/[^\d-]/g, '')) };
  if (AMBIGUOUS.test(text)) {
    const [asDecimal, asWhole] = [Number(text.replace(',', '.')), Number(text.replace(/[,.]/g, ''))];
    return { problem: `${typed} can be read as ${asDecimal} or as ${asWhole}. Write it without separators.` };
  }
  if (/^-?\d+(\.\d+)?$/.test(text)) return { value: Number(text) };
  return { problem: `${typed} is not a number in decimal digits, such as 10000 or 2.5.` };
}
