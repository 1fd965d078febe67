import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { getDataSourceToken } from '@nestjs/typeorm';
import { createApi } from '../../apps/api/src/main';
import { createWorker } from '../../apps/worker/src/main';
import { AccountsService } from '../../libs/administration/accounts/accounts.service';
import { ApiKeysService, type NewApiKey } from '../../libs/administration/keys/api-keys.service';
import { loadConfig, type AppConfig } from '../../libs/config/app-config';
import type { VariableName } from '../../libs/config/variables';
import type { LimitOverrides } from '../../libs/domain/accounts/account-limits';
import type { Tier } from '../../libs/domain/accounts/tiers';
import { holdToContract, isJson } from './once/contract';
import { queryAs, whileLocked } from './query-as';
import './once/compiled-programs';
import { startRedisServer } from './redis-server';
import { createTestDatabase, type TestDatabase } from './test-database';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

/** What tests look at in a response; they assert the parts they read. */
export interface JsonBody {
  detail?: JsonDetail;
  [field: string]: unknown;
}

export type JsonDetail = Record<string, unknown> & Record<string, unknown>[];

export interface IssuedKey {
  accountId: string;
  keyId: string;
  secret: string;
}

export interface StackOptions {
  env?: Partial<Record<VariableName, string>>;
  /** False leaves reviews waiting. */
  worker?: boolean;
  /** It is dropped in the end. */
  database?: TestDatabase;
}

/** The whole product in this process: api on a free port, worker, a database of its own, a queue backend. */
export class Stack {
  private constructor(
    readonly config: AppConfig,
    readonly baseUrl: string,
    readonly api: NestFastifyApplication,
    private readonly worker: INestApplicationContext | null,
    private readonly database: TestDatabase,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  /** A stack that all tests of a file share: it starts before them and stops after them. */
  static ofFile(options: StackOptions = {}): Stack {
    const stack = Object.create(Stack.prototype) as Stack;
    beforeAll(async () => void Object.assign(stack, await Stack.start(options)));
    afterAll(async () => stack.stop());
    return stack;
  }

  static async start(options: StackOptions = {}): Promise<Stack> {
    const database = options.database ?? (await createTestDatabase());
    const redis = __QUEUE_BACKEND__ === 'redis' ? await startRedisServer() : null;
    const config = loadConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: database.url,
      APP_SECRET: 'a-secret-that-only-the-tests-of-greenroom-use',
      REDIS_URL: redis?.url,
      ...options.env,
    });
    const api = await createApi(config);
    await api.listen(0, '127.0.0.1');
    const worker = options.worker === false ? null : await createWorker(config);
    const baseUrl = await api.getUrl();
    holdToContract(baseUrl);
    return new Stack(config, baseUrl, api, worker, database, async () => {
      await redis?.stop();
      await database.drop();
    });
  }

  async stop(): Promise<void> {
    await this.worker?.close();
    await this.api.close();
    await this.cleanUp();
  }

  get dataSource(): DataSource {
    return this.api.get<DataSource>(getDataSourceToken());
  }

  /** Holds a lock on a table for as long as something runs. */
  async whileLocked<T>(table: string, run: () => Promise<T>): Promise<T> {
    return whileLocked(this.database.ownerUrl, table, run);
  }

  /** A query that the application may not run. */
  async asOwner<T>(sql: string, values?: unknown[]): Promise<T[]> {
    return queryAs<T>(this.database.ownerUrl, sql, values);
  }

  /** A new account with one key; every test has its own. */
  async issueKey(
    options: Partial<NewApiKey> & { tier?: Tier; concurrency?: number } = {},
  ): Promise<IssuedKey> {
    const { tier, concurrency, ...key } = options;
    const accountId = key.accountId ?? (await this.openAccount(tier, { concurrency }));
    const issued = await this.api
      .get(ApiKeysService)
      .create({ name: 'test key', permissions: 'all', ...key, accountId });
    return { accountId, ...issued };
  }

  async openAccount(tier: Tier = 'creator', overrides: Partial<LimitOverrides> = {}): Promise<string> {
    const name = `test ${randomUUID()}`;
    const account = await this.api.get(AccountsService).create({ name, tier, overrides });
    return account.id;
  }

  /** A request as a client library sends it: again while the process or the database is too busy for it. */
  async requestUntilServed(...request: Parameters<Stack['request']>): ReturnType<Stack['request']> {
    const response = await this.request(...request);
    const isBusy = response.status === 503 || response.body.detail?.code === 'system_busy';
    if (!isBusy) return response;
    await pause(Number(response.headers.get('retry-after') ?? 1) * 1_000);
    return this.requestUntilServed(...request);
  }

  /** A request as a customer's program would send it. */
  async request(
    method: string,
    path: string,
    {
      secret,
      body,
      headers = {},
    }: { secret?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; headers: Headers; body: JsonBody; bytes: Buffer }> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(secret !== undefined && { 'xi-api-key': secret }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      headers: response.headers,
      body:
        isJson(response.headers.get('content-type')) && bytes.length > 0
          ? (JSON.parse(bytes.toString()) as JsonBody)
          : {},
      bytes,
    };
  }
}
