import { nearestName } from '@app/domain/common/nearest-name';
import { STRICT_SSL_MODES } from './database-url';
import { VARIABLES, type Variable } from './variables';

const ALL: Record<string, Variable> = VARIABLES;
const NAMES = Object.keys(ALL);

/** Names that other programs read and that are near to ours. */
const OF_OTHERS = new Set(['HOSTNAME', 'SHELL', 'OTEL_TRACES_SAMPLER']);

/** What an environment has that is probably not what its author meant, a sentence each. It does not keep anything from starting. */
export function environmentWarnings(env = process.env): string[] {
  const input = Object.keys(env).filter((name) => env[name] !== '' && !(name in ALL));
  return [...input.flatMap(unknownVariable), ...NAMES.flatMap((name) => sslMode(name, env[name] ?? ''))];
}

function unknownVariable(name: string): string[] {
  const base = name.replace(/_FILE$/, '');
  if (OF_OTHERS.has(name) || ALL[base]?.secret) return [];
  if (base !== name && base in ALL)
    return [`${name} is not read: ${base} is not a secret. Set ${base} itself.`];
  const nearest = nearestName(base, NAMES);
  if (nearest === null) return [];
  return [`${name} is not read: no such variable is known. Is ${name.replace(base, nearest)} meant?`];
}

/** Instead of the driver's warning, which names neither the variable nor what to write. */
function sslMode(name: string, text: string): string[] {
  const [, mode = ''] = /^\s*postgres.*[?&]sslmode=([\w-]+)/.exec(text) ?? [];
  if (!STRICT_SSL_MODES.includes(mode) || text.includes('uselibpqcompat')) return [];
  return [
    `${name}: sslmode=${mode} is taken for verify-full: the certificate of the server and its name are checked. Write sslmode=verify-full.`,
  ];
}
