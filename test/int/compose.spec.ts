import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { interpolate } from '../support/compose-file';
import { eventually } from '../support/eventually';
import { queryAs } from '../support/query-as';
import { freePort } from '../support/redis-server';
import { S3Server } from '../support/s3-server';
import { createBody, designBody } from '../support/samples';
import { testServerUrls } from '../support/test-server';

interface Service {
  command: string[];
  environment: Record<string, string>;
  healthcheck: { test: [string, ...string[]] };
  deploy?: { replicas: number };
}

const ROOT = join(__dirname, '../..');
const composeFile = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const servicesOf = (input: Record<string, string>) =>
  (
    parse(interpolate(composeFile, input), { merge: true }) as {
      services: Record<'postgres' | 'redis' | 'migrate' | 'api' | 'worker', Service>;
    }
  ).services;
/** What the image runs, without the init that reaps processes in it. */
const [, , , mainFile] = JSON.parse(
  /^ENTRYPOINT (.*)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))![1]!,
) as string[];

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/**
 * The very commands, variables and health checks of the compose file, as plain processes: only addresses, ports and the
 * place of the secrets are those of this machine.
 */
(hasRedis ? describe : describe.skip).each([
  ['with audio in PostgreSQL', 'postgres'],
  ['with the profile s3', 's3'],
])('docker-compose.yml, started without Docker, %s', (_, audioStore) => {
  const services = servicesOf({ AUDIO_STORE: audioStore });
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-compose-'));
  const database = `compose_${randomBytes(6).toString('hex')}`;
  const running: ChildProcess[] = [];
  let redisPort: number;
  let s3: S3Server;

  beforeAll(async () => {
    redisPort = await freePort();
    const { application, owner } = testServerUrls(database);
    writeFileSync(join(folder, 'database_url'), `${application}\n`);
    writeFileSync(join(folder, 'migration_database_url'), `${owner}\n`);
    writeFileSync(join(folder, 'app_secret'), `${randomBytes(32).toString('base64')}\n`);
    s3 = await S3Server.start();
    writeFileSync(join(folder, 's3_access_key_id'), `${s3.variables.S3_ACCESS_KEY_ID}\n`);
    writeFileSync(join(folder, 's3_secret_access_key'), `${s3.variables.S3_SECRET_ACCESS_KEY}\n`);
    await onServer(`CREATE DATABASE ${database}`);
  });

  afterAll(async () => {
    for (const child of running.toReversed()) {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    }
    await s3.stop();
    await onServer(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    rmSync(folder, { recursive: true, force: true });
  });

  async function onServer<T>(sql: string, of = 'postgres'): Promise<T[]> {
    return queryAs<T>(testServerUrls(of).owner, sql);
  }

  /** The variables of a service, and nothing else of this machine's but where programs are. */
  function environmentOf(name: 'migrate' | 'api' | 'worker', ports: Record<string, number> = {}) {
    const entries = Object.entries(services[name].environment).map(([variable, value]) => [
      variable,
      value
        .replace('/run/secrets', folder)
        .replace('redis:6379', `127.0.0.1:${redisPort}`)
        .replace('http://s3:9000', s3.variables.S3_ENDPOINT)
        .replace('greenroom-audio', s3.variables.S3_BUCKET),
    ]);
    return { PATH: process.env.PATH, ...Object.fromEntries(entries), ...toTexts(ports) } as NodeJS.ProcessEnv;
  }

  function start(command: string[], env: NodeJS.ProcessEnv): ChildProcess {
    const child = spawn(command[0]!, command.slice(1), {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    running.push(child);
    return child;
  }

  /** Starts a process of a service and waits until the service's own health check is content; its URL. */
  async function startHealthy(name: 'api' | 'worker', variable: string): Promise<string> {
    const port = await freePort();
    start(
      [process.execPath, mainFile!, ...services[name].command],
      environmentOf(name, { [variable]: port }),
    );
    const inside = services[name].environment[variable]!;
    const [, ...check] = services[name].healthcheck.test.map((word) => word.replace(inside, String(port)));
    await eventually(
      async () => {
        const [code] = (await once(spawn(check[0]!, check.slice(1)), 'exit')) as [number];
        expect(code).toBe(0);
      },
      { everyMs: 500 },
    );
    return `http://127.0.0.1:${port}`;
  }

  const startAll = (name: 'api' | 'worker', variable: string) =>
    Promise.all(Array.from({ length: services[name].deploy!.replicas }, () => startHealthy(name, variable)));

  it('stores a voice with one api, shows it with the other, and reviews it', async () => {
    start([...services.redis.command, '--port', String(redisPort), '--dir', folder, '--bind', '127.0.0.1'], {
      PATH: process.env.PATH,
    });
    const main = (command: string[]) =>
      spawnSync(process.execPath, [mainFile!, ...command], {
        cwd: ROOT,
        env: { ...environmentOf('migrate'), DATA_DIR: folder },
        encoding: 'utf8',
      });
    expect(main(services.migrate.command)).toMatchObject({ status: 0, stderr: '' });
    const secret = /grk_\w+/.exec(main(['seed']).stdout)![0];
    const [[one, other], workers] = await Promise.all([
      startAll('api', 'PORT'),
      startAll('worker', 'WORKER_HEALTH_PORT'),
    ]);
    expect(workers).toHaveLength(2);

    const headers = { 'xi-api-key': secret, 'content-type': 'application/json' };
    const post = async (path: string, body: object) =>
      (await fetch(`${one}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    const { previews } = (await post('/v1/text-to-voice/design', designBody())) as {
      previews: { generated_voice_id: string }[];
    };
    const created = (await post('/v1/text-to-voice', createBody(previews[0]!.generated_voice_id))) as {
      voice_id: string;
    };
    await eventually(async () => {
      const voice = await (await fetch(`${other}/v1/voices/${created.voice_id}`, { headers })).json();
      expect(voice).toMatchObject({
        recording_quality: expect.any(String),
        labelling_status: 'review_complete',
      });
    });
    const stored = await onServer<{ place: string }>(
      `SELECT DISTINCT CASE WHEN bytes IS NULL THEN 's3' ELSE 'postgres' END AS place FROM audio_object`,
      database,
    );
    expect(stored.map(({ place }) => place)).toEqual([audioStore]);
  });
});

function toTexts(numbers: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
}
