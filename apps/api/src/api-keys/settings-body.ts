import { isNullable, type KeyFieldName, type WireKeySettings } from '@app/domain/keys/key-fields';
import { checkOfValue } from '@app/domain/keys/key-settings';
import { checkedBody } from '../http/checked-body';

/**
 * A body that has settings of a key beside what its base has, described and checked as in the table of settings; null is
 * accepted where the setting may have none, but not in a query.
 */
export function settingsBody<B extends object, N extends KeyFieldName, R extends N = never>(
  base: new () => B,
  names: readonly N[],
  { required = [], inQuery = false }: { required?: readonly R[]; inQuery?: boolean } = {},
): new () => B & Partial<Pick<WireKeySettings, N>> & Pick<WireKeySettings, R> {
  return checkedBody(base, names, (name) => ({
    check: checkOfValue(name),
    optional: !required.some((each) => each === name),
    nullable: !inQuery && isNullable(name),
  })) as new () => B & Partial<Pick<WireKeySettings, N>> & Pick<WireKeySettings, R>;
}
