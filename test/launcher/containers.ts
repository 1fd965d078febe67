import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { VariableName } from '@app/config/variables';
import { Launched, PROJECT } from './launched';

const LAUNCHER = `${process.execPath} ${join(__dirname, 'stand-ins/run-launcher.cjs')}`;
/** What keeps the processes of two containers from seeing each other. */
const CONTAINER = ['--pid', '--ipc', '--uts', '--mount', '--fork', '--kill-child', '--mount-proc'];

/** Namespaces take root, which a sandbox may still not allow. */
export const hasContainers = spawnSync('unshare', [...CONTAINER, 'true']).status === 0;

/** A test of namespaces, where this process may make them. */
export const itWithContainers = hasContainers ? it : it.skip;

if (!hasContainers)
  console.warn('unshare needs root: the tests that start Greenroom in two containers are LEFT OUT.');

/** The launcher with stand-ins in namespaces of its own. @param before what a shell does there first */
export function startInContainer(
  dataDir: string,
  before = 'true',
  variables: Partial<Record<VariableName, string>> = {},
): Launched {
  // The launcher is not the first process there: what it leaves behind keeps running.
  const script = `hostname elsewhere; ${before}; ${LAUNCHER} & wait $!; code=$?; [ $code -gt 128 ] && sleep 60; exit $code`;
  const input = { DATA_DIR: dataDir, PORT: '0', ...variables };
  return Launched.run('unshare', [...CONTAINER, 'sh', '-c', script], PROJECT, input);
}
