import { plural } from '@app/domain/common/sentences';
import { MUST_CONFIRM, type ParsedAllowList } from '@app/domain/allow-lists/allow-list';
import type { AddressUse } from '@app/domain/traffic/traffic';
import type { AllowListDryRun } from './allow-list-dry-runs.service';

const ADDRESSES_NAMED = 5;

/**
 * Why a list has to be confirmed before it is saved, in sentences; empty when it need not be.
 *
 * @param list null when there is to be no list
 * @param hasList whether the key has one now
 */
export function whyConfirm(
  list: ParsedAllowList | null,
  dryRun: AllowListDryRun,
  hasList: boolean,
): string[] {
  if (list === null) return hasList ? ['Without a list, the key works from every address.'] : [];
  const warnings = whatIsUnusual(list);
  const { refused, refusedAddresses } = dryRun.refusing;
  if (refused === 0) return warnings;
  return [...warnings, describeLockOut(refused, refusedAddresses, dryRun.days)];
}

/** What of a list always has to be confirmed, with or without traffic of its key, in sentences. */
export function whatIsUnusual({ warnings }: ParsedAllowList): string[] {
  return warnings.filter(({ code }) => MUST_CONFIRM.has(code)).map(({ message }) => message);
}

function describeLockOut(requests: number, addresses: readonly AddressUse[], days: number): string {
  const named = addresses
    .slice(0, ADDRESSES_NAMED)
    .map(({ address, requests: count, lastAt }) => `${address} (${count}, last ${lastAt.toISOString()})`);
  const more = addresses.length > ADDRESSES_NAMED ? ` and ${addresses.length - ADDRESSES_NAMED} more` : '';
  return `This list would have refused ${requests} of the requests of the last ${plural(days, 'day')}, from ${named.join(', ')}${more}.`;
}
