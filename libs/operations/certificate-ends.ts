import type { AppConfig } from '@app/config/app-config';
import { redisTarget } from '@app/connections/redis-client';
import type { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import type { CertificateEnd } from '@app/domain/operations/operation-check';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

const RESPONSE_MS = 2_000;

/** The ends of the certificates that variables hold, and of those that servers show; a server that does not respond is left out. */
export async function listCertificateEnds(
  config: AppConfig,
  server: DatabaseServerRepository,
): Promise<CertificateEnd[]> {
  const redis = redisTarget(config);
  const shown = await Promise.all([
    server.readCertificateEnd().then((endsAt) => (endsAt ? [{ of: 'the database', endsAt }] : [])),
    config.publicUrl?.startsWith('https:') ? shownBy('PUBLIC_URL', config.publicUrl) : [],
    redis?.tls && redis.host ? shownBy('Redis', `https://${redis.host}:${redis.port}`) : [],
    config.auditStreamUrl?.startsWith('tls:')
      ? shownBy('the collector of AUDIT_STREAM_URL', config.auditStreamUrl.replace('tls:', 'https:'))
      : [],
  ]);
  return [...heldByVariables(config), ...shown.flat()];
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

/** One that has ended or is not trusted is read all the same: nothing is sent. */
async function shownBy(of: string, url: string): Promise<CertificateEnd[]> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
    });
    const end = (found: CertificateEnd[]) => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(RESPONSE_MS, () => end([]));
    socket.on('error', () => end([]));
    socket.on('secureConnect', () => end([{ of, endsAt: new Date(socket.getPeerCertificate().valid_to) }]));
  });
}
