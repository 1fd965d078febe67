import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Launched, processesOf } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

let folder: string;

beforeEach(() => (folder = makeTemporaryFolder()));
afterEach(() => removeFolder(folder));

const isRoot = process.getuid?.() === 0;
const NOBODY_LISTENS = 1;

/** The whole output of a start that is refused: one line, exit code 1, nothing left running. */
async function refusal(variables: Parameters<typeof Launched.greenroom>[1]): Promise<string> {
  const launcher = Launched.greenroom(['start'], { DATA_DIR: join(folder, 'data'), PORT: '0', ...variables });
  expect(await launcher.ended()).toBe(1);
  expect(processesOf(folder)).toEqual([]);
  return launcher.output;
}

describe('a start is refused with one line', () => {
  it('when the port is in use, naming the port and who listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const line = await refusal({ PORT: String(port) }).finally(() => server.close());
    expect(line).toMatch(
      new RegExp(
        `^greenroom: Port ${port} is in use by .*\\(pid ${process.pid}\\)\\. Stop that, or set PORT to another one .*\\n$`,
      ),
    );
  });

  it.each(['METRICS_PORT', 'WORKER_HEALTH_PORT'])('when %s is in use', async (variable) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const line = await refusal({ [variable]: String(port) }).finally(() => server.close());
    expect(line).toMatch(
      new RegExp(`^greenroom: Port ${port} is in use by .*, or set ${variable} to another one .*\\n$`),
    );
  });

  it('when HOST is not an address of this machine', async () => {
    expect(await refusal({ HOST: '192.0.2.1' })).toBe(
      'greenroom: HOST 192.0.2.1 is not an address of this machine.\n',
    );
  });

  it('when DATA_DIR lies under a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    expect(await refusal({ DATA_DIR: join(folder, 'file/data') })).toMatch(
      /^greenroom: DATA_DIR .*file\/data cannot be written by user \S+: a part of the path is a file\..*\n$/,
    );
  });

  (isRoot ? it.skip : it)('when DATA_DIR may not be written', async () => {
    mkdirSync(join(folder, 'data'));
    chmodSync(join(folder, 'data'), 0o500);
    expect(await refusal({})).toMatch(
      /^greenroom: DATA_DIR .*data cannot be written by user \S+: permission denied\..*\n$/,
    );
  });

  it('when the database does not respond, without showing the password', async () => {
    const variables = {
      DATABASE_URL: `postgres://me:secret@127.0.0.1:${NOBODY_LISTENS}/db`,
      START_WAIT_SECS: '0',
    };
    expect(await refusal(variables)).toBe(
      `greenroom: The database of DATABASE_URL (127.0.0.1:${NOBODY_LISTENS}/db) cannot be used: connection refused.\n`,
    );
  });

  it('when the host of the database is unknown', async () => {
    expect(await refusal({ DATABASE_URL: 'postgres://me@database.invalid/db' })).toMatch(
      /^greenroom: The database of DATABASE_URL \(database.invalid\/db\) cannot be used: the host name .*\.\n$/,
    );
  });

  it('when Redis does not respond', async () => {
    expect(await refusal({ REDIS_URL: `redis://:secret@127.0.0.1:${NOBODY_LISTENS}` })).toBe(
      `greenroom: The Redis of REDIS_URL (127.0.0.1:${NOBODY_LISTENS}) cannot be used: connection refused.\n`,
    );
  });

  it('when a variable is not accepted, naming it', async () => {
    expect(await refusal({ PORT: 'http' })).toBe(
      'greenroom: PORT: "http" is not accepted; give a whole number from 0 to 65535 (0 = any free port).\n',
    );
  });
});

it('a command on an installation finds none, says so and makes none', async () => {
  const dataDir = join(folder, 'data');
  const command = Launched.greenroom(['doctor'], { DATA_DIR: dataDir });
  expect(await command.ended()).toBe(1);
  expect(command.output).toBe(
    `greenroom: There is no Greenroom in ${dataDir} yet. Set DATA_DIR to where it is, or start one with "greenroom start".\n`,
  );
  expect(existsSync(dataDir)).toBe(false);
});

describe('wrong usage exits with 2 and help with 0', () => {
  it.each([
    [['bogus'], 2, "unknown command 'bogus'"],
    [['keys', 'create'], 2, "required option '--account"],
    [['keys', 'create', '--account', 'x', '--credits', 'many'], 2, 'not a whole number of credits'],
    [['keys', 'create', '--account', 'x', '--expires', 'soon'], 2, 'Give a date such as'],
    [['--help'], 0, 'Usage: greenroom'],
    [['keys', 'create', '--help'], 0, '--allow-ip'],
    [['--version'], 0, '.'],
  ])('greenroom %j', async (args, code, text) => {
    const command = Launched.greenroom(args);
    expect(await command.ended()).toBe(code);
    expect(command.output).toContain(text);
  });
});
