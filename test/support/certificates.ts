import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `openssl` makes the certificates of the tests. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

if (!hasOpenssl)
  console.warn('openssl is not on the PATH: the tests of TLS are LEFT OUT. Debian: apt-get install openssl.');

export interface Certificates {
  /** The authority, in PEM. */
  ca: string;
  caFile: string;
  certFile: string;
  keyFile: string;
}

const NEW_KEY = ['req', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];

/** An authority and a certificate by it for this machine, in the given folder. */
export function makeCertificates(folder: string): Certificates {
  const file = (name: string) => join(folder, name);
  const created = (name: string) => ['-x509', '-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
  openssl(...NEW_KEY, ...created('ca'), '-subj', '/CN=authority of the tests');
  const byAuthority = ['-CA', file('ca.crt'), '-CAkey', file('ca.key')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  openssl(...NEW_KEY, ...created('server'), ...byAuthority, ...names);
  chmodSync(file('server.key'), 0o600);
  return {
    ca: readFileSync(file('ca.crt'), 'utf8'),
    caFile: file('ca.crt'),
    certFile: file('server.crt'),
    keyFile: file('server.key'),
  };
}

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
}
