import type { ApprovalPolicy } from '@app/domain/approvals/approvals';
import { compileTrustedProxies, type TrustedProxies } from '@app/domain/addresses/client-address';
import { checkUsageSinks, toUsageSinks, type UsageSink } from '@app/domain/credits/usage-sink';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { parse } from 'yaml';
import { findProgram } from './find-program';
import {
  bucketOf,
  propertyOf,
  serverUrl,
  VARIABLE_NAMES,
  VARIABLES,
  type Parsed,
  type Settings,
  type Variable,
  type VariableName,
} from './variables';

type Read = <N extends VariableName>(name: N) => Parsed<N>;

/** One problem with the environment: the variable, its value and what is accepted. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** A server of objects, and how to sign in to it. */
export interface ObjectStoreConfig {
  region: string;
  endpoint: string | undefined;
  /** Undefined for those that the machine has. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

type BucketConfig = ObjectStoreConfig & { bucket: string };

interface MailConfig {
  server: URL;
  from: string;
  /** Where the links in a message lead. */
  publicUrl: string;
}

/** What is read from several variables, or has a default that is not a text. */
interface Derived {
  trustedProxies: TrustedProxies;
  /** The object store of the audio; undefined when audio is stored in PostgreSQL. */
  s3: BucketConfig | undefined;
  /** The object store of scheduled backups; undefined when they are put elsewhere. */
  backupS3: (BucketConfig & { prefix: string }) | undefined;
  /** The mail server; undefined when no e-mail is sent. */
  mail: MailConfig | undefined;
  /** What waits for a second member of staff. */
  approvals: ApprovalPolicy;
  /** Where the usage of the ledger is sent. */
  usageSinks: readonly UsageSink[];
  /** Undefined where there is none, and where it is off. */
  ffmpegPath: string | undefined;
}

type Values = Omit<Settings, keyof Derived> & Readonly<Derived>;

/** A property for each variable: `variables.ts` says what it is. */
const Properties = class {
  constructor(values: object) {
    Object.assign(this, values);
  }
} as new (values: Values) => Values;

/** The validated configuration. Injected by its type; frozen, so nothing can change it after boot. */
export class AppConfig extends Properties {
  constructor(values: Values) {
    super(values);
    Object.freeze(this);
  }

  /**
   * The database of a process that does not bring its own.
   *
   * @throws ConfigError when DATABASE_URL is unset
   */
  requireDatabaseUrl(): string {
    if (this.databaseUrl) return this.databaseUrl;
    throw new ConfigError([
      `DATABASE_URL is not set; give ${VARIABLES.DATABASE_URL.accepted}, or run "greenroom start", which brings its own PostgreSQL.`,
    ]);
  }

  /**
   * The database for what changes its schema.
   *
   * @throws ConfigError when neither MIGRATION_DATABASE_URL nor DATABASE_URL is set
   */
  requireMigrationDatabaseUrl(): string {
    return this.migrationDatabaseUrl ?? this.requireDatabaseUrl();
  }

  /**
   * The secret of this installation.
   *
   * @throws ConfigError when APP_SECRET is unset
   */
  requireAppSecret(): string {
    if (this.appSecret) return this.appSecret;
    throw new ConfigError([
      `APP_SECRET is not set; give the one of this installation, which all of its processes need (for a new installation ${VARIABLES.APP_SECRET.accepted}).`,
    ]);
  }

  /** APP_SECRET, and the one before it, which is accepted for reading. */
  requireAppSecrets(): [string, ...string[]] {
    const secret = this.requireAppSecret();
    return this.appSecretPrevious ? [secret, this.appSecretPrevious] : [secret];
  }
}

