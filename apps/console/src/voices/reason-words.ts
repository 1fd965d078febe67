import { formatNumber, humanize } from '../components/number';

const VALUE = /^(-?[\d.]+)(%|dB|Hz|s|FS|MOS|\/10s)$/;
const UNITS: Record<string, string> = { '/10s': 'in 10 s', FS: 'of full scale', MOS: 'of 5' };

/** The reasons of a grade as a list shows them: `clipping=31.84%; too_short=1.4s` as `clipping 31.84 %, too short 1.4 s`. */
export function reasonWords(text: string): string {
  if (text.startsWith('manual: ')) return text.replace('manual: ', 'by hand: ');
  return text.split('; ').map(oneReason).join(', ');
}

function oneReason(reason: string): string {
  const [, code = reason, value] = /^(\w+)=(.+)$/.exec(reason) ?? [];
  const [, number, unit] = VALUE.exec(value ?? '') ?? [];
  if (number === undefined || unit === undefined) return humanize(reason).replace('=', ' ');
  const whole = Number.isInteger(Number(number)) && !number.includes('.');
  return `${humanize(code)} ${whole ? formatNumber(Number(number)) : number} ${UNITS[unit] ?? unit}`;
}
