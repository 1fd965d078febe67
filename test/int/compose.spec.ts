import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { parse } from 'yaml';
import { eventually } from '../support/eventually';
import { freePort } from '../support/redis-server';
import { createBody, designBody } from '../support/samples';
import { testServerUrl } from '../support/test-server';

interface Service {
  command: string[];
  environment: Record<string, string>;
  healthcheck: { test: [string, ...string[]] };
  deploy?: { replicas: number };
}

const ROOT = join(__dirname, '../..');
const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<'postgres' | 'redis' | 'migrate' | 'api' | 'worker', Service>;
};
/** What the image runs, without the init that reaps processes in it. */
const [, , , mainFile] = JSON.parse(
  /^ENTRYPOINT (.*)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))![1]!,
) as string[];

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/**
 * The very commands, variables and health checks of the compose file, as plain processes: only addresses, ports and the
 * place of the secrets are those of this machine.
 */
(hasRedis ? describe : describe.skip)('docker-compose.yml, started without Docker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-compose-'));
  const database = `compose_${randomBytes(6).toString('hex')}`;
  const running: ChildProcess[] = [];
  let redisPort: number;

  beforeAll(async () => {
    redisPort = await freePort();
    writeFileSync(join(folder, 'database_url'), `${testServerUrl(database)}\n`);
    writeFileSync(join(folder, 'app_secret'), `${randomBytes(32).toString('base64')}\n`);
    await onServer(`CREATE DATABASE ${database}`);
  });

  afterAll(async () => {
    for (const child of running.toReversed()) {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    }
    await onServer(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    rmSync(folder, { recursive: true, force: true });
  });

  async function onServer(sql: string): Promise<void> {
    const client = new Client({ connectionString: testServerUrl('postgres') });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  /** The variables of a service, and nothing else of this machine's but where programs are. */
  function environmentOf(name: 'migrate' | 'api' | 'worker', ports: Record<string, number> = {}) {
    const entries = Object.entries(services[name].environment).map(([variable, value]) => [
      variable,
      value.replace('/run/secrets', folder).replace('redis:6379', `127.0.0.1:${redisPort}`),
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
      { withinMs: 60_000, everyMs: 500 },
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
  }, 150_000);
});

function toTexts(numbers: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
}