/**
 * Reads and validates the environment.
 *
 * @param env the environment, `process.env` unless a test says otherwise
 * @throws ConfigError naming every bad variable at once
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): AppConfig {
  const problems: string[] = [];
  // Each once: a problem is said once, although some are read for what they are part of as well.
  const values = new Map(VARIABLE_NAMES.map((name) => [name, readVariable(name, env, problems)]));
  const read: Read = <N extends VariableName>(name: N) => values.get(name) as Parsed<N>;
  const settings = Object.fromEntries(VARIABLE_NAMES.map((name) => [propertyOf(name), read(name)]));
  const config = new AppConfig({
    ...(settings as unknown as Settings),
    trustedProxies: read('TRUSTED_PROXIES') ?? compileTrustedProxies([]).trusted,
    ...readObjectStores(read, problems),
    mail: readMail(read, problems),
    approvals: readApprovals(read),
    usageSinks: readUsageSinks(read('USAGE_SINKS'), problems),
    ffmpegPath: findFfmpeg(read('FFMPEG_PATH'), env.PATH),
  });
  problems.push(
    ...missingOidc(config),
    ...missingRoles(config),
    ...missingOfEngine(config),
    ...missingBackupPlace(config),
    ...databaseProblems(config),
    ...clashingRedis(config),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function findFfmpeg(configured: string | undefined, folders: string | undefined): string | undefined {
  if (configured === 'off') return undefined;
  return configured ?? findProgram('ffmpeg', folders);
}

/** The buckets of one object store, if configured: that of audio needs a name, and the store both credentials or neither. */
function readObjectStores(read: Read, problems: string[]): Pick<Derived, 's3' | 'backupS3'> {
  const backups = bucketOf(read('BACKUP_TO'));
  const isForAudio = read('AUDIO_STORE') === 's3';
  if (!isForAudio && !backups) return { s3: undefined, backupS3: undefined };
  const user = isForAudio ? 'AUDIO_STORE is s3' : 'BACKUP_TO is a bucket';
  const names = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  const [bucket, accessKeyId, secretAccessKey] = names.map((name) => read(name) as string | undefined);
  const missing = [
    isForAudio && !bucket,
    !accessKeyId && !!secretAccessKey,
    !!accessKeyId && !secretAccessKey,
  ];
  for (const [index, name] of names.entries()) {
    if (missing[index]) problems.push(`${name} is not set, but ${user}; give ${VARIABLES[name].accepted}.`);
  }
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  const server = { region: read('S3_REGION'), endpoint: read('S3_ENDPOINT'), credentials };
  return {
    s3: isForAudio ? { bucket: bucket ?? '', ...server } : undefined,
    backupS3: backups && { ...backups, ...server },
  };
}

/** The mail server, if configured: it needs a sender, and an address for the links in what it sends. */
function readMail(read: Read, problems: string[]): MailConfig | undefined {
  const [server, from, publicUrl] = [read('SMTP_URL'), read('MAIL_FROM'), read('PUBLIC_URL')] as (
    | URL
    | string
    | undefined
  )[];
  if (!server) return undefined;
  for (const [name, value] of [
    ['MAIL_FROM', from],
    ['PUBLIC_URL', publicUrl],
  ] as const) {
    if (!value) problems.push(`${name} is not set, but SMTP_URL is; give ${VARIABLES[name].accepted}.`);
  }
  return { server: server as URL, from: String(from), publicUrl: String(publicUrl) };
}

function readApprovals(read: Read): ApprovalPolicy {
  return {
    entitlements: read('APPROVAL_OF_ENTITLEMENTS') === 'on',
    creditsAbove: read('APPROVAL_OF_CREDITS_ABOVE') ?? null,
    listRemoval: read('APPROVAL_OF_LIST_REMOVAL') === 'on',
    bulkChangeAbove: read('APPROVAL_OF_BULK_CHANGE_ABOVE') ?? null,
  };
}

/** Each field that is not accepted is a problem, named without what it is: a token is a secret. */
function readUsageSinks(text: string | undefined, problems: string[]): UsageSink[] {
  if (text === undefined) return [];
  const refuse = (what: string) => void problems.push(`USAGE_SINKS: ${what}.`);
  let list: unknown;
  try {
    list = parse(text);
  } catch {
    refuse('It is not YAML that can be read');
    return [];
  }
  const found = checkUsageSinks(list);
  for (const { path = [], msg } of found) refuse(`${path.join('.') || 'The whole'}: ${msg}`);
  if (found.length > 0) return [];
  const sinks = toUsageSinks(list as UsageSink[]);
  for (const [index, { url }] of sinks.entries())
    if (serverUrl(url) === undefined)
      refuse(`${index}.url: Input should be an http:// or https:// URL without user name and query`);
  return sinks;
}

/** The variables of the identity provider are set together or not at all. */
function missingOidc({ oidcIssuer, oidcClientId, oidcClientSecret }: AppConfig): string[] {
  const input = {
    OIDC_ISSUER: oidcIssuer,
    OIDC_CLIENT_ID: oidcClientId,
    OIDC_CLIENT_SECRET: oidcClientSecret,
  };
  const missing = Object.entries(input).filter(([, value]) => value === undefined);
  if (missing.length === 0 || missing.length === 3) return [];
  return missing.map(
    ([name]) =>
      `${name} is not set, but another OIDC_ variable is; give ${VARIABLES[name as VariableName].accepted}.`,
  );
}

