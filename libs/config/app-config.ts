import type { ApprovalPolicy } from '@app/domain/approvals/approvals';
import { compileTrustedProxies } from '@app/domain/addresses/client-address';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { findProgram } from './find-program';
import { VARIABLES, type VariableName } from './variables';

type Parsed<N extends VariableName> = NonNullable<ReturnType<(typeof VARIABLES)[N]['parse']>>;
type Read = <N extends VariableName>(name: N) => Parsed<N>;
type Row = { parse: (text: string) => unknown; accepted: string; fallback?: string; secret?: boolean };

/** One problem with the environment: the variable, its value and what is accepted. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

interface S3Config {
  bucket: string;
  region: string;
  endpoint: string | undefined;
  /** Undefined for those that the machine has. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

interface MailConfig {
  server: URL;
  from: string;
  /** Where the links in a message lead. */
  publicUrl: string;
}

/** The validated configuration. Injected by its type; frozen, so nothing can change it after boot. */
export class AppConfig {
  readonly host: Parsed<'HOST'>;
  /** 0 means any free port. */
  readonly port: Parsed<'PORT'>;
  readonly dataDir: Parsed<'DATA_DIR'>;
  readonly databaseUrl: Parsed<'DATABASE_URL'> | undefined;
  /** The database as the role that owns its tables. */
  readonly migrationDatabaseUrl: Parsed<'MIGRATION_DATABASE_URL'> | undefined;
  readonly databaseReadUrl: Parsed<'DATABASE_READ_URL'> | undefined;
  readonly redisUrl: Parsed<'REDIS_URL'> | undefined;
  readonly redisCa: Parsed<'REDIS_CA'> | undefined;
  readonly redisSentinels: Parsed<'REDIS_SENTINELS'> | undefined;
  readonly redisSentinelPassword: Parsed<'REDIS_SENTINEL_PASSWORD'> | undefined;
  readonly redisCluster: Parsed<'REDIS_CLUSTER'> | undefined;
  readonly trustedProxies: Parsed<'TRUSTED_PROXIES'>;
  readonly maxConnectionsPerAddress: Parsed<'MAX_CONNECTIONS_PER_ADDRESS'>;
  readonly hstsMaxAgeSecs: Parsed<'HSTS_MAX_AGE_SECS'> | undefined;
  readonly appSecret: Parsed<'APP_SECRET'> | undefined;
  readonly appSecretPrevious: Parsed<'APP_SECRET_PREVIOUS'> | undefined;
  readonly publicUrl: Parsed<'PUBLIC_URL'> | undefined;
  readonly oidcIssuer: Parsed<'OIDC_ISSUER'> | undefined;
  readonly oidcClientId: Parsed<'OIDC_CLIENT_ID'> | undefined;
  readonly oidcClientSecret: Parsed<'OIDC_CLIENT_SECRET'> | undefined;
  readonly secretScanningKeysUrl: Parsed<'SECRET_SCANNING_KEYS_URL'> | undefined;
  readonly voiceEngine: Parsed<'VOICE_ENGINE'>;
  readonly voiceEngineUrl: Parsed<'VOICE_ENGINE_URL'> | undefined;
  readonly voiceEngineApiKey: Parsed<'VOICE_ENGINE_API_KEY'> | undefined;
  readonly voiceEngineDialect: Parsed<'VOICE_ENGINE_DIALECT'>;
  readonly voiceEngineModel: Parsed<'VOICE_ENGINE_MODEL'> | undefined;
  readonly voiceEngineAddresses: Parsed<'VOICE_ENGINE_ADDRESSES'> | undefined;
  readonly textToSpeech: Parsed<'TEXT_TO_SPEECH'>;
  /** 0 means that nothing is stored. */
  readonly historyDays: Parsed<'HISTORY_DAYS'>;
  readonly ledgerMonths: Parsed<'LEDGER_KEPT_MONTHS'> | undefined;
  /** See `FIRST_CELL`. */
  readonly cell: Parsed<'CELL'>;
  readonly previewTtlHours: Parsed<'PREVIEW_TTL_HOURS'>;
  /** The object store of the audio; undefined when audio is stored in PostgreSQL. */
  readonly s3: S3Config | undefined;
  readonly workerConcurrency: Parsed<'WORKER_CONCURRENCY'>;
  /** 0 means any free port. */
  readonly workerHealthPort: Parsed<'WORKER_HEALTH_PORT'> | undefined;
  /** 0 means any free port. */
  readonly apiProcesses: Parsed<'API_PROCESSES'>;
  readonly metricsPort: Parsed<'METRICS_PORT'> | undefined;
  /** Base URL of the collector of traces. */
  readonly otlpEndpoint: Parsed<'OTEL_EXPORTER_OTLP_ENDPOINT'> | undefined;
  /** Share of the requests that are traced, 0 to 1. */
  readonly tracedShare: Parsed<'OTEL_TRACES_SAMPLER_ARG'>;
  readonly drainSecs: Parsed<'DRAIN_SECS'>;
  readonly keepAliveSecs: Parsed<'KEEP_ALIVE_SECS'>;
  readonly webhookPrivateNetworks: Parsed<'WEBHOOK_PRIVATE_NETWORKS'>;
  /** The mail server; undefined when no e-mail is sent. */
  readonly mail: MailConfig | undefined;
  readonly auditStreamUrl: Parsed<'AUDIT_STREAM_URL'> | undefined;
  readonly auditStreamFormat: Parsed<'AUDIT_STREAM_FORMAT'>;
  readonly auditStreamCa: Parsed<'AUDIT_STREAM_CA'> | undefined;
  readonly auditStreamToken: Parsed<'AUDIT_STREAM_TOKEN'> | undefined;
  readonly allowListPresetsDir: Parsed<'ALLOW_LIST_PRESETS_DIR'> | undefined;
  /** What waits for a second member of staff. */
  readonly approvals: ApprovalPolicy;
  readonly approvalDays: Parsed<'APPROVAL_DAYS'>;
  /** Undefined: the model in `dnsmosModelPath` decides which. */
  readonly reviewRuleset: Parsed<'REVIEW_RULESET'> | undefined;
  readonly reviewSecondListeningPercent: Parsed<'REVIEW_SECOND_LISTENING_PERCENT'>;
  readonly reviewSamplePercent: Parsed<'REVIEW_SAMPLE_PERCENT'>;
  readonly blockedRecordingAction: Parsed<'NO_GO_ACTION'>;
  readonly countryTablePath: Parsed<'COUNTRY_TABLE_PATH'> | undefined;
  /** Undefined where there is none, and where it is off. */
  readonly ffmpegPath: string | undefined;
  readonly dnsmosModelPath: Parsed<'DNSMOS_MODEL_PATH'> | undefined;
  readonly speakerModelPath: Parsed<'SPEAKER_MODEL_PATH'> | undefined;
  readonly sameSpeakerCosine: Parsed<'SAME_SPEAKER_COSINE'>;
  readonly logLevel: Parsed<'LOG_LEVEL'>;
  readonly accessLog: Parsed<'ACCESS_LOG'>;
  /** Undefined: text in the terminal of `greenroom start`, JSON lines elsewhere. */
  readonly logFormat: Parsed<'LOG_FORMAT'> | undefined;

