import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../../libs/config/app-config';
import type { VariableName } from '../../libs/config/variables';
import { freePort } from '../../src/launcher/free-port';
import { eventually } from './eventually';
import { TemporaryFolder } from './temporary-folder';

const PROJECT = join(__dirname, '../..');
const BUILT = ['apps', 'libs', 'src', 'tools', 'scripts', 'package.json', 'tsconfig.json', 'openapi.json'];

const git = (...args: string[]) => {
  const { status, stdout } = spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
};

/** The commit before the one that gave the tree its present version; empty where the history does not reach so far. */
export function findPreviousRelease(): string {
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };
  const named = git('log', '--format=%H', `-S"version": "${version}"`, '--', 'package.json')
    .split('\n')
    .at(-1);
  return named ? git('rev-parse', '--verify', '--quiet', `${named}^`) : '';
}

/** A release from the history, built in a temporary folder with the packages of this tree. */
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
    symlinkSync(join(PROJECT, 'node_modules'), join(folder.path, 'node_modules'));
    execFileSync(process.execPath, ['scripts/build-server.mjs'], { cwd: folder.path });
    const { version } = JSON.parse(readFileSync(join(folder.path, 'package.json'), 'utf8')) as {
      version: string;
    };
    return new PreviousRelease(version, folder);
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
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`the ${name} has ended:\n${started.log}`);
      expect((await fetch(`${started.url}/readyz`)).status).toBe(200);
    });
    return started;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}
