import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { interpolate } from '../../test/support/compose-file';
import { loadConfig } from './app-config';
import { VARIABLES } from './variables';

interface Service {
  command?: string[];
  image: string;
  build?: string;
  environment?: Record<string, string>;
  secrets?: string[];
  profiles?: string[];
  ports?: string[];
  read_only?: boolean;
  deploy?: { replicas: number };
}

const ROOT = join(__dirname, '../..');
const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const read = (input: Record<string, string>) =>
  parse(interpolate(text, input), { merge: true }) as {
    services: Record<string, Service>;
    secrets: Record<string, { file: string }>;
  };
const compose = read({});
const ours = Object.entries(compose.services).filter(([, service]) => service.build === '.');

const SECRETS: Record<string, string> = {
  DATABASE_URL_FILE: 'postgres://greenroom_app@postgres/greenroom',
  MIGRATION_DATABASE_URL_FILE: 'postgres://greenroom@postgres/greenroom',
  APP_SECRET_FILE: 'a secret of more than thirty-two characters',
};

describe('docker-compose.yml', () => {
  it('has the production shape', () => {
    const withProfile = (profile?: string) =>
      Object.keys(compose.services).filter((name) => compose.services[name]!.profiles?.[0] === profile);
    expect(withProfile().sort()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker']);
    expect(withProfile('s3')).toEqual(['s3', 'bucket']);
    expect(ours.map(([, service]) => service.command)).toEqual([['migrate'], ['api'], ['worker']]);
  });

  it('has two of what may be more than one, on read-only file systems', () => {
    expect(ours.map(([, service]) => service.deploy?.replicas)).toEqual([undefined, 2, 2]);
    expect(ours.map(([, service]) => service.read_only)).toEqual([true, true, true]);
  });

  it.each(ours)('%s is given only variables that exist, with values that are accepted', (_, service) => {
    const input = { ...service.environment };
    const names = Object.keys(input).map((name) => name.replace(/_FILE$/, ''));
    expect(names.filter((name) => !(name in VARIABLES))).toEqual([]);
    expect(() => loadConfig(withSecrets(input))).not.toThrow();
  });

  it.each(['api', 'worker'])('%s keeps audio in the object store when configured so', (name) => {
    const input = { ...read({ AUDIO_STORE: 's3' }).services[name]!.environment };
    expect(loadConfig(withSecrets(input)).s3).toEqual({
      bucket: 'greenroom-audio',
      region: 'us-east-1',
      endpoint: 'http://s3:9000',
      credentials: { accessKeyId: 'a secret', secretAccessKey: 'a secret' },
    });
    expect(loadConfig(withSecrets({ ...compose.services[name]!.environment })).s3).toBeUndefined();
  });

  it('gives the role that owns the tables to the migration only', () => {
    const holders = ours.filter(([, service]) => JSON.stringify(service).includes('migration_database_url'));
    expect(holders.map(([name]) => name)).toEqual(['migrate']);
  });

  it('mounts every file that a variable names, and makes the bucket that is used', () => {
    for (const service of Object.values(compose.services)) {
      const files = Object.values(service.environment ?? {}).filter((value) =>
        value.startsWith('/run/secrets/'),
      );
      for (const file of files) expect(service.secrets).toContain(file.replace('/run/secrets/', ''));
      for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret);
    }
    expect(compose.services.bucket!.command!.join()).toContain('store/greenroom-audio');
  });

  it('gives secrets as files and publishes nothing but the api', () => {
    const environments = JSON.stringify(ours.map(([, service]) => service.environment));
    expect(environments).not.toMatch(/postgres:\/\//);
    const published = Object.entries(compose.services).filter(([, service]) => service.ports);
    expect(published.map(([name]) => name)).toEqual(['api']);
  });
});

/** Values in the place of files, which are not there. */
function withSecrets(input: Record<string, string>): Record<string, string> {
  const entries = Object.entries(input).map(([name, value]) =>
    name.endsWith('_FILE') ? [name.replace(/_FILE$/, ''), SECRETS[name] ?? 'a secret'] : [name, value],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
