import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../..');

/** The TypeScript files of these folders, without their specs, relative to the root. */
export function sourceFiles(...folders: string[]): string[] {
  const found = execFileSync('find', [...folders, '-name', '*.ts*', '-not', '-name', '*.spec.ts'], {
    cwd: ROOT,
  });
  return found.toString().trim().split('\n');
}
