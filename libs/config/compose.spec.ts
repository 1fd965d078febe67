import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from './app-config';
import { VARIABLES } from './variables';

interface Service {
  command?: string[];
  image: string;
  build?: string;
  environment?: Record<string, string>;
  ports?: string[];
  read_only?: boolean;
  deploy?: { replicas: number };
}

const ROOT = join(__dirname, '../..');
const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const ours = Object.entries(compose.services).filter(([, service]) => service.build === '.');

describe('docker-compose.yml', () => {
  it('has the production shape', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker']);
    expect(ours.map(([, service]) => service.command)).toEqual([['migrate'], ['api'], ['worker']]);
  });

  it('has two of what may be more than one, on read-only file systems', () => {
    expect(ours.map(([, service]) => service.deploy?.replicas)).toEqual([undefined, 2, 2]);
    expect(ours.map(([, service]) => service.read_only)).toEqual([true, true, true]);
  });

  it.each(ours)('%s is given only variables that exist, with values that are accepted', (_, service) => {
    const given = { ...service.environment };
    const names = Object.keys(given).map((name) => name.replace(/_FILE$/, ''));
    expect(names.filter((name) => !(name in VARIABLES))).toEqual([]);
    delete given.DATABASE_URL_FILE;
    delete given.APP_SECRET_FILE;
    expect(() =>
      loadConfig({ ...given, DATABASE_URL: 'postgres://greenroom@postgres/greenroom' }),
    ).not.toThrow();
  });

  it('gives secrets as files and publishes nothing but the api', () => {
    const environments = JSON.stringify(ours.map(([, service]) => service.environment));
    expect(environments).not.toMatch(/postgres:\/\//);
    const published = Object.entries(compose.services).filter(([, service]) => service.ports);
    expect(published.map(([name]) => name)).toEqual(['api']);
  });
});
