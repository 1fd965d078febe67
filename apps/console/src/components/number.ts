import { plural as counted } from '@app/domain/common/sentences';

export { capitalised, humanize } from '@app/domain/common/sentences';

const NUMBER = new Intl.NumberFormat('en-GB');

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

const SIGNED = new Intl.NumberFormat('en-GB', { signDisplay: 'exceptZero' });

export function signed(value: number): string {
  return SIGNED.format(value);
}

/** `1 key`, `2 keys`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return counted(count, one, many, formatNumber);
}
