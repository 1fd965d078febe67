import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appSecretFile, readOrCreateAppSecret } from './app-secret';

const newFolder = () => mkdtempSync(join(tmpdir(), 'greenroom-secret-'));

describe('readOrCreateAppSecret', () => {
  it('makes a secret once, readable by its owner only', () => {
    const folder = newFolder();
    const secret = readOrCreateAppSecret(folder);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(readOrCreateAppSecret(folder)).toBe(secret);
    expect(statSync(appSecretFile(folder)).mode & 0o777).toBe(0o600);
    expect(readOrCreateAppSecret(newFolder())).not.toBe(secret);
  });

  it('never replaces a damaged secret by a new one', () => {
    const folder = newFolder();
    writeFileSync(appSecretFile(folder), '');
    expect(() => readOrCreateAppSecret(folder)).toThrow(/does not hold a secret/);
    expect(readFileSync(appSecretFile(folder), 'utf8')).toBe('');
  });
});
