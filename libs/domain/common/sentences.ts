/** `12,480`, with three decimals at most. By hand: whatever is first of `Intl` costs a page 25 ms before it shows anything. */
export function grouped(value: number): string {
  const [whole = '', decimals] = String(Math.round(Math.abs(value) * 1_000) / 1_000).split('.');
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  const fraction = decimals === undefined ? '' : `.${decimals}`;
  return `${value < 0 ? '-' : ''}${groups.join(',')}${fraction}`;
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

/** `a, b and c` */
export function allOf(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)!}`;
}

const SHOWN = 10;

/** `a, b and 3 more`: the first ten of these, and how many more there are; `none` for none. */
export function listed(texts: readonly string[]): string {
  const more = texts.length - SHOWN;
  return `${texts.slice(0, SHOWN).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}