  constructor(
    values: Omit<
      AppConfig,
      'requireDatabaseUrl' | 'requireMigrationDatabaseUrl' | 'requireAppSecret' | 'requireAppSecrets'
    >,
  ) {
    Object.assign(this, values);
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
  const read: Read = <N extends VariableName>(name: N) => readVariable(name, env, problems) as Parsed<N>;
  const config = new AppConfig({
    host: read('HOST'),
    port: read('PORT'),
    dataDir: read('DATA_DIR'),
    databaseUrl: read('DATABASE_URL'),
    migrationDatabaseUrl: read('MIGRATION_DATABASE_URL'),
    databaseReadUrl: read('DATABASE_READ_URL'),
    redisUrl: read('REDIS_URL'),
    redisCa: read('REDIS_CA'),
    redisSentinels: read('REDIS_SENTINELS'),
    redisSentinelPassword: read('REDIS_SENTINEL_PASSWORD'),
    redisCluster: read('REDIS_CLUSTER'),
    trustedProxies: read('TRUSTED_PROXIES') ?? compileTrustedProxies([]).trusted,
    maxConnectionsPerAddress: read('MAX_CONNECTIONS_PER_ADDRESS'),
    hstsMaxAgeSecs: read('HSTS_MAX_AGE_SECS'),
    appSecret: read('APP_SECRET'),
    appSecretPrevious: read('APP_SECRET_PREVIOUS'),
    publicUrl: read('PUBLIC_URL'),
    oidcIssuer: read('OIDC_ISSUER'),
    oidcClientId: read('OIDC_CLIENT_ID'),
    oidcClientSecret: read('OIDC_CLIENT_SECRET'),
    secretScanningKeysUrl: read('SECRET_SCANNING_KEYS_URL'),
    voiceEngine: read('VOICE_ENGINE'),
    voiceEngineUrl: read('VOICE_ENGINE_URL'),
    voiceEngineApiKey: read('VOICE_ENGINE_API_KEY'),
    voiceEngineDialect: read('VOICE_ENGINE_DIALECT'),
    voiceEngineModel: read('VOICE_ENGINE_MODEL'),
    voiceEngineAddresses: read('VOICE_ENGINE_ADDRESSES'),
    textToSpeech: read('TEXT_TO_SPEECH'),
    historyDays: read('HISTORY_DAYS'),
    ledgerMonths: read('LEDGER_KEPT_MONTHS'),
    cell: read('CELL'),
    previewTtlHours: read('PREVIEW_TTL_HOURS'),
    s3: readS3(read, problems),
    workerConcurrency: read('WORKER_CONCURRENCY'),
    workerHealthPort: read('WORKER_HEALTH_PORT'),
    apiProcesses: read('API_PROCESSES'),
    metricsPort: read('METRICS_PORT'),
    otlpEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    tracedShare: read('OTEL_TRACES_SAMPLER_ARG'),
    drainSecs: read('DRAIN_SECS'),
    keepAliveSecs: read('KEEP_ALIVE_SECS'),
    webhookPrivateNetworks: read('WEBHOOK_PRIVATE_NETWORKS'),
    mail: readMail(read, problems),
    auditStreamUrl: read('AUDIT_STREAM_URL'),
    auditStreamFormat: read('AUDIT_STREAM_FORMAT'),
    auditStreamCa: read('AUDIT_STREAM_CA'),
    auditStreamToken: read('AUDIT_STREAM_TOKEN'),
    allowListPresetsDir: read('ALLOW_LIST_PRESETS_DIR'),
    approvals: readApprovals(read),
    approvalDays: read('APPROVAL_DAYS'),
    reviewRuleset: read('REVIEW_RULESET'),
    reviewSecondListeningPercent: read('REVIEW_SECOND_LISTENING_PERCENT'),
    reviewSamplePercent: read('REVIEW_SAMPLE_PERCENT'),
    blockedRecordingAction: read('NO_GO_ACTION'),
    countryTablePath: read('COUNTRY_TABLE_PATH'),
    ffmpegPath: findFfmpeg(read('FFMPEG_PATH'), env.PATH),
    dnsmosModelPath: read('DNSMOS_MODEL_PATH'),
    speakerModelPath: read('SPEAKER_MODEL_PATH'),
    sameSpeakerCosine: read('SAME_SPEAKER_COSINE'),
    logLevel: read('LOG_LEVEL'),
    accessLog: read('ACCESS_LOG'),
    logFormat: read('LOG_FORMAT'),
  });
  problems.push(
    ...missingOidc(config),
    ...missingEngineUrl(config),
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

/** The object store, if configured: it needs a bucket, and both credentials or neither. */
function readS3(read: Read, problems: string[]): S3Config | undefined {
  if (read('AUDIO_STORE') !== 's3') return undefined;
  const names = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  const [bucket, accessKeyId, secretAccessKey] = names.map((name) => read(name) as string | undefined);
  const missing = [!bucket, !accessKeyId && !!secretAccessKey, !!accessKeyId && !secretAccessKey];
  for (const [index, name] of names.entries()) {
    if (missing[index]) {
      problems.push(`${name} is not set, but AUDIO_STORE is s3; give ${VARIABLES[name].accepted}.`);
    }
  }
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return { bucket: bucket ?? '', region: read('S3_REGION'), endpoint: read('S3_ENDPOINT'), credentials };
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

function missingEngineUrl({ voiceEngine, voiceEngineUrl }: AppConfig): string[] {
  if (voiceEngine === 'flite' || voiceEngineUrl) return [];
  return [
    `VOICE_ENGINE_URL is not set, but VOICE_ENGINE is "${voiceEngine}"; give ${VARIABLES.VOICE_ENGINE_URL.accepted}.`,
  ];
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
      const hint = error instanceof URIError ? '; write %25 for a % in its login or path' : '';
      return [`${name}: the given value cannot be read: ${(error as Error).message}${hint}.`];
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
  const row: Row = VARIABLES[name];
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

function inputText(name: string, row: Row, env: NodeJS.ProcessEnv, problems: string[]): string | undefined {
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
