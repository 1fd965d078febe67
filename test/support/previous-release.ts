import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../../libs/config/app-config';
import type { VariableName } from '../../libs/config/variables';
import { freePort } from '../../src/launcher/free-port';
import { eventually } from './eventually';
import { TemporaryFolder } from './temporary-folder';

const PROJECT = join(__dirname, '../..');
const BUILT = [
  'apps',
  'libs',
  'src',
  'tools',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'openapi.json',
];

const git = (...args: string[]) => {
  const { status, stdout } = spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
};

const versionIn = (packageJson: string) => (JSON.parse(packageJson) as { version: string }).version;

/**
 * The release before the one of the tree: the commit with the dump of a database that it has used. The last commit of its version would
 * have all migrations of this release already. Empty where the history does not reach so far.
 */
export function findPreviousRelease(): string {
  const present = versionIn(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  const named = git('log', '--format=%H', `-S"version": "${present}"`, '--', 'package.json')
    .split('\n')
    .at(-1);
  const before = named && git('show', `${named}^:package.json`);
  if (!before) return '';
  return git('log', '-1', '--format=%H', '--', `test/releases/${versionIn(before)}.sql.gz`);
}

/** A release from the history, built in a temporary folder with its own packages, as this tree may have left some out. */
export class PreviousRelease {
  private constructor(
    readonly version: string,
    private readonly folder: TemporaryFolder,
  ) {}

  static build(commit: string): PreviousRelease {
    const folder = TemporaryFolder.make('greenroom-previous-');
    const archive = execFileSync('git', ['archive', commit, '--', ...BUILT], {
      cwd: PROJECT,
      maxBuffer: 1e9,
    });
    execFileSync('tar', ['-x', '-C', folder.path], { input: archive });
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder.path });
    execFileSync(process.execPath, ['scripts/build-server.mjs'], { cwd: folder.path });
    return new PreviousRelease(versionIn(readFileSync(join(folder.path, 'package.json'), 'utf8')), folder);
  }

  get main(): string {
    return join(this.folder.path, 'dist/src/main.js');
  }

  remove(): void {
    this.folder.remove();
  }
}

/** This tree, as built. */
export const PRESENT_MAIN = join(PROJECT, 'dist/src/main.js');

/** An earlier release loads each of its files: a minute was too little on a machine that is busy with other suites. */
const START_MS = 180_000;

/** An api or a worker of any release, in a process of its own. */
export class ReleaseProcess {
  log = '';

  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => (this.log += text.toString()));
  }

  /** Starts it, and waits until it is ready. */
  static async start(
    main: string,
    name: 'api' | 'worker',
    variables: Partial<Record<VariableName, string>>,
  ): Promise<ReleaseProcess> {
    const port = String(await freePort('127.0.0.1'));
    const child = spawn(process.execPath, [main, name], {
      env: childEnvironment({
        LOG_LEVEL: 'warn',
        LOG_FORMAT: 'json',
        [name === 'api' ? 'PORT' : 'WORKER_HEALTH_PORT']: port,
        ...variables,
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new ReleaseProcess(`http://127.0.0.1:${port}`, child);
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`the ${name} has ended:\n${started.log}`);
      expect((await fetch(`${started.url}/readyz`)).status).toBe(200);
    };
    try {
      await eventually(isReady, { withinMs: START_MS });
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}
