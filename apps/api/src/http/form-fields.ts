import { DomainError } from '@app/domain/errors';

/** More than any form has. */
export const MAX_FORM_FIELDS = 100;

/**
 * The fields of a form: a text, or a list of texts where a name is repeated. The object has no prototype, so that
 * `constructor` or `__proto__` is a name like any other.
 */
export function toFields(pairs: Iterable<[name: string, value: string]>): Record<string, string | string[]> {
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of pairs) {
    const before = fields[name];
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  return fields;
}

/** The refusal of a body that is not a form, or has more than a form may have. */
export function malformedForm(reason: string): DomainError {
  return new DomainError('bad_request', {
    reason: `The body is not a form that is accepted here: ${reason}.`,
  });
}
