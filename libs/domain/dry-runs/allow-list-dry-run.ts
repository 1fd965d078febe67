import { matchAllowList, type CompiledAllowList } from '../allow-lists/allow-list';
import { parseIpAddress } from '../addresses/ip-address';
import { evaluateTraffic } from './dry-run';
import { OTHER_ADDRESSES, type AddressUse } from '../traffic/traffic';

export interface DryRun<Use extends AddressUse = AddressUse> {
  /** All requests that were looked at. */
  requests: number;
  /** Those of them that the list would have refused. */
  refused: number;
  /** Those whose address was not recorded individually, so the outcome is unknown. Not among the refused. */
  undecided: number;
  /** The addresses that would have been refused, most requests first. */
  refusedAddresses: Use[];
}

/**
 * What a list would have done to requests that were let in: each one is evaluated as if it came now.
 *
 * @param list null lets every address in
 */
export function dryRun<Use extends AddressUse>(
  list: CompiledAllowList | null,
  uses: readonly Use[],
  nowMs: number,
): DryRun<Use> {
  const { refusedUses, ...evaluated } = evaluateTraffic(uses, ({ address }) => {
    if (list === null) return 'allowed';
    if (address === OTHER_ADDRESSES) return 'undecided';
    return letsIn(list, address, nowMs) ? 'allowed' : 'refused';
  });
  return { ...evaluated, refusedAddresses: refusedUses };
}

/** Whether a list lets in an address as it was recorded. One that is not known is refused as soon as there is a list. */
export function letsIn(list: CompiledAllowList, text: string, nowMs: number): boolean {
  const address = parseIpAddress(text);
  return address !== null && matchAllowList(list, address, nowMs);
}
