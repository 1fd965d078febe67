import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTools, runTool } from './postgres-tools';

let folder: string;
const path = process.env.PATH;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-tools-'));
  process.env.PATH = '';
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true });
});

/** A pg_dump on the PATH that says this of its version. */
function install(name: string, says: string): string {
  const bin = join(folder, name);
  mkdirSync(bin);
  const program = join(bin, 'pg_dump');
  writeFileSync(program, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(program, 0o755);
  process.env.PATH = [process.env.PATH, bin].filter(Boolean).join(':');
  return program;
}

/** Later than every PostgreSQL that may be installed here. */
const SERVER = 90;

describe('findTools', () => {
  it.each([
    ['pg_dump (PostgreSQL) 90.3', 90],
    ['pg_dump (PostgreSQL) 90.3 (Debian 90.3-1.pgdg120+1)', 90],
    ['pg_dump (PostgreSQL) 91beta2', 91],
    ['pg_dump (PostgreSQL) 92devel', 92],
    ['pg_dump (PostgreSQL) 93rc1', 93],
  ])('takes %j', async (says, version) => {
    const dump = install('one', says);
    expect(await findTools(SERVER)).toEqual({ dump, restore: join(folder, 'one/pg_restore'), version });
  });

  it('of several takes the one that is nearest to the server, and none that is older', async () => {
    install('older', 'pg_dump (PostgreSQL) 89.9');
    install('newest', 'pg_dump (PostgreSQL) 95.0');
    const nearest = install('newer', 'pg_dump (PostgreSQL) 91.1');
    expect(await findTools(SERVER)).toMatchObject({ dump: nearest, version: 91 });
    const same = install('same', 'pg_dump (PostgreSQL) 90.0');
    expect(await findTools(SERVER)).toMatchObject({ dump: same, version: 90 });
  });

  it('names what to install where all are older', async () => {
    const older = install('older', 'pg_dump (PostgreSQL) 17.4');
    await expect(findTools(SERVER)).rejects.toThrow(
      new RegExp(
        `^No pg_dump of PostgreSQL ${SERVER} or newer is on this machine \\(${older} is of 17.*\\), and a backup of that server needs one\\. Install it where the worker runs \\(Debian and Ubuntu: postgresql-client-${SERVER}, Alpine: postgresql${SERVER}-client\\), or add its folder to the PATH\\.$`,
      ),
    );
  });

  it.each(['', 'BusyBox v1.36', 'pg_dump (PostgreSQL) ninety'])(
    'passes over a program that says %j',
    async (says) => {
      install('other', says);
      await expect(findTools(SERVER)).rejects.toThrow(
        /^No pg_dump of PostgreSQL 90 or newer is on this machine/,
      );
    },
  );
});

describe('runTool', () => {
  const failing = async (line: string) => {
    const program = join(folder, 'program');
    writeFileSync(program, `#!/bin/sh\necho '${line}' >&2\nexit 1\n`);
    chmodSync(program, 0o755);
    return runTool(program, [], {}).catch((error: NodeJS.ErrnoException) => error);
  };

  it('distinguishes a full disk here from one of the server, which is quoted', async () => {
    expect(
      await failing('pg_dump: error: could not write to output file: No space left on device'),
    ).toMatchObject({ code: 'ENOSPC' });
    const ofServer = await failing(
      'pg_dump: error: query failed: ERROR:  could not extend file "base/1": No space left on device',
    );
    expect(ofServer).toMatchObject({
      name: 'LaunchError',
      message: expect.stringMatching(/^query failed: ERROR: +could not extend file .+program\)$/) as string,
    });
  });

  it('quotes the refusal of a server of another version', async () => {
    expect(await failing('pg_dump: error: aborting because of server version mismatch')).toMatchObject({
      message: expect.stringMatching(/^aborting because of server version mismatch \(/) as string,
    });
  });
});
