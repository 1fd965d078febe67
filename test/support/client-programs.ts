import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAMS = join(__dirname, '../clients/programs');

/** Where `node scripts/test-setup.mjs --clients` installs what test/clients drives. */
export const CLIENTS_FOLDER = require('../clients/programs/folder.cjs') as string;

/** Whether it has done so, with the list of today. */
export const areProgramsInstalled =
  existsSync(join(CLIENTS_FOLDER, 'node_modules/.package-lock.json')) &&
  readFileSync(join(CLIENTS_FOLDER, 'package.json')).equals(readFileSync(join(PROGRAMS, 'package.json')));

/** Copies a program of ours to where its packages are; returns its path there. */
export function installedProgram(name: string): string {
  const path = join(CLIENTS_FOLDER, name);
  copyFileSync(join(PROGRAMS, name), path);
  return path;
}
