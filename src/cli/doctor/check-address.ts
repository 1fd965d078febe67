import type { AppConfig } from '@app/config/app-config';
import type { Finding } from '@app/domain/common/backend-check';

const ok = (detail: string): Finding => ({ status: 'ok', detail });
const warning = (detail: string): Finding => ({ status: 'warning', detail });

/** How long PUBLIC_URL may take to respond. */
const RESPONSE_MS = 5_000;

/** Compares where people reach the console with what is configured. */
export async function checkAddress({
  publicUrl,
  host,
  trustedProxies,
}: Pick<AppConfig, 'publicUrl' | 'host' | 'trustedProxies'>): Promise<Finding> {
  if (publicUrl === undefined)
    return isLoopback(host)
      ? ok('PUBLIC_URL is not set: the console is reached on this machine.')
      : warning(
          `PUBLIC_URL is not set and HOST is ${host}: cookies and links follow the address of each request, passkeys work at localhost only. Set PUBLIC_URL.`,
        );
  const response = await fetch(`${publicUrl}/healthz`, { signal: AbortSignal.timeout(RESPONSE_MS) }).catch(
    (error: Error) => error,
  );
  if (response instanceof Error)
    return warning(`PUBLIC_URL, ${publicUrl}, does not respond from here (${causeOf(response)}).`);
  if (!response.ok)
    return warning(`PUBLIC_URL, ${publicUrl}, is not this installation: /healthz is ${response.status}.`);
  if (publicUrl.startsWith('https:') && trustedProxies.cidrs.length === 0)
    return warning(
      `PUBLIC_URL is ${publicUrl} and TRUSTED_PROXIES is empty: every client has the address of the proxy with TLS, also for allow-lists.`,
    );
  return ok(`PUBLIC_URL, ${publicUrl}, responds.`);
}

const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);

const causeOf = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message);