/** What builds on the identity provider, or on the roles that it gives, is of no use without them. */
function missingRoles(config: AppConfig): string[] {
  const { oidcIssuer, oidcRoleClaim, oidcRoleMap, oidcCreateMembers, passwordSignIn, scimToken } = config;
  const needs = (name: VariableName, set: boolean, other: VariableName, otherValue: unknown) =>
    set && otherValue === undefined
      ? [`${name} is set, but ${other} is not; give ${VARIABLES[other].accepted}.`]
      : [];
  return [
    ...needs('OIDC_ROLE_MAP', oidcRoleMap !== undefined, 'OIDC_ISSUER', oidcIssuer),
    ...needs('OIDC_ROLE_MAP', oidcRoleMap !== undefined, 'OIDC_ROLE_CLAIM', oidcRoleClaim ?? scimToken),
    ...needs('SCIM_TOKEN', scimToken !== undefined, 'OIDC_ROLE_MAP', oidcRoleMap),
    ...needs('OIDC_ROLE_CLAIM', oidcRoleClaim !== undefined, 'OIDC_ROLE_MAP', oidcRoleMap),
    ...needs('OIDC_CREATE_MEMBERS', oidcCreateMembers === 'on', 'OIDC_ROLE_MAP', oidcRoleMap),
    ...needs('PASSWORD_SIGN_IN', passwordSignIn === 'off', 'OIDC_ISSUER', oidcIssuer),
  ];
}

function missingOfEngine({ voiceEngine, voiceEngineUrl, voiceEngineApiKey }: AppConfig): string[] {
  const needed = {
    VOICE_ENGINE_URL: voiceEngine === 'flite' || voiceEngineUrl,
    VOICE_ENGINE_API_KEY: voiceEngine !== 'elevenlabs' || voiceEngineApiKey,
  } as const;
  return (Object.keys(needed) as (keyof typeof needed)[])
    .filter((name) => !needed[name])
    .map(
      (name) => `${name} is not set, but VOICE_ENGINE is "${voiceEngine}"; give ${VARIABLES[name].accepted}.`,
    );
}

/** A schedule needs a place, and the object store has to be one that is configured. */
function missingBackupPlace({ backupSchedule, backupTo }: AppConfig): string[] {
  if (!backupSchedule || backupTo) return [];
  return [`BACKUP_TO is not set, but BACKUP_SCHEDULE is; give ${VARIABLES.BACKUP_TO.accepted}.`];
}

/** The driver would fail at its first connection, without saying which variable it is about. */
function databaseProblems({ databaseUrl, migrationDatabaseUrl, databaseReadUrl }: AppConfig): string[] {
  const input = {
    DATABASE_URL: databaseUrl,
    MIGRATION_DATABASE_URL: migrationDatabaseUrl,
    DATABASE_READ_URL: databaseReadUrl,
  };
  const unreadable = Object.entries(input).flatMap(([name, text]) => {
    const file = new URL(text ?? 'none:').searchParams.get('sslrootcert');
    try {
      if (file !== null) readFileSync(file);
      return [];
    } catch (error) {
      return [`${name}: the sslrootcert "${file}" cannot be read: ${(error as Error).message}.`];
    }
  });
  if (unreadable.length === 0) unreadable.push(...refusedByDriver(input));
  const without: [string | undefined, string][] = [
    [databaseReadUrl, 'DATABASE_READ_URL is set, but DATABASE_URL is not; a replica needs its primary.'],
    [
      migrationDatabaseUrl,
      'MIGRATION_DATABASE_URL is set, but DATABASE_URL is not; give the same database as the role that the application runs as.',
    ],
  ];
  if (databaseUrl) return unreadable;
  return [...unreadable, ...without.filter(([isPresent]) => isPresent).map(([, problem]) => problem)];
}

/** What the driver would say when it connects, with the name of the variable. */
function refusedByDriver(input: Record<string, string | undefined>): string[] {
  const read = (connectionString = 'postgres://none') => new Client({ connectionString }).host;
  return Object.entries(input).flatMap(([name, connectionString]) => {
    try {
      read(connectionString);
      return [];
    } catch (error) {
      return [`${name}: the given value cannot be read: ${(error as Error).message}.`];
    }
  });
}

