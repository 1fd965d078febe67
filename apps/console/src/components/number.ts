import { grouped, plural as counted } from '@app/domain/common/sentences';

export { capitalised, grouped as formatNumber, humanize } from '@app/domain/common/sentences';

export const signed = (value: number): string => `${value > 0 ? '+' : ''}${grouped(value)}`;

export const plural = (count: number, one: string, many = `${one}s`): string =>
  counted(count, one, many, grouped);
