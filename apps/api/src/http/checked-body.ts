import type { Check } from '@app/domain/common/field-checks';
import { CheckedField } from './fields';

/** A body that has the fields of a table beside what its base has. */
export function checkedBody<B extends object>(
  base: new () => B,
  names: readonly string[],
  fieldOf: (name: never) => { check: Check; optional: boolean; nullable: boolean },
): new () => B {
  class Checked extends (base as new () => object) {}
  for (const name of names) {
    const { check, ...presence } = fieldOf(name as never);
    CheckedField(check, presence)(Checked.prototype, name);
  }
  return Checked as new () => B;
}
