/** Symbols that are said wherever they stand. */
const SYMBOLS: Record<string, string> = {
  '%': 'percent',
  '‰': 'per mille',
  '&': 'and',
  '@': 'at',
  '+': 'plus',
  '×': 'times',
  '÷': 'divided by',
  '±': 'plus or minus',
  '°': 'degrees',
  '²': 'squared',
  '³': 'cubed',
  '§': 'section',
  '№': 'number',
  '©': 'copyright',
  '®': 'registered',
  '™': 'trademark',
};
/** Symbols that are said between two amounts or words, and are marks of a text elsewhere. */
const RELATIONS: Record<string, string> = {
  '=': 'equals',
  '≠': 'is not',
  '≈': 'about',
  '<': 'less than',
  '>': 'greater than',
  '≤': 'at most',
  '≥': 'at least',
};
const DEGREES: Record<string, string> = { C: 'degrees Celsius', F: 'degrees Fahrenheit' };
const AMOUNT = String.raw`\d[\d.,]{0,30}(?<=\d)`;

/**
 * Writes out what the embedded engine does not read: signs, ranges, fractions, degrees, symbols and every currency
 * but the dollar, whose English names are those of Unicode's CLDR. Looks at no more than one word, so that words can be read
 * one by one. The engine reads digits, `$5`, `1/2`, `50-60` and units.
 */
export function readAmounts(text: string): string {
  const { code, before, behind } = currencies();
  return text
    .replace(/[−‒]/g, '-')
    .replace(/(?<=\d)[–—](?=\d)/g, '-')
    .replace(behind, (_, amount: string, symbol: string) => ` ${amount} ${nameOf(code.get(symbol), amount)} `)
    .replace(before, (_, symbol: string, amount = '') => ` ${amount} ${nameOf(code.get(symbol), amount)} `)
    .replace(/(?<![\p{L}\p{N}\p{Pe}.,-])-(?=\$?\.?\d)/gu, ' minus ')
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, ' ')
    .replace(/[¼-¾⅐-⅞]/g, (fraction) => fraction.normalize('NFKD').replace('⁄', '/'))
    .replace(/℃|℉/g, (unit) => unit.normalize('NFKD'))
    .replace(/°([CF])\b/g, (_, scale: string) => ` ${DEGREES[scale]} `)
    .replace(/(?<=[\s\d]|^)[=≠≈<>≤≥](?=[\s\d]|$)/g, (symbol) => ` ${RELATIONS[symbol]} `)
    .replace(/#(?=\d)/g, ' number ')
    .replace(/[%‰&@+×÷±°²³§№©®™]/g, (symbol) => ` ${SYMBOLS[symbol]} `);
}

interface Currencies {
  /** ISO 4217, by symbol. */
  code: Map<string, string>;
  /** `€10`, or the symbol alone. */
  before: RegExp;
  /** `10€` */
  behind: RegExp;
}

let known: Currencies | null = null;

/** Symbols of one character beyond ASCII, from CLDR: the first currency of those that share one, and its own before both. */
function currencies(): Currencies {
  if (known) return known;
  const code = new Map<string, string>();
  for (const display of ['symbol', 'narrowSymbol'] as const) {
    for (const currency of Intl.supportedValuesOf('currency')) {
      const symbol = currencyPart(currency, display, 0);
      if (/^\p{Sc}$/u.test(symbol) && symbol !== '$' && !code.has(symbol)) code.set(symbol, currency);
    }
  }
  const symbols = `[${[...code.keys()].join('')}]`;
  known = {
    code,
    before: new RegExp(`(${symbols})(${AMOUNT})?`, 'gu'),
    behind: new RegExp(`(${AMOUNT})(${symbols})`, 'gu'),
  };
  return known;
}

const names = new Map<string, string>();

function nameOf(currency: string | undefined, amount: string): string {
  if (!currency) return '';
  const count = Number(amount.replaceAll(',', '')) === 1 ? 1 : 2;
  const known = names.get(currency + count);
  if (known !== undefined) return known;
  const name = currencyPart(currency, 'name', count);
  names.set(currency + count, name);
  return name;
}

function currencyPart(currency: string, currencyDisplay: 'symbol' | 'narrowSymbol' | 'name', value: number) {
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay,
    ...(Number.isInteger(value) && { maximumFractionDigits: 0 }),
  });
  return format.formatToParts(value).find(({ type }) => type === 'currency')?.value ?? '';
}
