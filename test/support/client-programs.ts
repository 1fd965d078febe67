import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The lists of packages in test/clients. */
type List = 'programs' | 'frameworks';

const LISTS = join(__dirname, '../clients');

/** Where `node scripts/test-setup.mjs --clients` installs a list. */
export const installedFolder = require('../clients/folder.cjs') as (list: List) => string;

/** Whether it has done so, with the list of today. */
export function areInstalled(list: List): boolean {
  const folder = installedFolder(list);
  return (
    existsSync(join(folder, 'node_modules/.package-lock.json')) &&
    readFileSync(join(folder, 'package.json')).equals(readFileSync(join(LISTS, list, 'package.json')))
  );
}

/** Copies a program of ours to where its packages are; returns its path there. */
export function installedProgram(name: string): string {
  const path = join(installedFolder('programs'), name);
  copyFileSync(join(LISTS, 'programs', name), path);
  return path;
}
