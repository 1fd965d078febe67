import { DomainError } from '@app/domain/errors';
import { webhookUrlProblem } from '@app/domain/webhooks/webhook-url';
import { requirePublicHost } from './public-lookup';

/**
 * A URL that is posted to, as it is stored. Resolving it is worth a moment before the transaction: it is checked again at
 * every delivery.
 *
 * @param allowPrivate the installation may post to private networks
 * @throws DomainError `webhook_url_refused`
 */
export async function checkedUrl(text: string, allowPrivate: boolean): Promise<string> {
  const problem = webhookUrlProblem(text, allowPrivate);
  if (problem) throw urlRefused(text, problem);
  const url = new URL(text);
  try {
    await requirePublicHost(url, allowPrivate);
  } catch (error) {
    throw urlRefused(text, (error as Error).message);
  }
  return url.href;
}

function urlRefused(url: string, reason: string): DomainError {
  return new DomainError('webhook_url_refused', { url: url.slice(0, 200), reason });
}
