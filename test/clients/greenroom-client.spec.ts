import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areInstalled, installedFolder } from '../support/client-programs';
import { ROOT } from '../support/source-files';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const CLIENT = join(ROOT, 'packages/client');
const PROGRAMS = join(__dirname, 'frameworks');
jest.setTimeout(300_000);

(areInstalled('frameworks') ? describe : describe.skip)('greenroom-client, packed and installed', () => {
  let stack: Stack;
  let admin: StaffClient;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    stack = await Stack.start({ worker: false });
    admin = await StaffClient.signedIn(stack, 'admin');
    const reason = 'A test';
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const { body: management } = await admin.post('/admin/management-credentials', {
      name: 'sign-up page',
      purpose: 'Opens accounts',
      accounts: 'all',
      expires_at,
      reason,
      permissions: ['accounts.read', 'accounts.write', 'entitlements.write', 'keys.read', 'keys.write'],
      allowed_ips: ['127.0.0.1'],
    });
    const { body: service } = await admin.post('/admin/service-credentials', { name: 'speech', reason });
    env = {
      ...(process.env as Record<string, string>),
      GREENROOM_URL: stack.baseUrl,
      GREENROOM_CREDENTIAL: String(management.secret),
      SERVICE_CREDENTIAL: String(service.secret),
    };
    folder = mkdtempSync(join(tmpdir(), 'greenroom-client-'));
    const [{ filename }] = JSON.parse(
      await run('npm', ['pack', '--silent', '--json', '--pack-destination', folder], CLIENT),
    ) as [{ filename: string }];
    // What the package needs is there, so that nothing is fetched.
    cpSync(installedFolder('frameworks'), folder, { recursive: true });
    await run('npm', [
      'install',
      '--offline',
      '--no-save',
      '--no-audit',
      '--no-fund',
      join(folder, filename),
    ]);
    cpSync(PROGRAMS, folder, { recursive: true });
  });

  afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true });
  });

  const run = async (command: string, args: string[], cwd = folder) =>
    (await promisify(execFile)(command, args, { env, cwd, maxBuffer: 50_000_000 })).stdout;
  const drive = async (program: string) =>
    JSON.parse((await run(process.execPath, [program])).trim().split('\n').at(-1)!) as Record<
      string,
      unknown
    >;

  it('the program of docs/clients.md: account, grant, key with a list, served, disabled, refused, usage', async () => {
    const program = /<!-- run by test\/clients\/greenroom-client.spec.ts -->\s+```js\n(.*?)```/s.exec(
      readFileSync(join(ROOT, 'docs/clients.md'), 'utf8'),
    )![1]!;
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    writeFileSync(join(folder, 'first-key.mjs'), program);
    const printed = await drive('first-key.mjs');
    process.stdout.write(`${JSON.stringify(printed)}\n`);
    expect(printed).toEqual({
      granted: 500,
      served: 200,
      receipt: { acknowledged: 1, processes: 1, ms: expect.any(Number) },
      refused: 401,
      refusedAfterMs: expect.any(Number),
      usage: [
        expect.objectContaining({
          operation: 'text_to_voice_design',
          requests: 1,
          credits: expect.any(Number),
          key_name: 'First key',
        }),
      ],
    });
  });

  it('as CommonJS: pages one by one, a refusal with its code, a webhook in a rotation', async () => {
    await stack.openAccount();
    await stack.openAccount();
    const { names, refusal, event } = await drive('required.cjs');
    expect((names as string[]).length).toBeGreaterThanOrEqual(3);
    expect(refusal).toEqual({
      status: 403,
      code: 'management_refused_for_people',
      requestId: expect.any(String),
    });
    expect(event).toEqual({ type: 'test' });
  });

  it('middlewares of Express, Fastify and Hono: what passes, and each refusal', async () => {
    const good = await stack.issueKey();
    const poor = await stack.issueKey({ creditLimit: 1 });
    const narrow = await stack.issueKey({ permissions: ['models_read'] });
    env.KEYS = JSON.stringify({
      good: good.secret,
      poor: poor.secret,
      narrow: narrow.secret,
      unknown: 'grk_x',
    });
    const expected = {
      none: [401, 'missing_api_key', 'www-authenticate'],
      good: [200, good.keyId],
      poor: [402, 'insufficient_credits'],
      narrow: [403, 'insufficient_permissions'],
      unknown: [401, 'invalid_api_key', 'www-authenticate'],
      bearer: [200, good.keyId],
      away: [503, 'service_unavailable', 'retry-after'],
      wrong: [500, 'invalid_service_credential'],
    };
    expect(await drive('middlewares.mjs')).toEqual({ express: expected, fastify: expected, hono: expected });
  });

  it('strict types under both module systems, and in the frameworks', async () => {
    cpSync(join(folder, 'client.mts'), join(folder, 'client.cts'));
    const options = ['--strict', '--noEmit', '--module', 'node16', '--target', 'es2022', '--types', 'node'];
    const check = async (...args: string[]) =>
      run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), ...options, ...args]);
    await expect(check('client.mts', 'client.cts')).resolves.toBe('');
    await expect(check('--skipLibCheck', 'frameworks.mts')).resolves.toBe('');
    writeFileSync(join(folder, 'wrong.cts'), "import { Nothing } from 'greenroom-client';\nvoid Nothing;\n");
    await expect(check('wrong.cts')).rejects.toThrow();
  });

  it('is at most 20 kB without types under each module system, with one dependency', () => {
    const installed = join(folder, 'node_modules/greenroom-client');
    for (const system of ['esm', 'cjs']) {
      const programs = readdirSync(join(installed, 'dist', system)).filter((name) => name.endsWith('.js'));
      const bytes = programs.map((name) => readFileSync(join(installed, 'dist', system, name)).length);
      expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(20_000);
    }
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      dependencies: object;
    };
    expect(Object.keys(dependencies)).toEqual(['openapi-fetch']);
  });
});
