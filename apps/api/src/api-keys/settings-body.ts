import { isNullable, type KeyFieldName, type WireKeySettings } from '@app/domain/keys/key-fields';
import { checkOfValue } from '@app/domain/keys/key-settings';
import { CheckedField } from '../http/fields';

/**
 * A body that has settings of a key beside what its base has, described and checked as in the table of settings; null is
 * accepted where the setting may have none, but not in a query.
 */
export function settingsBody<B extends object, N extends KeyFieldName, R extends N = never>(
  base: new () => B,
  names: readonly N[],
  { required = [], inQuery = false }: { required?: readonly R[]; inQuery?: boolean } = {},
): new () => B & Partial<Pick<WireKeySettings, N>> & Pick<WireKeySettings, R> {
  class Body extends (base as new () => object) {}
  for (const name of names) {
    const presence = {
      optional: !required.some((each) => each === name),
      nullable: !inQuery && isNullable(name),
    };
    CheckedField(checkOfValue(name), presence)(Body.prototype, name);
  }
  return Body as new () => B & Partial<Pick<WireKeySettings, N>> & Pick<WireKeySettings, R>;
}