/** What goes with which kind of Redis. */
function clashingRedis(config: AppConfig): string[] {
  const { redisUrl, redisCa, redisSentinels, redisSentinelPassword, redisCluster } = config;
  const { protocol, pathname } = new URL(redisUrl ?? 'none:');
  const clashes: [boolean, string][] = [
    [
      !!(redisSentinels && !redisUrl),
      `REDIS_URL is not set, but REDIS_SENTINELS is; give redis://NAME-OF-THE-MASTER.`,
    ],
    [
      !!(redisCluster && !redisUrl),
      `REDIS_URL is not set, but REDIS_CLUSTER is; give the login: redis://USER:PASSWORD@cluster.`,
    ],
    [!!(redisSentinels && redisCluster), 'REDIS_SENTINELS and REDIS_CLUSTER are both set; give one of them.'],
    [
      !!(redisCluster && /\d/.test(pathname) && pathname !== '/0'),
      'REDIS_URL names a database, but REDIS_CLUSTER is set and a cluster has only 0; leave it out.',
    ],
    [
      redisCa !== undefined && protocol !== 'rediss:',
      'REDIS_CA is set, but REDIS_URL does not begin with rediss://; without TLS it has no use.',
    ],
    [
      redisSentinelPassword !== undefined && !redisSentinels,
      'REDIS_SENTINEL_PASSWORD is set, but REDIS_SENTINELS is not.',
    ],
  ];
  return clashes.filter(([isClash]) => isClash).map(([, problem]) => problem);
}

function readVariable(name: VariableName, env: NodeJS.ProcessEnv, problems: string[]): unknown {
  const row: Variable = VARIABLES[name];
  const input = inputText(name, row, env, problems) ?? row.fallback;
  if (input === undefined) return undefined;
  const value = row.parse(input);
  if (value === undefined) {
    problems.push(
      `${name}: ${row.secret ? 'the given value' : `"${withoutCredentials(input)}"`} is not accepted; give ${row.accepted}.`,
    );
  }
  return value;
}

/** What is quoted of a value that may be a URL: neither the login nor the query, in which tokens are. */
function withoutCredentials(text: string): string {
  const [, scheme = '', rest = text] = /^(\w[\w+.-]*:\/\/)(.*)$/s.exec(text) ?? [];
  const at = rest.lastIndexOf('@');
  if (scheme === '' && !rest.slice(0, Math.max(at, 0)).includes(':')) return text;
  const place = at < 0 ? rest : `…@${rest.slice(at + 1)}`;
  const [address = ''] = place.split(/[?#]/, 1);
  return `${scheme}${address}${address === place ? '' : '?…'}`;
}

function inputText(
  name: string,
  row: Variable,
  env: NodeJS.ProcessEnv,
  problems: string[],
): string | undefined {
  const file = row.secret ? env[`${name}_FILE`] : undefined;
  if (!file) return env[name] || undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    problems.push(`${name}_FILE: "${file}" cannot be read: ${(error as Error).message}.`);
    return undefined;
  }
}

/** The variables of a child process: this environment with some of Greenroom's own variables set, which then override their files. */
export function childEnvironment(values: Partial<Record<VariableName, string>>): NodeJS.ProcessEnv {
  const files = Object.keys(values).map((name) => [`${name}_FILE`, undefined]);
  return { ...process.env, ...Object.fromEntries(files), ...values };
}

/** Has what runs on this machine be reached directly: Node 24 sends every request through the proxy of the environment, if configured to. */
export function exemptLoopbackFromProxies(env: NodeJS.ProcessEnv = process.env): void {
  // Programs prefer the small letters.
  const input = (env.no_proxy ?? env.NO_PROXY ?? '').split(/[\s,]+/).filter(Boolean);
  const exempt = [...new Set([...input, 'localhost', '127.0.0.1', '::1', '[::1]'])].join(',');
  Object.assign(env, { no_proxy: exempt, NO_PROXY: exempt });
}

/**
 * Removes from this environment the `PG*` variables, which the driver would apply to what a URL does not say. A person's
 * settings for another server are not meant for the embedded one.
 */
export function dropPostgresVariables(env = process.env): void {
  if (env.DATABASE_URL || env.DATABASE_URL_FILE) return;
  for (const name of Object.keys(env)) if (/^PG[A-Z]+$/.test(name)) delete env[name];
}

/** Whether this process is the script of `npm start`. */
export function isNpmStart(): boolean {
  return process.env.npm_lifecycle_event === 'start';
}
