import type { AppConfig } from '@app/config/app-config';
import { redisTarget } from '@app/connections/redis-client';
import type { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import type { CertificateEnd } from '@app/domain/operations/operation-check';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';

const RESPONSE_MS = 2_000;
const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'smtps:': 465, 'smtp:': 587 };

/**
 * The ends of the certificates that variables hold, and of those that servers show; a server that does not respond is left out. All at
 * once, each a handshake: of Amazon S3, and where a proxy is on the way, none is read.
 */
export async function listCertificateEnds(
  config: AppConfig,
  server: DatabaseServerRepository,
): Promise<CertificateEnd[]> {
  const shown = await Promise.all([
    server.readCertificateEnd().then(
      (endsAt) => (endsAt ? [{ of: 'the database', endsAt }] : []),
      () => [],
    ),
    ...listServers(config).map(([of, url]) => shownBy(of, new URL(url))),
  ]);
  return [...heldByVariables(config), ...shown.flat()];
}

/** Servers with TLS, by what they are. */
function listServers(config: AppConfig): [of: string, url: string][] {
  const redis = redisTarget(config);
  const { href: mail } = config.mail?.server ?? {};
  const configured: [string, string | undefined][] = [
    ['PUBLIC_URL', config.publicUrl],
    ['Redis', redis?.tls && redis.host ? `https://${redis.host}:${redis.port}` : undefined],
    ['the collector of AUDIT_STREAM_URL', config.auditStreamUrl?.replace(/^tls:/, 'https:')],
    ['OIDC_ISSUER', config.oidcIssuer],
    ['the mail server', mail],
    ['S3_ENDPOINT', (config.s3 ?? config.backupS3)?.endpoint],
    ['VOICE_ENGINE_URL', config.voiceEngineUrl],
  ];
  return configured.filter((each): each is [string, string] => /^(https|smtps?):/.test(each[1] ?? ''));
}

function heldByVariables({ redisCa, auditStreamCa, databaseUrl }: AppConfig): CertificateEnd[] {
  const file = new URL(databaseUrl ?? 'none:').searchParams.get('sslrootcert');
  const held: [string, string | undefined][] = [
    ['REDIS_CA', redisCa],
    ['AUDIT_STREAM_CA', auditStreamCa],
    ['the sslrootcert of DATABASE_URL', file === null ? undefined : readFileSync(file, 'utf8')],
  ];
  return held.flatMap(([of, pem]) =>
    pem === undefined ? [] : [{ of, endsAt: new Date(new X509Certificate(pem).validTo) }],
  );
}

/** One that has ended or is not trusted is read all the same: nothing secret is sent. */
async function shownBy(of: string, { protocol, hostname, port }: URL): Promise<CertificateEnd[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || PORTS[protocol]), timeout: RESPONSE_MS });
  const late = setTimeout(() => socket.destroy(new Error('It is late.')), RESPONSE_MS);
  try {
    if (protocol === 'smtp:' && !(await startTls(socket))) return [];
    const secure = connectTls({
      socket,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
    });
    secure.on('error', () => undefined);
    await Promise.race([once(secure, 'secureConnect'), once(socket, 'close').then(() => socket.destroy())]);
    const { valid_to: end } = secure.getPeerCertificate();
    return end === undefined ? [] : [{ of, endsAt: new Date(end) }];
  } catch {
    return [];
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}

/** Asks a mail server for TLS (RFC 3207). False when it does not offer it. */
async function startTls(socket: Socket): Promise<boolean> {
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const isAccepted = async (code: string) => {
    for (;;) {
      const { value, done } = await lines.next();
      // Between the code and the text, a hyphen says that more lines follow.
      if (done || value[3] !== '-') return !done && value.startsWith(code);
    }
  };
  if (!(await isAccepted('220'))) return false;
  socket.write('EHLO greenroom\r\n');
  if (!(await isAccepted('250'))) return false;
  socket.write('STARTTLS\r\n');
  return isAccepted('220');
}
