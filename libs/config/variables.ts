import type { RoleOfGroup } from '@app/domain/staff/provider-roles';
import { STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { FIRST_CELL, isCell } from '@app/domain/common/cell';
import { compileTrustedProxies, type TrustedProxies } from '@app/domain/addresses/client-address';
import type { Cidr } from '@app/domain/addresses/cidr';
import { isAbsolute } from 'node:path';
import { isProgram } from './find-program';
import { CURRENT_RULESET, LISTENER_RULESET, RULESET_IDS } from '@app/domain/reviews/recording-rulesets';
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { databaseUrl } from './database-url';
import { readBackupKeep } from '@app/domain/operations/backup-plan';
import { readUrl } from './read-url';
import { readSchedule } from './schedule';

/**
 * Every environment variable Greenroom reads: how its text is parsed, what is accepted (quoted in the error when it is
 * not), and its default as the text one would write in a `.env` file. `.env.example` and `docker-compose.yml` are checked
 * against this table.
 */
export interface Variable {
  parse: (text: string) => unknown;
  accepted: string;
  fallback?: string;
  /** A secret can also be set as a file path in `NAME_FILE`, and is never printed. */
  secret?: boolean;
  /** The property of `AppConfig`, where it is not the name in camel case. */
  as?: string;
  about: string;
}

const wholeNumber = (min: number, max: number) => (text: string) =>
  /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

/** What the embedded PostgreSQL has connections for; more processes run on more machines. */
const MAX_API_PROCESSES = 8;

/** `auto` leaves a processor to PostgreSQL and the worker. */
function apiProcesses(text: string): number | undefined {
  if (text !== 'auto') return wholeNumber(1, MAX_API_PROCESSES)(text);
  return Math.min(MAX_API_PROCESSES, Math.max(1, availableParallelism() - 1));
}

const oneOf =
  <const T extends string>(...values: T[]) =>
  (text: string): T | undefined =>
    values.find((value) => value === text);

const url =
  (...protocols: string[]) =>
  (text: string): string | undefined => {
    const parsed = readUrl(text);
    return parsed && protocols.includes(parsed.protocol) ? text.trim() : undefined;
  };

/** A Redis URL whose path is at most the number of a database. Options in a query are not read. */
function redisUrl(text: string): string | undefined {
  const input = url('redis:', 'rediss:')(text);
  const { hostname, pathname, search } = new URL(input ?? 'http://none?');
  return input && hostname && /^(\/\d*)?$/.test(pathname) && !search ? input : undefined;
}

export interface Address {
  host: string;
  port: number;
}

/** `host:port` and more of them, separated by commas; an IPv6 address in brackets. */
function addresses(text: string): Address[] | undefined {
  const found = text.split(',').map((entry) => {
    const [, name, ip, port] =
      /^(?:([\w.-]{1,253})|\[([\da-f:]{2,45})\]):(\d{1,5})$/i.exec(entry.trim()) ?? [];
    return { host: name ?? ip ?? '', port: Number(port) };
  });
  return found.every(({ host, port }) => host && port > 0 && port <= 65_535) ? found : undefined;
}

function certificates(text: string): string | undefined {
  try {
    return new X509Certificate(text).fingerprint256 ? text : undefined;
  } catch {
    return undefined;
  }
}

function trustedProxies(text: string): TrustedProxies | undefined {
  const { trusted, problems } = compileTrustedProxies(text.split(',').map((entry) => entry.trim()));
  return problems.length > 0 ? undefined : trusted;
}

function cidrs(text: string): readonly Cidr[] | undefined {
  return trustedProxies(text)?.cidrs;
}

/** `tcp://` or `tls://` with a port and nothing after it, or the URL of a server. */
function collectorUrl(text: string): string | undefined {
  const parsed = readUrl(text);
  if (!parsed || !/^(tcp|tls):$/.test(parsed.protocol)) return serverUrl(text);
  const { hostname, port, pathname, search, hash, username, password } = parsed;
  const more = `${pathname.replace(/^\/$/, '')}${search}${hash}${username}${password}`;
  return hostname && port && more === '' ? text.trim() : undefined;
}

/** An http or https URL that carries neither credentials nor a query. */
export function serverUrl(text: string): string | undefined {
  const input = url('http:', 'https:')(text);
  const { username, password, search, hash } = new URL(input ?? 'http://none');
  return input && !username && !password && !search && !hash ? input : undefined;
}

/** Names of this machine: the only ones that may be reached without TLS. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An https URL, or an http one on this machine. */
function secureUrl(text: string): URL | undefined {
  const parsed = readUrl(text);
  if (!parsed) return undefined;
  const secure =
    parsed.protocol === 'https:' || (parsed.protocol === 'http:' && LOOPBACK.test(parsed.hostname));
  return secure && !parsed.username && !parsed.search && !parsed.hash ? parsed : undefined;
}

const publicUrl = (text: string): string | undefined =>
  secureUrl(text)?.pathname === '/' ? secureUrl(text)?.origin : undefined;

/** An SMTP server: host, port and login, and nothing else. */
function smtpUrl(text: string): URL | undefined {
  const input = url('smtp:', 'smtps:')(text);
  const { hostname, pathname, search, hash } = new URL(input ?? 'http://none');
  return input && hostname && /^\/?$/.test(pathname) && !search && !hash ? new URL(input) : undefined;
}

/** An address, or a name with an address in angle brackets. */
const mailbox = (text: string): string | undefined =>
  /^(?:[^<>\r\n"]{1,100} <([^\s<>@]+@[^\s<>@]+)>|[^\s<>@]+@[^\s<>@]+)$/.test(text) ? text : undefined;

const secureHref = (text: string): string | undefined => secureUrl(text)?.href;

const issuerUrl = (text: string): string | undefined => secureUrl(text)?.href.replace(/\/$/, '');

/** `group=role;group=role`. The name of a group may have commas and equals signs in it, as in a directory. */
function roleMap(text: string): readonly RoleOfGroup[] | undefined {
  const entries = text.split(';').map((entry) => {
    const at = entry.lastIndexOf('=');
    const role = STAFF_ROLES.find((name) => name === entry.slice(at + 1).trim());
    return { group: entry.slice(0, Math.max(at, 0)).trim(), role };
  });
  const read = entries.flatMap(({ group, role }) => (group && role ? [{ group, role }] : []));
  return read.length === entries.length ? read : undefined;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** What `s3://BUCKET/FOLDER` names: the bucket, and how the keys in it begin. Undefined for another text. */
export function bucketOf(text = ''): { bucket: string; prefix: string } | undefined {
  const [, bucket, folder] = /^s3:\/\/([^/]+)((?:\/[\w.-]+)*)\/?$/.exec(text) ?? [];
  if (bucket === undefined || !BUCKET.test(bucket)) return undefined;
  return { bucket, prefix: folder ? `${folder.slice(1)}/` : '' };
}

export const VARIABLES = {
  HOST: {
    parse: (text) => (isIP(text) || /^[a-z0-9.-]{1,253}$/i.test(text) ? text : undefined),
    accepted: 'an IP address or a host name',
    fallback: '127.0.0.1',
    about:
      'Address the api listens on; 0.0.0.0 for every IPv4 address of the machine, :: for every one of both families, as on a cluster with IPv6 only.',
  },
  PORT: {
    parse: wholeNumber(0, 65535),
    accepted: 'a whole number from 0 to 65535 (0 = any free port)',
    fallback: '3000',
    about: 'Port the api listens on.',
  },
  DATA_DIR: {
    parse: (text) => text,
    accepted: 'a folder path',
    fallback: '.greenroom',
    about: 'Folder of the embedded PostgreSQL, generated secrets and first-run.json.',
  },
  DATABASE_URL: {
    parse: databaseUrl,
    accepted:
      'a postgres:// URL without spaces, with %25 for a % in its login or path, also with several hosts and target_session_attrs, for example postgres://one,two/greenroom',
    secret: true,
    about:
      'PostgreSQL 15 or newer; of several hosts (postgres://one,two/greenroom) the one that takes writes. Unset: an embedded PostgreSQL under DATA_DIR.',
  },
  MIGRATION_DATABASE_URL: {
    parse: databaseUrl,
    accepted: 'a postgres:// URL of the same database, without spaces, with %25 for a % in its login or path',
    secret: true,
    about:
      'The database as the role that owns its tables, for "migrate", "seed" and "start". Unset: DATABASE_URL.',
  },
  DATABASE_READ_URL: {
    parse: databaseUrl,
    accepted: 'a postgres:// URL without spaces, with %25 for a % in its login or path',
    secret: true,
    about:
      'Replica of DATABASE_URL, or a reporting database of several cells, for lists and searches of staff; they may lag behind. While it is down, they are read from DATABASE_URL.',
  },
  REDIS_URL: {
    parse: redisUrl,
    accepted: 'a redis:// or rediss:// URL without a query, with %25 for a % in its login',
    secret: true,
    about:
      'Redis 6.2 or newer for BullMQ and limits, rediss:// for TLS. Unset: BullMQ keeps its queues in PostgreSQL.',
  },
  REDIS_CA: {
    parse: certificates,
    accepted: 'certificates in PEM, or a file with them in REDIS_CA_FILE',
    secret: true,
    about: 'Authorities that may sign the certificates of a rediss:// Redis. Unset: those of Node.js.',
  },
  REDIS_SENTINELS: {
    parse: addresses,
    accepted: 'addresses separated by commas, for example 10.0.0.1:26379,10.0.0.2:26379',
    about:
      'Sentinels that know the Redis. The host in REDIS_URL is then the name of the master; login, database and TLS are as there.',
  },
  REDIS_SENTINEL_PASSWORD: {
    parse: (text) => text,
    accepted: 'the password of the sentinels',
    secret: true,
    about: 'Password of REDIS_SENTINELS. Unset: they have none.',
  },
  REDIS_CLUSTER: {
    parse: addresses,
    accepted: 'addresses separated by commas, for example 10.0.0.1:6379,10.0.0.2:6379',
    about:
      'Nodes of a Redis Cluster, some are enough. Login and TLS are those of REDIS_URL, whose host is not used.',
  },
  TRUSTED_PROXIES: {
    parse: trustedProxies,
    accepted:
      'addresses and CIDRs separated by commas, for example 10.0.0.0/8,192.0.2.7 (no hop counts, not "true")',
    about: 'Peers whose X-Forwarded-For header counts. Unset: none.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    parse: wholeNumber(1, 10_000),
    accepted: 'a whole number from 1 to 10000',
    fallback: '1000',
    about:
      'Connections that one address, of IPv6 one /64, may have open to an api process. TRUSTED_PROXIES are not counted.',
  },
  HSTS_MAX_AGE_SECS: {
    parse: wholeNumber(0, 63_072_000),
    accepted: 'a whole number of seconds from 0 to 63072000 (two years)',
    about:
      'Sent as Strict-Transport-Security, where a proxy with TLS stands in front: how long browsers use https:// only. Unset: not sent.',
  },
  APP_SECRET: {
    parse: (text) => (text.length >= 32 ? text : undefined),
    accepted: 'at least 32 characters, for example the output of: openssl rand -base64 32',
    secret: true,
    about:
      'Session and audit-chain keys are derived from it. Unset: generated and stored in DATA_DIR by "greenroom start".',
  },
  APP_SECRET_PREVIOUS: {
    parse: (text) => (text.length >= 32 ? text : undefined),
    accepted: 'the APP_SECRET that was replaced, at least 32 characters',
    secret: true,
    about:
      'Accepted for reading after APP_SECRET was replaced: docs/operations.md, "Replacing APP_SECRET". Unset: none, or the one that "greenroom secret rotate" has left in DATA_DIR.',
  },
  PUBLIC_URL: {
    parse: publicUrl,
    accepted:
      'an https:// origin such as https://greenroom.example.com, or an http:// one on this machine, without a path: a name is served, not a part of one',
    about:
      'Where people reach the console, without a path: for cookies, links and passkeys. Unset: what a trusted proxy says (X-Forwarded-Proto, X-Forwarded-Host), else the address of each request.',
  },
  OIDC_ISSUER: {
    parse: issuerUrl,
    accepted: 'the https:// URL of an OpenID Connect issuer',
    about: 'Identity provider that staff may sign in with. Unset: e-mail and password only.',
  },
  OIDC_CLIENT_ID: {
    parse: (text) => text,
    accepted: 'the client id the issuer has given',
    about: 'Client id at OIDC_ISSUER. Its redirect URI is PUBLIC_URL/admin/auth/callback/oidc.',
  },
  OIDC_CLIENT_SECRET: {
    parse: (text) => text,
    accepted: 'the client secret the issuer has given',
    secret: true,
    about: 'Client secret at OIDC_ISSUER.',
  },
  OIDC_EMAIL_VERIFIED: {
    parse: oneOf('claim', 'always'),
    accepted: 'claim or always',
    fallback: 'claim',
    about:
      'Whether an address counts as verified only where OIDC_ISSUER says so (email_verified), or always: for providers that send no such claim, and whose people do not choose their address themselves.',
  },
  OIDC_ROLE_CLAIM: {
    parse: (text) => (/^[^\s"\\]{1,200}$/.test(text) ? text : undefined),
    accepted: 'the name of a claim, for example groups, or a path to one such as realm_access.roles',
    about: 'Claim of OIDC_ISSUER with the groups of a person. Unset: roles are given in the console.',
  },
  OIDC_ROLE_MAP: {
    parse: roleMap,
    accepted: `GROUP=ROLE, and more of them with semicolons, where ROLE is one of ${STAFF_ROLES.join(', ')}`,
    about:
      'Role of each group in OIDC_ROLE_CLAIM; of several, the first here. It is read at each sign-in with OIDC_ISSUER, which is refused to people without any of these groups.',
  },
  OIDC_CREATE_MEMBERS: {
    parse: oneOf('on', 'off'),
    accepted: 'on or off',
    fallback: 'off',
    about:
      'Whether people with a group of OIDC_ROLE_MAP become members of staff at their first sign-in, without being added.',
  },
  SCIM_TOKEN: {
    parse: (text) => (text.length >= 32 ? text : undefined),
    accepted: 'at least 32 characters, for example the output of: openssl rand -base64 32',
    secret: true,
    about:
      'Bearer token with which the identity provider manages staff by SCIM 2.0 at PUBLIC_URL/scim/v2; roles are those of OIDC_ROLE_MAP. Unset: there is no SCIM.',
  },
  PASSWORD_SIGN_IN: {
    parse: oneOf('on', 'off'),
    accepted: 'on or off',
    fallback: 'on',
    about:
      'Whether staff may sign in with a password. Off: only with one of "greenroom staff emergency", for an hour.',
  },
  SECRET_SCANNING_KEYS_URL: {
    parse: secureHref,
    accepted: 'an https URL, for example https://api.github.com/meta/public_keys/secret_scanning',
    about: 'Public keys of the scanner whose reports of leaked keys are accepted. Unset: none are.',
  },
  VOICE_ENGINE: {
    parse: oneOf('flite', 'openai', 'elevenlabs'),
    accepted:
      'flite (the embedded engine), openai (a speech server at VOICE_ENGINE_URL) or elevenlabs (a service with the published API there)',
    fallback: 'flite',
    about: 'What speaks.',
  },
  VOICE_ENGINE_URL: {
    parse: serverUrl,
    accepted: 'an http:// or https:// URL without user name and query',
    about:
      'Server that speaks POST /v1/audio/speech, or has the published API. Needed for VOICE_ENGINE=openai and elevenlabs; redirects are not followed.',
  },
  VOICE_ENGINE_API_KEY: {
    parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
    accepted: 'a key without spaces and line breaks',
    secret: true,
    about:
      'Sent to VOICE_ENGINE_URL: as a bearer token, or with VOICE_ENGINE=elevenlabs as xi-api-key, which is needed then. Unset: none is sent.',
  },
  VOICE_ENGINE_DIALECT: {
    parse: oneOf('openai', 'vllm-omni', 'kokoro'),
    accepted: 'openai (also for LocalAI), vllm-omni or kokoro',
    fallback: 'openai',
    about: 'Which server VOICE_ENGINE_URL is: they take different fields.',
  },
  VOICE_ENGINE_MODEL: {
    parse: (text) => (text.length <= 200 ? text : undefined),
    accepted: 'the name of a model, up to 200 characters',
    about:
      "Model to request from VOICE_ENGINE_URL. Unset: the dialect's own, or with VOICE_ENGINE=elevenlabs that of each request.",
  },
  VOICE_ENGINE_ADDRESSES: {
    parse: cidrs,
    accepted: 'addresses and CIDRs separated by commas, for example 10.1.2.3,10.2.0.0/16',
    about: 'Internal addresses that the host name in VOICE_ENGINE_URL may lead to. Unset: only public ones.',
  },
  TEXT_TO_SPEECH: {
    parse: oneOf('on', 'off'),
    accepted: 'on or off',
    fallback: 'on',
    about:
      'Whether stored voices speak at /v1/text-to-speech. off: where the platform has its own service for that, behind /introspect; then those paths respond with 404, and /v1/models lists design models only.',
  },
  HISTORY_DAYS: {
    parse: wholeNumber(0, 3_650),
    accepted: 'a whole number of days from 0 to 3650',
    fallback: '30',
    about:
      'How long what voices have spoken is stored, with its audio, for /v1/history. 0: nothing is stored, and what was stored is deleted.',
  },
  SYNTHETIC_AUDIO_MARKS: {
    parse: oneOf('on', 'off'),
    accepted: 'on or off',
    fallback: 'on',
    about:
      'Whether audio that a voice speaks says that it is machine-made: in its container, and in the header x-synthetic-audio. off: where nobody in the European Union hears it, or what is in front of this service marks it (Article 50 of Regulation (EU) 2024/1689).',
  },
  LEDGER_KEPT_MONTHS: {
    as: 'ledgerMonths',
    parse: wholeNumber(2, 1_200),
    accepted: 'a whole number of months from 2 to 1200',
    about:
      'How many months of the ledger stay in the database, besides the present one, when "greenroom archive --apply" is run. Unset: that command takes no month but the one it names.',
  },
  BACKUP_SCHEDULE: {
    parse: readSchedule,
    accepted: 'a cron expression of five fields in UTC, for example 0 3 * * * (every day at 03:00)',
    about: 'When a worker makes a backup and puts it where BACKUP_TO says. Unset: never.',
  },
  BACKUP_TO: {
    parse: (text) => (isAbsolute(text) || bucketOf(text) ? text : undefined),
    accepted: 'the absolute path of a folder, or s3://BUCKET or s3://BUCKET/FOLDER',
    about:
      'Where scheduled backups are. A bucket is reached by S3_ENDPOINT, S3_REGION and the S3_ access key. Needed for BACKUP_SCHEDULE; each installation has a separate folder.',
  },
  BACKUP_DATABASE_URL: {
    parse: databaseUrl,
    accepted: 'a postgres:// URL of the same database, without spaces, with %25 for a % in its login or path',
    secret: true,
    about:
      'The database as a role that reads every table (GRANT pg_read_all_data), for scheduled backups of a PostgreSQL of your own. Unset: MIGRATION_DATABASE_URL, or DATABASE_URL.',
  },
  BACKUP_KEEP: {
    parse: readBackupKeep,
    accepted: 'days, weeks and months, not all of them 0, for example 7d,4w,12m',
    fallback: '7d,4w,12m',
    about:
      'Which scheduled backups stay: the newest of each of so many last days, weeks and months that have one. The others are deleted when a newer one is there.',
  },
  BACKUP_PROOF_DAYS: {
    parse: (text) => (text === 'off' ? Infinity : wholeNumber(0, 365)(text)),
    accepted: 'a whole number of days from 0 (each backup) to 365, or off',
    fallback: '7',
    about:
      'How often a backup that was just made is restored to a scratch database and examined there. Off: only by "greenroom backup prove".',
  },
  CELL: {
    parse: (text) => (isCell(text) ? text : undefined),
    accepted: 'two letters or digits',
    fallback: FIRST_CELL,
    about:
      'Which of several installations of one platform this is. New keys, tokens, accounts and voices carry it, except those of 00.',
  },
  PREVIEW_TTL_HOURS: {
    parse: wholeNumber(1, 720),
    accepted: 'a whole number of hours from 1 to 720',
    fallback: '24',
    about: 'How long a preview lives.',
  },
  AUDIO_STORE: {
    parse: oneOf('postgres', 's3'),
    accepted: 'postgres or s3',
    fallback: 'postgres',
    about: 'Where audio is stored. With s3, audio that is already in PostgreSQL is still read from there.',
  },
  S3_BUCKET: {
    parse: (text) => (BUCKET.test(text) ? text : undefined),
    accepted: 'the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
    about: 'Bucket of the audio. It must exist.',
  },
  S3_REGION: {
    parse: (text) => (/^[\w-]{1,64}$/.test(text) ? text : undefined),
    accepted: 'the name of a region, for example eu-central-1',
    fallback: 'us-east-1',
    about: 'Region of the bucket.',
  },
  S3_ENDPOINT: {
    parse: url('http:', 'https:'),
    accepted: 'an http:// or https:// URL',
    about: 'Address of an S3-compatible server. Unset: Amazon S3.',
  },
  S3_ACCESS_KEY_ID: {
    parse: (text) => text,
    accepted: 'the id of an access key',
    secret: true,
    about: 'Access key to the bucket. Unset: what the machine has, for example the role of an instance.',
  },
  S3_SECRET_ACCESS_KEY: {
    parse: (text) => text,
    accepted: 'the secret of the access key',
    secret: true,
    about: 'Secret of S3_ACCESS_KEY_ID.',
  },
  WORKER_CONCURRENCY: {
    parse: wholeNumber(1, 64),
    accepted: 'a whole number from 1 to 64',
    fallback: '2',
    about: 'Reviews one worker process runs at the same time.',
  },
  WORKER_HEALTH_PORT: {
    parse: wholeNumber(0, 65535),
    accepted: 'a whole number from 0 to 65535 (0 = any free port)',
    about: 'Port on which a worker serves /healthz, /readyz and /metrics, at HOST. Unset: it does not.',
  },
  API_PROCESSES: {
    parse: apiProcesses,
    accepted: `auto, or a whole number from 1 to ${MAX_API_PROCESSES}`,
    fallback: '1',
    about: `Processes of one api, which share its port. auto: one for each processor but one, at most ${MAX_API_PROCESSES}. Each has a cache, threads for speech, and connections to PostgreSQL.`,
  },
  METRICS_PORT: {
    parse: wholeNumber(0, 65535),
    accepted: 'a whole number from 0 to 65535 (0 = any free port)',
    about:
      'Port on which the api serves /metrics for Prometheus, at HOST, without a credential. Unset: it does not.',
  },
  KEEP_ALIVE_SECS: {
    parse: wholeNumber(5, 3600),
    accepted: 'a whole number from 5 to 3600',
    fallback: '65',
    about:
      'Seconds for which an idle connection stays open. Longer than the idle time of the load balancer in front (often 60, up to 600), so that it closes first.',
  },
  START_WAIT_SECS: {
    parse: wholeNumber(0, 3_600),
    accepted: 'a whole number from 0 to 3600',
    fallback: '120',
    about:
      'Seconds for which a start, a migration and each process wait at their beginning for a database that responds late, or is not reached. What waiting does not change, such as a wrong password, ends them at once.',
  },
  DRAIN_SECS: {
    parse: wholeNumber(0, 300),
    accepted: 'a whole number from 0 to 300',
    fallback: '0',
    about:
      'Seconds for which a stopping api reports it (503 on /readyz) and continues to serve, so that a load balancer can send new requests elsewhere. Longer than the balancer needs to notice.',
  },
  WEBHOOK_PRIVATE_NETWORKS: {
    parse: oneOf('refuse', 'allow'),
    accepted: 'refuse or allow',
    fallback: 'refuse',
    about:
      'Whether webhooks may go to private networks and this machine, also without TLS. Link-local and metadata addresses are refused in any case.',
  },
  SMTP_URL: {
    parse: smtpUrl,
    accepted:
      'an smtp:// or smtps:// URL, for example smtps://user:password@mail.example.com:465, with %25 for a % in its login',
    secret: true,
    about:
      'Mail server for alerts: smtps:// for TLS from the start, smtp:// for STARTTLS where the server offers it. Needs MAIL_FROM and PUBLIC_URL. Unset: no e-mail is sent.',
  },
  SMTP_CA: {
    parse: certificates,
    accepted: 'certificates in PEM, or a file with them in SMTP_CA_FILE',
    secret: true,
    about:
      'Authorities that may sign the certificate of the SMTP_URL, with STARTTLS as well. Unset: those of Node.js.',
  },
  MAIL_FROM: {
    parse: mailbox,
    accepted: 'an e-mail address, or a name with one: Greenroom <alerts@example.com>',
    about: 'Sender of e-mails.',
  },
  AUDIT_STREAM_URL: {
    parse: collectorUrl,
    accepted:
      'tcp://HOST:PORT or tls://HOST:PORT (syslog), or an http:// or https:// URL without user name and query',
    about: 'Collector that the audit log is sent to, from its first event. Unset: none.',
  },
  AUDIT_STREAM_FORMAT: {
    parse: oneOf('ocsf', 'cef'),
    accepted: 'ocsf or cef',
    fallback: 'ocsf',
    about: 'How events are written for AUDIT_STREAM_URL: JSON of OCSF 1.6, or CEF.',
  },
  AUDIT_STREAM_CA: {
    parse: certificates,
    accepted: 'certificates in PEM, or a file with them in AUDIT_STREAM_CA_FILE',
    secret: true,
    about:
      'Authorities that may sign the certificate of an AUDIT_STREAM_URL with tls or https. Unset: those of Node.js.',
  },
  AUDIT_STREAM_TOKEN: {
    parse: (text) => (/^[\u0021-\u007e]+$/.test(text) ? text : undefined),
    accepted: 'a token without spaces',
    secret: true,
    about: 'Bearer token for an AUDIT_STREAM_URL with http or https. Unset: none is sent.',
  },
  USAGE_SINKS: {
    parse: (text) => text,
    accepted: 'a list of sinks in YAML, or a file with it in USAGE_SINKS_FILE (docs/operations.md)',
    secret: true,
    about:
      'Billing systems that the usage of the ledger is sent to: name, format, url, event, and if needed token, account or tag. Unset: none.',
  },
  ALLOW_LIST_PRESETS_DIR: {
    parse: (text) => (text.length <= 4_096 ? text : undefined),
    accepted: 'a folder path, up to 4096 characters',
    about:
      'Folder with presets of allow-lists, a file each: NAME.txt or NAME.json with blocks, such as the address ranges that cloud providers publish. Read again when they change. Unset: no presets.',
  },
  APPROVAL_OF_ENTITLEMENTS: {
    parse: oneOf('on', 'off'),
    accepted: 'on or off',
    fallback: 'off',
    about:
      'Whether a second member of staff has to approve what the console changes of the tier, the limits and the allow-list entitlement of an account.',
  },
  APPROVAL_OF_CREDITS_ABOVE: {
    parse: wholeNumber(0, 999_999_999),
    accepted: 'a whole number from 0 to 999999999',
    about: 'A second member of staff has to approve a grant of more credits than this. Unset: never.',
  },
  APPROVAL_OF_LIST_REMOVAL: {
    parse: oneOf('on', 'off'),
    accepted: 'on or off',
    fallback: 'off',
    about: 'Whether a second member of staff has to approve the removal of an allow-list.',
  },
  APPROVAL_OF_BULK_CHANGE_ABOVE: {
    parse: wholeNumber(0, 10_000),
    accepted: 'a whole number from 0 to 10000',
    about:
      'A second member of staff has to approve when more keys than this are changed at once, also by applying a key policy. Unset: never.',
  },
  APPROVAL_DAYS: {
    parse: wholeNumber(1, 90),
    accepted: 'a whole number of days from 1 to 90',
    fallback: '7',
    about: 'How long a change waits for the second person. After that it has to be requested again.',
  },
  REVIEW_RULESET: {
    parse: oneOf(...RULESET_IDS),
    accepted: RULESET_IDS.join(', '),
    about: `Rules for reviews. The staff API compares them on stored recordings. Unset: ${CURRENT_RULESET}, with a P.808 model ${LISTENER_RULESET}.`,
  },
  REVIEW_SAMPLE_PERCENT: {
    parse: wholeNumber(0, 100),
    accepted: 'a whole number from 0 to 100',
    fallback: '2',
    about: 'How many of a hundred verdicts a person checks at the review desk without any other reason.',
  },
  REVIEW_SECOND_LISTENING_PERCENT: {
    parse: wholeNumber(0, 100),
    accepted: 'a whole number from 0 to 100',
    fallback: '10',
    about:
      'How many of a hundred grades that a person has confirmed a second person gives again without seeing them. Every grade that a person has changed is given again.',
  },
  NO_GO_ACTION: {
    as: 'blockedRecordingAction',
    parse: oneOf('desk', 'hold'),
    accepted: 'desk or hold',
    fallback: 'desk',
    about:
      'What happens to a voice with a recording of the no-go list: it waits at the review desk, or it is held until staff release it as well.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    as: 'otlpEndpoint',
    parse: serverUrl,
    accepted: 'an http:// or https:// URL without user name and query, for example http://127.0.0.1:4318',
    about: 'Collector of traces (OTLP over HTTP), to which /v1/traces is added. Unset: nothing is traced.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    as: 'tracedShare',
    parse: (text) => (/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text) ? Number(text) : undefined),
    accepted: 'a number from 0 to 1',
    fallback: '1',
    about: 'Share of the requests whose traces are recorded.',
  },
  COUNTRY_TABLE_PATH: {
    parse: (text) => (text.length <= 4_096 ? text : undefined),
    accepted: 'the path of a file, up to 4096 characters',
    about:
      'Table of the countries of addresses (CSV: first address,last address,country), for alerts of first uses from a country. Unset: none. See docs/operations.md.',
  },
  FFMPEG_PATH: {
    parse: (text) => (text === 'off' || (isAbsolute(text) && isProgram(text)) ? text : undefined),
    accepted: 'the absolute path of an ffmpeg that can be run, or off',
    about:
      'ffmpeg that decodes recordings which Greenroom does not (AAC and ALAC in MP4, AMR, 3GP, AIFF, Windows Media), for the api and the worker. Unset: the one on the PATH, if there is one. See docs/operations.md.',
  },
  DNSMOS_MODEL_PATH: {
    parse: (text) => (text.length <= 4_096 ? text : undefined),
    accepted: 'the path of a file, up to 4096 characters',
    about:
      'DNSMOS model (ONNX) that listens to each recording: P.808 is part of the grade, P.835 is stored beside it. Unset: none. See docs/operations.md.',
  },
  SPEAKER_MODEL_PATH: {
    parse: (text) => (text.length <= 4_096 ? text : undefined),
    accepted: 'the path of a file, up to 4096 characters',
    about:
      'Model of speakers (ONNX, to one vector) that listens to each recording, so that voices of one speaker are found. Unset: none. See docs/operations.md.',
  },
  SAME_SPEAKER_COSINE: {
    parse: (text) => (/^0\.\d{1,4}$/.test(text) && Number(text) >= 0.1 ? Number(text) : undefined),
    accepted: 'a number from 0.1 to 0.9999',
    fallback: '0.6',
    about:
      'Cosine of the vectors of two recordings from which they count as the same speaker; which one is right depends on the model.',
  },
  LOG_LEVEL: {
    parse: oneOf('error', 'warn', 'log', 'debug', 'verbose'),
    accepted: 'error, warn, log, debug or verbose',
    fallback: 'log',
    about: 'Least severe level that is logged.',
  },
  ACCESS_LOG: {
    parse: oneOf('refused', 'all'),
    accepted: 'refused or all',
    fallback: 'refused',
    about: 'Which finished requests the api logs, one line each: those it refused, or all of them.',
  },
  LOG_FORMAT: {
    parse: oneOf('json', 'text'),
    accepted: 'json or text',
    about:
      'JSON lines, or text for people. Unset: text from "greenroom start", JSON lines from every other process.',
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<S>;

/** The property of a variable. */
type PropertyOf<N extends VariableName> = (typeof VARIABLES)[N] extends { as: infer Name extends string }
  ? Name
  : Camel<N>;

/** What a variable is read as: undefined when it is unset and has no default. */
export type Parsed<N extends VariableName> =
  | NonNullable<ReturnType<(typeof VARIABLES)[N]['parse']>>
  | ((typeof VARIABLES)[N] extends { fallback: string } ? never : undefined);

/** Every variable by its property. */
export type Settings = { readonly [N in VariableName as PropertyOf<N>]: Parsed<N> };

export const VARIABLE_NAMES = Object.keys(VARIABLES) as VariableName[];

export function propertyOf(name: VariableName): string {
  const { as }: Variable = VARIABLES[name];
  return as ?? name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
