import {
  checkEnum,
  checkList,
  checkObject,
  checkString,
  withSchema,
  type Check,
} from '../common/field-checks';
import { checkTag } from '../common/tags';
import { isUuid } from '../common/uuid';

/** How usage is written: CloudEvents, as OpenMeter reads them, too; events of Lago; meter events of Stripe. */
export const USAGE_FORMATS = ['cloudevents', 'lago', 'stripe'] as const;
export type UsageFormat = (typeof USAGE_FORMATS)[number];

/** Where usage is sent. */
export interface UsageSink {
  /** Its cursor is known by it. */
  name: string;
  format: UsageFormat;
  url: string;
  /** Bearer token; null sends none. */
  token: string | null;
  /** The type of the events, the code of the billable metric, or the event name of the meter. */
  event: string;
  /** Only the lines of this account; null for all. */
  account: string | null;
  /** Only the lines of accounts that have this tag now; null for all. */
  tag: string | null;
}

export const MAX_USAGE_SINKS = 20;

const pattern = (accepted: RegExp, msg: string): Check =>
  withSchema({ type: 'string', pattern: accepted.source }, (value) =>
    typeof value === 'string' && accepted.test(value)
      ? []
      : [{ type: 'string_pattern_mismatch', msg: `Input should be ${msg}` }],
  );

const checkAccount = withSchema({ type: 'string' }, (value) =>
  typeof value === 'string' && isUuid(value)
    ? []
    : [{ type: 'uuid_parsing', msg: 'Input should be a valid UUID' }],
);

const checkFields = checkList(
  checkObject(
    {
      name: pattern(/^[a-z0-9][a-z0-9-]{0,39}$/, '1 to 40 lower-case letters, digits and hyphens'),
      format: checkEnum(USAGE_FORMATS),
      url: checkString({ min: 1, max: 2_000 }),
      token: pattern(/^[\u0021-\u007e]{1,1000}$/, 'a token without spaces'),
      event: checkString({ min: 1, max: 100 }),
      account: checkAccount,
      tag: checkTag,
    },
    ['name', 'format', 'url', 'event'],
  ),
  { max: MAX_USAGE_SINKS },
);

/** What is wrong with a list of sinks, as a file has it. */
export const checkUsageSinks: Check = withSchema(checkFields.schema!, (value) => {
  const found = checkFields(value);
  if (found.length > 0) return found;
  const sinks = value as UsageSink[];
  const names = sinks.map(({ name }) => name);
  return sinks.flatMap(({ name, account, tag }, index) => [
    ...(names.indexOf(name) === index
      ? []
      : [{ type: 'value_error', msg: `Value error, ${name} stands here twice`, path: [index, 'name'] }]),
    ...(account && tag
      ? [{ type: 'value_error', msg: "Value error, give either 'account' or 'tag'", path: [index, 'tag'] }]
      : []),
  ]);
});

/** A list that was checked, with nothing left out. */
export function toUsageSinks(
  list: readonly (Pick<UsageSink, 'name' | 'format' | 'url' | 'event'> & Partial<UsageSink>)[],
): UsageSink[] {
  return list.map((sink) => ({ token: null, account: null, tag: null, ...sink }));
}
