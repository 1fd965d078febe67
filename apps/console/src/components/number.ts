import { plural as counted } from '@app/domain/common/sentences';

export { capitalised, humanize } from '@app/domain/common/sentences';

const NUMBER = new Intl.NumberFormat('en-GB');

export const formatNumber = (value: number): string => NUMBER.format(value);

const SIGNED = new Intl.NumberFormat('en-GB', { signDisplay: 'exceptZero' });

export const signed = (value: number): string => SIGNED.format(value);

/** `1 key`, `2 keys`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  counted(count, one, many, formatNumber);
