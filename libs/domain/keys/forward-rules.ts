import {
  checkInteger,
  checkEnum,
  checkList,
  checkObject,
  orNullCheck,
  withSchema,
  type Check,
} from '../common/field-checks';
import type { ForwardedRequest } from '../traffic/forwarded-request';
import { PERMISSIONS, type Permission } from './permissions';

/** What a request that a reverse proxy forwards needs, and what it costs. */
export interface ForwardRule {
  /** Which requests: `POST api.example.com/v1/speech/*`; method, host and the `*` at the end may be left out. */
  match: string;
  /** The permission that the key needs; null when every key will do. */
  scope: Permission | null;
  /** Credits; null to charge nothing. */
  cost: number | null;
}

export const MAX_FORWARD_RULES = 200;
const MAX_COST = 1_000_000_000;

const MATCH = /^(?:([A-Z]{3,10}) )?([a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])?(\/[^\s*?#%\\;]{0,500})(\*?)$/;
const ACCEPTED = "'[METHOD ][host]/path[*]' with a decoded path, such as 'POST api.example.com/v1/speech/*'";

const checkMatch = withSchema({ type: 'string', pattern: MATCH.source }, (value) => {
  const [, , , path] = typeof value === 'string' ? (MATCH.exec(value) ?? []) : [];
  const isPath = path !== undefined && !/\/(\.{0,2})(?=\/)|\/\.{1,2}$/.test(path);
  return isPath ? [] : [{ type: 'string_pattern_mismatch', msg: `Input should be ${ACCEPTED}` }];
});

const checkRules = checkList(
  checkObject(
    {
      match: checkMatch,
      scope: orNullCheck(checkEnum(PERMISSIONS)),
      cost: orNullCheck(checkInteger({ min: 0, max: MAX_COST })),
    },
    ['match', 'scope', 'cost'],
  ),
  { max: MAX_FORWARD_RULES },
);

/** The map of a service credential from requests to what they need and cost. */
export const checkForwardRules: Check = withSchema(checkRules.schema!, (value) => {
  const found = checkRules(value);
  if (found.length > 0) return found;
  const names = (value as ForwardRule[]).map(({ match }) => match);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ type: 'value_error', msg: `Value error, ${name} stands here twice`, path: [index, 'match'] }],
  );
});

/**
 * The rule that a request falls under: one with its host before one for every host, the exact path before a longer and that
 * before a shorter beginning, one with its method before one for all. A `/` at the end of a path makes no difference to
 * an exact one.
 *
 * @returns null when no rule covers the request: then it is not admitted
 */
export function findForwardRule(
  rules: readonly ForwardRule[],
  { method, host, path }: ForwardedRequest,
): ForwardRule | null {
  let best: ForwardRule | null = null;
  let bestRank = -1;
  for (const rule of rules) {
    const rank = rankOf(rule, method, host, path);
    if (rank <= bestRank) continue;
    best = rule;
    bestRank = rank;
  }
  return best;
}

/** Larger for the rule that wins; -1 when it does not cover the request. */
function rankOf({ match }: ForwardRule, method: string, host: string | null, path: string): number {
  const { method: ofMethod, host: ofHost, path: start, isPrefix } = read(match);
  if (ofMethod !== undefined && ofMethod !== method) return -1;
  if (ofHost !== undefined && ofHost !== host) return -1;
  const covers = isPrefix ? path.startsWith(start) : withoutSlash(path) === withoutSlash(start);
  if (!covers) return -1;
  const length = isPrefix ? start.length : 1_000;
  return (ofHost === undefined ? 0 : 10_000) + 2 * length + (ofMethod === undefined ? 0 : 1);
}

interface ReadMatch {
  method: string | undefined;
  host: string | undefined;
  path: string;
  isPrefix: boolean;
}

const matches = new Map<string, ReadMatch>();

/** Rules are few and seldom change: each is read once. */
function read(match: string): ReadMatch {
  const known = matches.get(match);
  if (known) return known;
  const [, method, host, path = '', star] = MATCH.exec(match) ?? [];
  const value = { method, host, path, isPrefix: star === '*' };
  if (matches.size > 10_000) matches.clear();
  matches.set(match, value);
  return value;
}

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
