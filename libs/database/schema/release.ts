import { PACKAGE } from '../../config/project-root';
import { readdirSync } from 'node:fs';

/** Its name without the ending: `1797325000000-initial-schema`. */
const MIGRATION = /^(\d{13}-[a-z-]+)\.[jt]s$/;

/** What tells one release from another. Read from names of files, so that a command that needs no database stays quick. */
export const RELEASE = {
  version: PACKAGE.version,
  /** Which commit was built, where git or the variable COMMIT said it: with `-dirty` behind it when files had been changed. */
  commit: PACKAGE.commit,
  /** The newest migration. */
  schema: readdirSync(__dirname)
    .flatMap((file) => MIGRATION.exec(file)?.[1] ?? [])
    .sort()
    .at(-1)!,
};

/** For people: `1.1.0 (commit 6af4a9fa1c2d, schema 1797500000000-repair-edited-migrations)`. */
export function describeRelease({ version, commit, schema } = RELEASE): string {
  return `${version} (${commit === undefined ? '' : `commit ${commit}, `}schema ${schema})`;
}

/** Whether a version such as `1.10.0` is later than another. */
export function isLater(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}
