import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appSecretFile, createAppSecret, readAppSecret } from './app-secret';

const newFolder = () => mkdtempSync(join(tmpdir(), 'greenroom-secret-'));

describe('createAppSecret', () => {
  it('makes a secret once, readable by its owner only', () => {
    const folder = newFolder();
    expect(readAppSecret(folder)).toBeNull();
    const secret = createAppSecret(folder);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect([readAppSecret(folder), createAppSecret(folder)]).toEqual([secret, secret]);
    expect(statSync(appSecretFile(folder)).mode & 0o777).toBe(0o600);
    expect(createAppSecret(newFolder())).not.toBe(secret);
  });

  it('never replaces a damaged secret by a new one', () => {
    const folder = newFolder();
    writeFileSync(appSecretFile(folder), '');
    expect(() => readAppSecret(folder)).toThrow(/does not hold a secret/);
    expect(() => createAppSecret(folder)).toThrow(/does not hold a secret/);
    expect(readFileSync(appSecretFile(folder), 'utf8')).toBe('');
  });
});
