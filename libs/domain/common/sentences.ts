/** `12,480`. */
export function grouped(value: number): string {
  return value.toLocaleString('en-GB');
}

/** `1 key`, `2 keys`. */
export function plural(
  count: number,
  one: string,
  many = `${one}s`,
  format: (count: number) => string = String,
): string {
  return `${format(count)} ${count === 1 ? one : many}`;
}

/** `address not listed` as `Address not listed`. */
export function capitalised(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}

/** `account_manager` as `account manager`. */
export function humanize(code: string): string {
  return code.replaceAll('_', ' ');
}

/** A text as a sentence: with a full stop, unless it has an end already. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const SHOWN = 10;

/** `a, b and 3 more`: the first ten of these, and how many more there are; `none` for none. */
export function listed(texts: readonly string[]): string {
  const more = texts.length - SHOWN;
  return `${texts.slice(0, SHOWN).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}
