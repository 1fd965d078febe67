import { parseAllowList } from '../allow-lists/allow-list';
import {
  checkBoolean,
  checkInteger,
  checkString,
  checkTime,
  orNullCheck,
  type Check,
} from '../common/field-checks';
import { canonicalList, checkExternalId, checkTags } from '../common/tags';
import { toTime } from '../common/times';
import {
  checkAllowedIps,
  checkModels,
  checkPermissions,
  checkVoices,
  futureTime,
  requireValid,
  storedPermissions,
} from './key-field-checks';
import { propertyOf } from '../common/property-name';
import {
  isNullable,
  KEY_FIELD_NAMES,
  KEY_FIELDS,
  type KeyField,
  type KeyFieldKind,
  type KeyFieldName,
  type KeyInput,
  type KeySettings,
  type Kinds,
  type WireKeySettings,
} from './key-fields';

const CHECKS: Record<KeyFieldKind, (bounds: { min: number; max: number }) => Check> = {
  name: checkString,
  text: () => checkExternalId,
  tags: () => checkTags,
  permissions: () => checkPermissions,
  addresses: () => checkAllowedIps,
  models: () => checkModels,
  voices: () => checkVoices,
  count: checkInteger,
  time: () => checkTime,
  flag: () => checkBoolean,
};
const UNBOUNDED = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** What is accepted of a setting on the wire, beside null. */
export function checkOfValue(name: KeyFieldName): Check {
  return checkOfKind(KEY_FIELDS[name]);
}

/** What a row of a table of settings accepts on the wire, beside null. */
export function checkOfKind({ kind, bounds }: Pick<KeyField, 'kind' | 'bounds'>): Check {
  return CHECKS[kind](bounds ?? UNBOUNDED);
}

/** What is accepted of a setting on the wire, null included where it may have none. */
export function checkOf(name: KeyFieldName): Check {
  return isNullable(name) ? orNullCheck(checkOfValue(name)) : checkOfValue(name);
}

type Form = 'input' | 'stored' | 'wire';
type Conversion<From extends Form, To extends Form> = {
  [K in KeyFieldKind]: (value: Kinds[K][From]) => Kinds[K][To];
};
const same = <T>(value: T): T => value;

const TO_WIRE: Conversion<'stored', 'wire'> = {
  name: same,
  text: same,
  tags: same,
  permissions: (stored) => stored ?? 'all',
  addresses: same,
  models: same,
  voices: same,
  count: same,
  time: (stored) => stored && stored.toISOString(),
  flag: same,
};

const FROM_WIRE: Conversion<'wire', 'input'> = { ...TO_WIRE, permissions: same, time: toTime };

const TO_STORED: Conversion<'input', 'stored'> = {
  name: same,
  text: same,
  tags: canonicalList,
  permissions: storedPermissions,
  addresses: (input) => input && parseAllowList(input).canonical,
  models: (input) => input && canonicalList(input),
  voices: (input) => input && canonicalList(input),
  count: same,
  time: same,
  flag: same,
};

/** Stored settings as the wire has them; those that are left out stay so. */
export function toWire(settings: Partial<KeySettings>): Partial<WireKeySettings> {
  return convert(settings, propertyOf, same, TO_WIRE);
}

/** Settings of the wire as the program gives them; those that are left out stay so. */
export function fromWire(settings: Partial<WireKeySettings>): Partial<KeyInput> {
  return convert(settings, same, propertyOf, FROM_WIRE);
}

/**
 * Settings as they are stored: tags each once, lists merged, permissions in the order of the table. Those that are left out stay so.
 *
 * @param now after which times have to be; null for any time
 * @throws InvalidInput for one that is not accepted
 */
export function toStored(settings: Partial<KeyInput>, now: Date | null): Partial<KeySettings> {
  for (const name of KEY_FIELD_NAMES) {
    const value = settings[propertyOf(name)];
    if (value === undefined) continue;
    if (!(value instanceof Date)) requireValid(name, value, checkOf(name));
    else if (now !== null) futureTime(value, now);
  }
  return convert(settings, propertyOf, propertyOf, TO_STORED);
}

/** Every present setting under another name and in another form. */
function convert(
  settings: object,
  from: (name: KeyFieldName) => string,
  to: (name: KeyFieldName) => string,
  by: object,
): object {
  const conversions = by as Record<KeyFieldKind, (value: unknown) => unknown>;
  const values = new Map<string, unknown>(Object.entries(settings));
  const converted = KEY_FIELD_NAMES.flatMap((name) => {
    const value = values.get(from(name));
    return value === undefined ? [] : [[to(name), conversions[KEY_FIELDS[name].kind](value)]];
  });
  return Object.fromEntries(converted) as object;
}
