import { InvalidInput } from '../common/invalid-input';
import { isUuid } from '../common/uuid';

/** What a provider says of a person or a group; what it does not say is undefined. */
export interface ScimInput {
  userName?: string;
  displayName?: string;
  externalId?: string | null;
  active?: boolean;
  /** Ids of people. */
  members?: string[];
}

/** Attributes by their path in lower case, without the name of the schema: `name.givenname`. */
type Attributes = Map<string, unknown>;

const MAX_TEXT = 255;
const MAX_ENTRIES = 1_000;
const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const ONE_MEMBER = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/i;
const FILTER = /^\s*(\w+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/;

/** A whole resource (RFC 7643, 4.1 and 4.2). Attributes that are not stored are ignored. @throws InvalidInput */
export function readScimResource(body: unknown): ScimInput {
  const { externalId = null, active = true, members = [], ...names } = toInput(attributesOf(body));
  return { ...names, externalId, active, members };
}

/**
 * What a patch makes another (RFC 7644, 3.5.2).
 *
 * @param current the members of a group before it
 * @throws InvalidInput
 */
export function readScimPatch(body: unknown, current: readonly string[] = []): ScimInput {
  const operations = attributesOf(body).get('operations');
  if (!Array.isArray(operations) || operations.length > MAX_ENTRIES)
    refuseScim(['Operations'], `a list of at most ${MAX_ENTRIES} operations`, operations);
  const changed: Attributes = new Map();
  const members = new Set(current);
  for (const [index, operation] of (operations as unknown[]).entries()) {
    const read = attributesOf(operation);
    const [op, path, value] = [String(read.get('op')).toLowerCase(), read.get('path'), read.get('value')];
    if (!['add', 'replace', 'remove'].includes(op))
      refuseScim(['Operations', index, 'op'], 'add, replace or remove', read.get('op'));
    const one = ONE_MEMBER.exec(String(path))?.[1];
    const named = one === undefined ? { [String(path)]: op === 'remove' ? value : (value ?? null) } : {};
    const set = attributesOf(path === undefined ? value : named);
    if (one !== undefined) members.delete(one);
    if (set.has('members')) {
      const ids = op === 'remove' && value === undefined ? [...members] : membersOf(set.get('members'));
      if (op === 'replace') members.clear();
      for (const id of ids) members[op === 'remove' ? 'delete' : 'add'](id);
      set.delete('members');
    }
    for (const [name, next] of set) changed.set(name, op === 'remove' ? null : next);
  }
  return { ...toInput(changed), members: [...members] };
}

/** The attribute and the value of `userName eq "ana@example.com"`. @throws InvalidInput */
export function readScimFilter(
  filter: unknown,
  accepted: readonly string[],
): [attribute: string, value: string] {
  const [, attribute = '', quoted = ''] = FILTER.exec(String(filter)) ?? [];
  const name = accepted.find((each) => each.toLowerCase() === attribute.toLowerCase());
  const value = quoted.slice(1, -1).replace(/\\(["\\/])/g, '$1');
  return name
    ? [name, value]
    : refuseScim(['filter'], accepted.map((each) => `${each} eq "…"`).join(' or '), filter);
}

/** @throws InvalidInput */
export function readScimNumber(name: string, text: unknown, fallback: number): number {
  if (text === undefined) return fallback;
  return typeof text === 'string' && /^-?\d{1,9}$/.test(text)
    ? Number(text)
    : refuseScim([name], 'a whole number', text);
}

function toInput(attributes: Attributes): ScimInput {
  const text = (name: string): string | null | undefined => {
    const value = attributes.get(name.toLowerCase());
    if (value === undefined || value === null) return value;
    if (typeof value === 'string' && value.length <= MAX_TEXT) return value.trim() || null;
    return refuseScim(name.split('.'), `a text of at most ${MAX_TEXT} characters`, value);
  };
  const [first, last] = [text('name.givenName'), text('name.familyName')];
  const members = attributes.get('members');
  return {
    userName: text('userName') ?? undefined,
    displayName:
      text('displayName') ?? text('name.formatted') ?? (first && last ? `${first} ${last}` : undefined),
    externalId: text('externalId'),
    active: truthOf(attributes.get('active')),
    members: members ? membersOf(members) : undefined,
  };
}

/** Entra sends it as a text. */
function truthOf(value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  const isText = typeof value === 'string' && /^(true|false)$/i.test(value);
  return isText ? value.toLowerCase() === 'true' : refuseScim(['active'], 'true or false', value);
}

function membersOf(value: unknown): string[] {
  const entries = [value].flat() as unknown[];
  if (entries.length > MAX_ENTRIES) refuseScim(['members'], `at most ${MAX_ENTRIES} members`, entries.length);
  return entries.map((entry, index) => {
    const { value: id } = (entry ?? {}) as { value?: unknown };
    if (typeof id === 'string' && isUuid(id)) return id;
    return refuseScim(['members', index], 'an object whose value is the id of a User', entry);
  });
}

/** Names of attributes mean the same in capitals; the parts of `name` stand beside the others. */
function attributesOf(value: unknown, prefix = ''): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuseScim([], 'an object', value);
  const entries = Object.entries(value).map(
    ([key, each]) => [key.replace(SCHEMA, '').toLowerCase(), each] as const,
  );
  return new Map(
    entries.flatMap(([key, each]) =>
      key === 'name' ? [...attributesOf(each, 'name.')] : [[prefix + key, each]],
    ),
  );
}

/** @throws InvalidInput */
export function refuseScim(path: (string | number)[], accepted: string, input: unknown): never {
  const msg = `Input should be ${accepted}`;
  throw new InvalidInput([{ type: 'value_error', path, msg, input, ctx: { accepted } }]);
}
